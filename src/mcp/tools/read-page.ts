import { ContentReader } from '../../copy/content-reader.ts';
import { recordOf } from '../../copy/find-url.ts';
import { isContent, LATEST_MS, newestCaptures, type PageCopy, readCopy } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import { parsePage } from '../../page/page.ts';
import type { UrlRecord } from '../../store/contract.ts';
import { requireUrl, URL_ARGUMENT, withoutPage } from './find-page.ts';
import { COUNT, listOf, MAYBE_COUNT, MAYBE_TEXT, type OpenCopy, readingTool, TEXT, ToolRefusal } from './tool.ts';
import { line, markdown, partOf, title, url, visible } from './web-text.ts';

const MOST_HOPS = 5;
const MOST_HEADINGS = 60;
const MOST_HEADING_CHARS = 120;
/** Text before a found text that may be shown, so that it begins with its line. */
const BEFORE_FOUND_CHARS = 300;

export const readPageTool = readingTool({
  name: 'read_page',
  title: 'Read a page',
  about:
    'Reads a page or document (HTML, PDF, DOCX, …) of the copy as Markdown: its main content, without navigation ' +
    'and advertisements. Long pages come in parts: call again with offset = nextOffset, with the offset of a ' +
    'heading, or with find to jump to a text. at reads the page as it was at that time.',
  onlyReads: true,
  table: {
    url: URL_ARGUMENT,
    offset: { kind: 'count', about: 'first character to return', least: 0, most: 100_000_000, usual: 0 },
    max_chars: { kind: 'count', about: 'most characters to return', least: 500, most: 50_000, usual: 12_000 },
    find: { kind: 'text', about: 'begin at the next place after offset that has this text (any case)', most: 200 },
    part: {
      kind: 'word',
      about: 'main: the main content as Markdown; all: all visible text, with navigation',
      words: ['main', 'all'],
    },
    at: { kind: 'time', about: 'the version at or before this time (default: the newest)', of: 'end' },
  },
  facts: {
    fetchedAt: TEXT,
    status: COUNT,
    offset: COUNT,
    totalChars: COUNT,
    nextOffset: MAYBE_COUNT,
  },
  web: {
    url: TEXT,
    title: TEXT,
    contentType: TEXT,
    redirectedFrom: MAYBE_TEXT,
    outline: listOf({ offset: COUNT, heading: TEXT }),
    markdown: TEXT,
  },
  async run(copy, { url: asked, offset, max_chars, find, part, at }) {
    const first = await requireUrl(copy.store, asked);
    const record = at === null ? await followed(copy, first) : first;
    const page = await pageOf(copy, record, at ?? LATEST_MS);
    const { text, note } = await textOf(copy, record.url, page, part);
    const start = find === '' ? offset : placeOf(text, find, offset);
    const { text: shown, end } = partOf(text, start, max_chars);
    const nextOffset = end < text.length ? end : null;
    // The first part of a page shows what else it has.
    const outline = nextOffset !== null && start === 0 ? headingsOf(text) : [];
    const fetchedAt = new Date(page.record.fetchedAtMs).toISOString();
    const { status } = page.record;
    const redirectedFrom = record === first ? null : url(first.url);
    const contentType = line(page.record.contentType, 100);
    const name = title(record.title);
    return {
      facts: { fetchedAt, status, offset: start, totalChars: text.length, nextOffset },
      says: [
        `Fetched ${fetchedAt}, status ${status}. Characters ${start} to ${end} of ${text.length}.`,
        ...(nextOffset === null ? [] : [`The page goes on: call read_page again with offset ${nextOffset}.`]),
        ...(note === null ? [] : [note]),
      ],
      web: { url: url(record.url), title: name, contentType, redirectedFrom, outline, markdown: shown },
      webText: [
        `${name}\n${url(record.url)}${redirectedFrom === null ? '' : `\n(redirected from ${redirectedFrom})`}`,
        ...(outline.length === 0
          ? []
          : [`Outline (offset, heading):\n${outline.map(({ offset, heading }) => `${offset} ${heading}`).join('\n')}`]),
        shown,
      ].join('\n\n'),
    };
  },
});

/** The page behind the redirects of a URL, as far as the copy has it. */
async function followed({ store }: OpenCopy, first: UrlRecord): Promise<UrlRecord> {
  let record = first;
  for (let hop = 0; hop < MOST_HOPS && record.redirectTo !== null; hop++) {
    const next = await recordOf(store, record.redirectTo);
    if (next === null) break;
    record = next;
  }
  return record;
}

async function pageOf({ store, place }: OpenCopy, record: UrlRecord, atMs: number): Promise<PageCopy> {
  const page = await readCopy(store, place, record.url, atMs);
  if (page !== null && isContent(page.record)) return page;
  if (atMs === LATEST_MS) {
    const [last] = await newestCaptures(store, record.url, atMs, 1, isContent);
    throw withoutPage(record, last?.fetchedAtMs ?? null);
  }
  throw new ToolRefusal('ERR_NOT_IN_COPY', 'The copy has no version of this page from that time. Use a later time.');
}

interface PageText {
  readonly text: string;
  readonly note: string | null;
}

const ALL_TEXT = { wantText: true, wantAnchors: false, maxLinks: 0 };

async function textOf(copy: OpenCopy, pageUrl: string, { capture, body }: PageCopy, part: string): Promise<PageText> {
  const contentType = headerValue(capture.rawHeaders, 'content-type');
  const all = () => visible(parsePage(body, contentType, pageUrl, ALL_TEXT).text);
  const whole = part === 'all' ? all() : '';
  if (whole !== '') return { text: whole, note: null };
  const content = await new ContentReader(copy.store).read({ url: pageUrl, body, contentType });
  if ('reason' in content) {
    throw new ToolRefusal('ERR_NOT_IN_COPY', `This URL has no text to read: ${content.reason}.`);
  }
  // Links within the page need no address.
  const linkOf = (target: string) => (target.startsWith(`${pageUrl}#`) ? target.slice(pageUrl.length) : null);
  const text = markdown(content.markdown({ linkOf }));
  if (text.trim() === '') return { text: all(), note: 'No main content was found, so this is all visible text.' };
  const note = 'Only the beginning of the document was read, because it is longer than the limits allow.';
  return { text, note: content.isPartial ? note : null };
}

/**
 * The beginning of the line in which a text is. The marks of Markdown do not count, because a model may not write
 * them.
 */
function placeOf(text: string, wanted: string, from: number): number {
  const at = withoutMarks(text.slice(from)).indexOf(withoutMarks(wanted));
  if (at === -1) {
    throw new ToolRefusal('ERR_NOT_IN_COPY', `The page does not have this text after offset ${from}. Try other words.`);
  }
  let found = from;
  for (let left = at; left > 0 || MARKS.has(text[found]!); found++) if (!MARKS.has(text[found]!)) left--;
  const lineStart = text.lastIndexOf('\n', found - 1) + 1;
  if (found - lineStart <= BEFORE_FOUND_CHARS) return lineStart;
  // A word must not be cut: most lines have a space before the found text.
  return text.indexOf(' ', found - BEFORE_FOUND_CHARS) + 1;
}

const MARKS: ReadonlySet<string> = new Set('*_`\\');

/** Lower case may have another length in a few scripts. The place is then a little off. */
function withoutMarks(text: string): string {
  return text.replaceAll(/[*_`\\]/g, '').toLowerCase();
}

/** The headings of Markdown with their places, so that a model can jump. */
function headingsOf(text: string): { offset: number; heading: string }[] {
  const found: { offset: number; heading: string }[] = [];
  let isCode = false;
  for (let at = 0; at < text.length && found.length < MOST_HEADINGS; ) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    if (text.startsWith('```', at)) isCode = !isCode;
    if (text[at] === '#' && !isCode)
      found.push({ offset: at, heading: line(withoutTargets(text.slice(at, end)), MOST_HEADING_CHARS) });
    at = end + 1;
  }
  return found;
}

/** `[text](url)` → `text` */
function withoutTargets(heading: string): string {
  let text = '';
  let at = 0;
  for (;;) {
    const open = heading.indexOf('](', at);
    const close = open === -1 ? -1 : heading.indexOf(')', open);
    if (close === -1) return (text + heading.slice(at)).replaceAll('[', '');
    text += heading.slice(at, open);
    at = close + 1;
  }
}
