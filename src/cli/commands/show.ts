/**
 * `orbweaver show <url>`: prints an earlier or the newest response of a page from the copy. It only reads,
 * so it works during a crawl.
 */

import type { Capture } from '../../archive/warc-reader.ts';
import { ContentReader } from '../../copy/content-reader.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { flawsInWords } from '../../core/http-flaws.ts';
import { REASONS } from '../../core/reasons.ts';
import { safeLines } from '../../core/safe-text.ts';
import { isoOrNull, safeBytes, safeJson, safeText, timeText } from '../../core/text/readable.ts';
import { LATEST_MS, type PageCopy, readCopy, timesFetched } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import { headerPairs } from '../../library/page.ts';
import { isText } from '../../page/content-kind.ts';
import type { Store } from '../../store/contract.ts';
import {
  COMMON_FLAGS,
  type Command,
  type ParsedArguments,
  parseArguments,
  requireOneUrl,
  switchFlag,
} from '../arguments.ts';
import { neverFetched, requireKnownUrl } from '../known-url.ts';
import { say } from '../log.ts';
import { momentFlag } from '../moment.ts';
import { type NamedCrawl, PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { checkOutput, OUTPUT_FLAGS, writeToFile, writeToStdout } from '../output.ts';

/** Alternatives to the body, which is printed by default. */
const VIEWS = ['text', 'markdown', 'head', 'raw', 'json'] as const;
type View = (typeof VIEWS)[number] | 'body';

export const command: Command = {
  help: {
    usage: 'orbweaver show <url> [--at <time>] [--text | --markdown | --head | --raw | --json] [flags]',
    about: `Prints a page from the copy: the newest response, or the newest one at or before --at. The body is printed as the server
sent it, in its own charset, but without the content coding (gzip, br …). On a terminal, control characters are left out.
Errors and redirects are responses too. --text and --markdown print the main content of a page: its own text, without
navigation, advertisements and what the other pages of the site have too.
A time is a date, a date and time, or the digits of a WARC timestamp. It is UTC if it has no time zone. A shortened time
means the end of its period: 2026-11 is the end of November.`,
    examples: [
      'orbweaver show https://example.com/',
      'orbweaver show https://example.com/article --markdown',
      'orbweaver show https://example.com/ --at 2026-11-15 --head',
      'orbweaver show https://example.com/logo.png --output logo.png',
      'orbweaver show https://example.com/ --json | jq -r ".captures[]"',
    ],
    flags: {
      ...PLACE_FLAGS,
      at: { hint: '<time>', help: 'the newest response at or before this time (default: the newest)' },
      text: { hint: '', help: 'print the main content as plain text' },
      markdown: { hint: '', help: 'print the main content as Markdown' },
      head: { hint: '', help: 'print the status line and the headers instead of the body' },
      raw: { hint: '', help: 'print the stored bytes, with their content coding' },
      json: { hint: '', help: 'print one JSON object: the facts, the headers and all fetch times, without the body' },
      ...OUTPUT_FLAGS,
      help: COMMON_FLAGS.help!,
    },
  },

  async run(words) {
    const args = parseArguments('show', words, command.help.flags);
    const text = requireOneUrl('show', args.words);
    const view = viewWanted(args);
    const atMs = momentFlag(args, 'at') ?? LATEST_MS;
    const output = args.flags.output as string | undefined;
    if (output !== undefined) checkOutput(output, switchFlag(args, 'force'));
    return withCrawl(args, async (store, crawl) => {
      const copy = await copyOf(store, crawl, text, atMs);
      const isForTerminal = output === undefined && process.stdout.isTTY === true;
      const shown = await render(store, copy, view, isForTerminal);
      if (output === undefined) await writeToStdout([shown]);
      else await writeToFile([shown], output, crawl.sources);
      for (const line of blemishes(copy, view)) say(`orbweaver: ${line}`);
    });
  },
};

function viewWanted(args: ParsedArguments): View {
  const [view, other] = VIEWS.filter((name) => switchFlag(args, name));
  if (other !== undefined)
    throw new OrbweaverError('ERR_USAGE', `--${view} and --${other} exclude each other; choose one`);
  return view ?? 'body';
}

async function copyOf(store: Store, { place, again }: NamedCrawl, text: string, atMs: number): Promise<PageCopy> {
  const { url, record } = await requireKnownUrl(store, again, text);
  const copy = await readCopy(store, place, url, atMs);
  if (copy !== null) return copy;
  const [firstMs] = await timesFetched(store, url);
  if (firstMs === undefined) throw neverFetched(record, again);
  throw new OrbweaverError(
    'ERR_NOT_IN_COPY',
    `${url} was not in the copy at ${timeText(atMs)}: it was first fetched on ${timeText(firstMs)}`,
  );
}

async function render(store: Store, copy: PageCopy, view: View, isForTerminal: boolean): Promise<string | Buffer> {
  if (view === 'json') {
    return `${copyAsJson(copy, await timesFetched(store, copy.capture.url))}\n`;
  }
  if (view === 'head') return headText(copy.capture, isForTerminal);
  if (view === 'text' || view === 'markdown') {
    const content = await contentText(store, copy, view);
    return isForTerminal ? safeLines(content) : content;
  }
  const { record, capture, body } = copy;
  const bytes = view === 'raw' ? capture.body : body;
  if (!isForTerminal) return bytes;
  const isCoded = !bytes.equals(body);
  if (!isCoded && isText(record.contentType, bytes)) return safeBytes(bytes);
  const what = isCoded ? 'a body with a content coding' : safeText(record.contentType) || 'this content';
  throw new OrbweaverError('ERR_USAGE', `a terminal cannot show ${what}; add --output <file>, or pipe it to a program`);
}

async function contentText(store: Store, { record, capture, body }: PageCopy, view: 'text' | 'markdown') {
  const { url } = capture;
  const contentType = headerValue(capture.rawHeaders, 'content-type');
  const content = await new ContentReader(store).read({ url, body, contentType });
  if ('reason' in content) {
    const type = safeText(record.contentType) || 'content of an unknown type';
    const why = content.reason === 'no-text' ? `it is ${type}` : `the document (${type}) is ${content.reason}`;
    throw new OrbweaverError('ERR_USAGE', `${url} has no text: ${why}; leave out --${view} to get its bytes`);
  }
  if (content.isPartial) say('orbweaver: only the beginning is printed: the document is longer than the limits allow');
  const text = view === 'text' ? content.text() : content.markdown();
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/* Text about a response of the copy: its head, its facts as JSON, and the remarks that accompany its body. */

/**
 * Status line and headers. A terminal gets no control characters. A file or another program gets the original bytes.
 */
export function headText(capture: Capture, isForTerminal: boolean): Buffer {
  const { protocol, status, statusText, rawHeaders } = capture;
  const lines = [`${protocol === 'h2' ? 'HTTP/2' : 'HTTP/1.1'} ${status} ${statusText}`];
  for (const [name, value] of headerPairs(rawHeaders)) lines.push(`${name}: ${value}`);
  if (isForTerminal) return Buffer.from(`${lines.map(safeText).join('\n')}\n`);
  return Buffer.from(`${lines.map((line) => line.trimEnd()).join('\n')}\n`, 'latin1');
}

/** The object that `--json` prints. The fields are a contract. */
function copyAsJson({ record, capture, body, fault }: PageCopy, timesMs: readonly number[]): string {
  const facts = {
    url: capture.url,
    fetchedAt: isoOrNull(record.fetchedAtMs),
    status: record.status,
    contentType: record.contentType || null,
    headers: headerPairs(capture.rawHeaders),
    digest: record.payloadDigest,
    file: record.file,
    offset: record.offset,
    length: record.length,
    revisit: record.revisit,
    truncated: capture.truncated,
    flaws: capture.flaws,
    fault,
    bytes: body.length,
    captures: timesMs.map(isoOrNull),
  };
  return safeJson(facts);
}

/** Facts that the bytes do not show. They go to stderr, so that stdout has only the response. */
function blemishes({ capture, fault }: PageCopy, view: View): string[] {
  const { status, truncated, rawHeaders, flaws } = capture;
  if (view === 'json') return [];
  const lines = flaws.length === 0 ? [] : [`the server broke the rules of HTTP: ${flawsInWords(flaws)}`];
  if (view === 'head') return lines;
  if (status < 200 || status > 299) {
    const location = safeText(headerValue(rawHeaders, 'location'));
    lines.push(`the server answered with status ${status}${location === '' ? '' : `, a redirect to ${location}`}`);
  }
  if (truncated !== null) lines.push(`the response was cut off when it was fetched (${safeText(truncated)})`);
  if (fault !== null && view !== 'raw') {
    lines.push(`${REASONS[fault]} [${fault}]; only the decoded part is printed, --raw prints all stored bytes`);
  }
  return lines;
}
