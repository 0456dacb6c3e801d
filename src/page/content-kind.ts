/** What a body is to be read as, by its content type and, where that says little, by how it begins. */

export const READ_AS = ['html', 'xml', 'json', 'text-sitemap', 'nothing'] as const;

export type ReadAs = (typeof READ_AS)[number];

const HTML_TYPES = ['text/html', 'application/xhtml+xml'];
/** No type at all, or one that servers send when they know none (MIME sniffing standard 5.1). */
const UNKNOWN_TYPES = ['', 'unknown/unknown', 'application/unknown', '*/*'];
const SNIFF_BYTES = 512;
const HTML_STARTS = [
  '<!doctype html',
  '<html',
  '<head',
  '<script',
  '<iframe',
  '<h1',
  '<div',
  '<font',
  '<table',
  '<a',
  '<style',
  '<title',
  '<b',
  '<body',
  '<br',
  '<p',
  '<!--',
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

/** A compressed sitemap that came as a file, not as a content encoding: `sitemap.xml.gz`. */
export function isGzippedSitemap(body: Buffer, url: string): boolean {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return false;
  const path = pathOf(url);
  return path.endsWith('.xml.gz') || (path.endsWith('.txt.gz') && path.includes('sitemap'));
}

export function essenceOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Feeds and sitemaps that a server calls HTML: told by the root element, whatever declarations stand before it. */
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

/** The first bytes in lower case, without a byte order mark and white space. */
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
