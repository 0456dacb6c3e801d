import type { HttpFlaw } from '../../../core/http-flaws.ts';
import { frame, isFraming, type ResponseHead, trimmed } from './response-head.ts';

/**
 * Reads a head that breaks the rules of HTTP, as curl and browsers do. In: the text that response-head.ts refused. Out:
 * the head with its flaws, or the flaw that makes it unreadable.
 *
 * What always holds: the connection of such a response is never used again, so a wrong guess about the length of its
 * body harms no other response. A text with a NUL byte or with a line without a colon is refused, as in curl: such a
 * line may belong to the body.
 */

/** curl and browsers accept several spaces, a missing space and lower case. Versions other than these are refused. */
const STATUS_LINE = /^http\/(?:[ \t]*(1\.[ \t]*[01]|2\.[ \t]*0)|2) [ \t]*(\d{3})(?!\d)/i;
/** A version that is no number counts as HTTP/1.0, and a missing status as 200. */
const WORD_AS_VERSION = /^http\/[^\d\s]\S*(?:[ \t]+(\d{3})(?!\d))?/i;

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/;

/** The lines of `text` end with LF. */
export function parseFlawedHead(text: string): ResponseHead | HttpFlaw {
  const flaws = new Set<HttpFlaw>();
  const [statusLine = '', ...lines] = linesOf(text, flaws);
  if (!/^http\//i.test(statusLine)) return 'not-http';
  if (text.includes('\0')) return 'nul';
  const start = parseStatusLine(statusLine);
  if (start === null) return 'bad-status';
  if (!/^HTTP\/\d\.\d \d{3}(?: |$)/.test(statusLine)) flaws.add('status-line');
  if (CONTROLS.test(start.statusText)) flaws.add('header-value');
  const rawHeaders = parseLines(lines, flaws);
  if (rawHeaders === null) return 'no-colon';
  return frame(start.status, start.statusText, start.isHttp11, rawHeaders, flaws) ?? 'no-length';
}

interface StatusLine extends Pick<ResponseHead, 'status' | 'statusText'> {
  readonly isHttp11: boolean;
}

function parseStatusLine(line: string): StatusLine | null {
  const [read, version = '', digits = ''] = STATUS_LINE.exec(line) ?? [];
  const [word, wordDigits = '200'] = WORD_AS_VERSION.exec(line) ?? [];
  const start = read ?? word;
  const status = Number(read === undefined ? wordDigits : digits);
  if (start === undefined || status < 100) return null;
  return { status, statusText: trimmed(line, start.length, line.length), isHttp11: /^1\.[ \t]*1$/.test(version) };
}

/** The lines without their ends. */
function linesOf(text: string, flaws: Set<HttpFlaw>): string[] {
  const lines = text.split('\n');
  lines.pop();
  return lines.map((line) => {
    let end = line.length;
    while (end > 0 && line[end - 1] === '\r') end--;
    const content = line.slice(0, end);
    if (end !== line.length - 1 || content.includes('\r')) flaws.add('line-end');
    return content;
  });
}

/** name, value, name, value … Null if a line has no colon. */
function parseLines(lines: readonly string[], flaws: Set<HttpFlaw>): string[] | null {
  const headers: string[] = [];
  for (const line of lines) {
    const isFolded = line.startsWith(' ') || line.startsWith('\t');
    if (CONTROLS.test(line)) flaws.add('header-value');
    if (isFolded && headers.length > 0) {
      const more = trimmed(line, 0, line.length);
      const value = headers.pop()!;
      const isFramed = isFraming(headers.at(-1)!);
      if (isFramed) flaws.add('folded-framing');
      // curl reads only the first line of a header that frames the body.
      headers.push(value === '' ? more : more === '' || isFramed ? value : `${value} ${more}`);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon === -1) return null;
    const name = trimmed(line, 0, colon);
    if (name.length < colon || !NAME.test(name)) flaws.add('header-name');
    // A header without a name has no meaning. The same holds for a folded line that continues nothing.
    if (name !== '' && !isFolded) headers.push(name, trimmed(line, colon + 1, line.length));
  }
  return headers;
}
