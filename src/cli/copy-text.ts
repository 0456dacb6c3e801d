/** An answer from the copy as text: its head, its facts as JSON, and what is to be said beside its body. */
import type { Capture } from '../archive/warc-reader.ts';
import { REASONS } from '../core/reasons.ts';
import type { PageCopy } from '../crawl/read-copy.ts';
import { headerValue } from '../fetch/outcome.ts';
import { isoOrNull, safeJson, safeText } from './readable.ts';

/** Status line and headers. A terminal gets no control characters; a file or another program gets the bytes as they came. */
export function headText(capture: Capture, isForTerminal: boolean): Buffer {
  const { protocol, status, statusText, rawHeaders } = capture;
  const lines = [`${protocol === 'h2' ? 'HTTP/2' : 'HTTP/1.1'} ${status} ${statusText}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  if (isForTerminal) return Buffer.from(`${lines.map(safeText).join('\n')}\n`);
  return Buffer.from(`${lines.map((line) => line.trimEnd()).join('\n')}\n`, 'latin1');
}

/** What `--json` prints: the fields are a contract. */
export function copyAsJson({ record, capture, body, fault }: PageCopy, timesMs: readonly number[]): string {
  const { rawHeaders } = capture;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.push([rawHeaders[at]!, rawHeaders[at + 1]!]);
  const facts = {
    url: capture.url,
    fetchedAt: isoOrNull(record.fetchedAtMs),
    status: record.status,
    contentType: record.contentType || null,
    headers,
    digest: record.payloadDigest,
    file: record.file,
    offset: record.offset,
    length: record.length,
    revisit: record.revisit,
    truncated: capture.truncated,
    fault,
    bytes: body.length,
    captures: timesMs.map(isoOrNull),
  };
  return safeJson(facts);
}

/** What the bytes alone do not tell: said on stderr, so that what is printed is the answer and nothing else. */
export function blemishes({ capture, fault }: PageCopy, view: 'body' | 'raw' | 'head' | 'json'): string[] {
  if (view === 'head' || view === 'json') return [];
  const lines: string[] = [];
  const { status, truncated, rawHeaders } = capture;
  if (status < 200 || status > 299) {
    const location = safeText(headerValue(rawHeaders, 'location'));
    lines.push(`the server answered with status ${status}${location === '' ? '' : `, which leads to ${location}`}`);
  }
  if (truncated !== null) lines.push(`the answer was cut short when it was fetched (${safeText(truncated)})`);
  if (fault !== null && view === 'body') {
    lines.push(`${REASONS[fault]} [${fault}]; this is what could be decoded, --raw gives all that is stored`);
  }
  return lines;
}
