/** Decides how a body is parsed: by its content type and, when the content type says little, by its first bytes. */

const READ_AS = ['html', 'xml', 'json', 'text-sitemap', 'nothing'] as const;

export type ReadAs = (typeof READ_AS)[number];

export const HTML_TYPES = ['text/html', 'application/xhtml+xml'];
/** An empty type, or a type that servers send when they do not know the type (MIME sniffing standard 5.1). */
const UNKNOWN_TYPES = ['', 'unknown/unknown', 'application/unknown', '*/*'];
const SNIFF_BYTES = 512;
const HTML_STARTS = [
  ...['<!doctype html', '<!--'],
  ...'html head script iframe h1 div font table a style title b body br p'.split(' ').map((name) => `<${name}`),
];
const XML_ROOTS = ['<rss', '<feed', '<urlset', '<sitemapindex', '<rdf:rdf'];

export function decideReadAs(body: Buffer, contentType: string, url: string): ReadAs {
  const type = essenceOf(contentType);
  if (HTML_TYPES.includes(type)) return isPlainlyXml(startOf(body)) ? 'xml' : 'html';
  if (type === 'application/xml' || type === 'text/xml' || type.endsWith('+xml')) return 'xml';
  if (type === 'application/feed+json' || type === 'application/json') return 'json';
  if (type === 'text/plain') return isTextSitemapUrl(url) ? 'text-sitemap' : 'nothing';
  if (!UNKNOWN_TYPES.includes(type)) return 'nothing';
  const start = startOf(body);
  if (isPlainlyXml(start) || start.startsWith('<?xml')) return 'xml';
  return HTML_STARTS.some((tag) => start.startsWith(tag) && endsTag(start, tag)) ? 'html' : 'nothing';
}

/**
 * True for a compressed sitemap that is a file, such as `sitemap.xml.gz`. Its compression is not a content encoding.
 */
export function isGzippedSitemap(body: Buffer, url: string): boolean {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return false;
  const path = pathOf(url);
  return path.endsWith('.xml.gz') || (path.endsWith('.txt.gz') && path.includes('sitemap'));
}

export function essenceOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/**
 * Recognizes feeds and sitemaps that a server labels as HTML. The root element
 * decides; declarations before it are skipped.
 */
function isPlainlyXml(start: string): boolean {
  let root = start;
  for (;;) {
    const end = root.startsWith('<?') ? after(root, '?>') : root.startsWith('<!--') ? after(root, '-->') : 0;
    if (end === 0) break;
    root = root.slice(end).trimStart();
  }
  return XML_ROOTS.some((tag) => root.startsWith(tag) && endsTag(root, tag));
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

/** The first bytes in lower case, without the byte order mark and without leading white space. */
function startOf(body: Buffer): string {
  const from = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  return body
    .toString('latin1', from, Math.min(body.length, from + SNIFF_BYTES))
    .trimStart()
    .toLowerCase();
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
