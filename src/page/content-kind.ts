/**
 * Decides how a body is parsed: by its content type, and by its first bytes when the content type says little. Sitemaps
 * and feeds are recognised by their first bytes alone, because servers send them with any type and under any name.
 */

const READ_AS = ['html', 'xml', 'json', 'text-sitemap', 'nothing'] as const;

export type ReadAs = (typeof READ_AS)[number];

export const HTML_TYPES = ['text/html', 'application/xhtml+xml'];
/** An empty type, or a type that servers send when they do not know the type (MIME sniffing standard 5.1). */
const UNKNOWN_TYPES = ['', 'unknown/unknown', 'application/unknown', '*/*'];
/** Nothing is searched in these, except in formats that are XML (`image/svg+xml`). */
const NEVER_TEXT = /^(?:image|audio|video|font)\//;
const SNIFF_BYTES = 4_096;
const HTML_STARTS = [
  ...['<!doctype html', '<!--'],
  ...'html head script iframe h1 div font table a style title b body br p'.split(' ').map((name) => `<${name}`),
];
/** The local names of the root elements of sitemaps and feeds. */
export const SITEMAP_ROOTS = ['urlset', 'sitemapindex'];
export const FEED_ROOTS = ['rss', 'feed', 'rdf'];
const LIST_ROOTS = [...SITEMAP_ROOTS, ...FEED_ROOTS];

export function decideReadAs(body: Buffer, contentType: string, url: string): ReadAs {
  const type = essenceOf(contentType);
  const isHtml = HTML_TYPES.includes(type);
  if (isHtml && beginsAsHtml(body)) return 'html';
  if (!isHtml && (type === 'application/xml' || type === 'text/xml' || type.endsWith('+xml'))) return 'xml';
  if (NEVER_TEXT.test(type)) return 'nothing';
  const start = startOf(body);
  const list = listKind(start, body);
  if (list !== null) return list;
  if (isHtml) return 'html';
  if (type === 'text/plain') return isTextSitemapUrl(url) ? 'text-sitemap' : 'nothing';
  if (!UNKNOWN_TYPES.includes(type)) return 'nothing';
  if (start.startsWith('<?xml')) return 'xml';
  const lower = start.toLowerCase();
  return HTML_STARTS.some((tag) => lower.startsWith(tag) && endsTag(lower, tag)) ? 'html' : 'nothing';
}

/** Whether a body begins like a sitemap. Sitemaps may be larger than other bodies. */
export function beginsAsSitemap(body: Buffer): boolean {
  const start = startOf(body);
  return SITEMAP_ROOTS.includes(rootOf(start)) || isUrlList(start, body.length > SNIFF_BYTES);
}

/** How a sitemap or a feed is read; null for any other document. */
function listKind(start: string, body: Buffer): ReadAs | null {
  switch (start[0]) {
    case '<':
      return LIST_ROOTS.includes(rootOf(start)) ? 'xml' : null;
    case '{':
      // Most JSON is not a feed. Searching the bytes for the domain name avoids decoding it.
      return body.includes('jsonfeed.org') || body.includes('jsonfeed.org', 0, 'utf16le') ? 'json' : null;
    case '#':
    case 'h':
    case 'H':
      return isUrlList(start, body.length > SNIFF_BYTES) ? 'text-sitemap' : null;
    default:
      return null;
  }
}

/** The quick test for pages: true for nearly all of them, and false for every sitemap and feed. */
function beginsAsHtml(body: Buffer): boolean {
  let at = body[0] === 0xef ? 3 : 0;
  while (at < SNIFF_BYTES && isBlank(body[at])) at++;
  if (body[at] !== LESS) return false;
  const next = body[at + 1];
  if (next === LOWER_H || next === UPPER_H) return true;
  return next === BANG && body.toString('latin1', at, at + 14).toLowerCase() === '<!doctype html';
}

const LESS = 60;
const BANG = 33;
const UPPER_H = 72;
const LOWER_H = 104;

function isBlank(code: number | undefined): boolean {
  return code === 32 || (code !== undefined && code >= 9 && code <= 13);
}

export function essenceOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/**
 * The local name of the root element in lower case; declarations, comments and the document type before it are
 * skipped. '' if the text does not begin with markup.
 */
function rootOf(start: string): string {
  let root = start;
  for (;;) {
    const end = declarationEnd(root);
    if (end === 0) break;
    root = root.slice(end).trimStart();
  }
  return (/^<(?:[\w.-]{1,100}:)?([\w.-]{1,100})/.exec(root)?.[1] ?? '').toLowerCase();
}

function declarationEnd(text: string): number {
  if (text.startsWith('<?')) return after(text, '?>');
  if (text.startsWith('<!--')) return after(text, '-->');
  if (!text.startsWith('<!')) return 0;
  const end = after(text, '>');
  return text.slice(0, end).includes('[') ? after(text, ']>') : end;
}

function after(text: string, needle: string): number {
  const at = text.indexOf(needle);
  return at < 0 ? text.length : at + needle.length;
}

function isTextSitemapUrl(url: string): boolean {
  const path = pathOf(url);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.startsWith('sitemap') && (name.endsWith('.txt') || name.endsWith('.txt.gz'));
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return (end < 0 ? url : url.slice(0, end)).toLowerCase();
}

/** The first bytes as text, without byte order mark and leading white space. Only ASCII letters are right. */
function startOf(body: Buffer): string {
  const bytes = body.subarray(0, SNIFF_BYTES);
  const [first, second] = bytes;
  const mark = first === 0xef && second === 0xbb ? 3 : (first === 0xff && second === 0xfe) || first === 0xfe ? 2 : 0;
  const text = bytes.toString('latin1', mark);
  // In UTF-16, each ASCII letter has a zero byte beside it. A document has it in its first two letters.
  const isWide = text.charCodeAt(0) === 0 || text.charCodeAt(1) === 0;
  return (isWide ? text.replaceAll('\0', '') : text).trimStart();
}

/** Whether the text is a list of URLs with comments, one on each line. `isCut`: only the beginning is given. */
function isUrlList(start: string, isCut: boolean): boolean {
  const lines = start.split(/[\r\n]+/);
  if (isCut) lines.pop();
  const written = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  return written.length > 0 && written.every(isUrlLine);
}

export function isUrlLine(line: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/i.test(line);
}

function endsTag(start: string, tag: string): boolean {
  return tag === '<!--' || /^[\t\n\f\r />]?$/.test(start.slice(tag.length, tag.length + 1));
}

/** Decides whether people can read a document as text, markup included. */
const TEXT_TYPE =
  /^(?:text\/.*|.*\+(?:xml|json)|application\/(?:xml|json|javascript|ecmascript|x-javascript|x-ndjson|x-www-form-urlencoded))$/;
const LOOKED_AT_BYTES = 1_024;

/** Decides by the media type or, without a media type, by the first bytes. */
export function isText(mediaType: string, body: Buffer): boolean {
  return mediaType === '' ? !body.subarray(0, LOOKED_AT_BYTES).includes(0) : TEXT_TYPE.test(mediaType);
}
