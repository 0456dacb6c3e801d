/**
 * The page stage: parses one fetched document.
 *
 * In: the bytes of one body, its Content-Type, its URL. Out: its links as written and in order, its facts
 * (title, language, base, canonical, robots), its headings and, if asked for, its visible text, the text
 * around its links, and the bytes of its content. This stage resolves and judges nothing: the crawl
 * decides where a link leads and whether it is followed.
 *
 * What always holds: no input causes an exception, the time is linear in the
 * bytes, and the size of the result is limited.
 */
import { decideReadAs, essenceOf, FEED_ROOTS, SITEMAP_ROOTS } from './content-kind.ts';
import { decodeBody, openBody } from './encoding/charset.ts';
import { readFeed } from './feeds/feed.ts';
import { isGzip, unpackList } from './feeds/gzip-list.ts';
import { readJsonFeed } from './feeds/json-feed.ts';
import { rootElement } from './feeds/scan-xml.ts';
import { readSitemap, readTextSitemap } from './feeds/sitemap.ts';
import { scanHtml } from './html/scan-html.ts';
import { emptyPage, type PageKind, type ParsedPage, type ParseOptions } from './parsed-page.ts';

export { ContentText } from './html/text/listen-content.ts';
export {
  DOCUMENT_LINK_KINDS,
  LINK_KINDS,
  type LinkGrade,
  type LinkKind,
  PAGE_KINDS,
  type PageKind,
  type PageLink,
  type ParsedPage,
  type ParseOptions,
} from './parsed-page.ts';

export function parsePage(body: Buffer, contentType: string, url: string, options: ParseOptions): ParsedPage {
  options.content?.clear();
  if (!isGzip(body)) return parsePlain(body, contentType, url, options);
  const list = unpackList(body, url);
  if (list === null) return emptyPage('other', '');
  const page = parsePlain(list.bytes, list.contentType, url, options);
  page.linksTruncated ||= list.isCut;
  return page;
}

function parsePlain(body: Buffer, contentType: string, url: string, options: ParseOptions): ParsedPage {
  switch (decideReadAs(body, contentType, url)) {
    case 'html':
      return parseHtml(body, contentType, options);
    case 'xml':
      return parseXml(body, contentType, options);
    case 'json': {
      const { text, charset } = decodeBody(body, contentType, 'text');
      const page = emptyPage('feed', charset);
      return readJsonFeed(text, page, options.maxLinks) ? page : emptyPage('other', charset);
    }
    case 'text-sitemap': {
      const { text, charset } = decodeBody(body, contentType, 'text');
      const page = emptyPage('sitemap', charset);
      readTextSitemap(text, page, options.maxLinks);
      return page;
    }
    case 'nothing':
      return emptyPage('other', '');
  }
}

function parseHtml(body: Buffer, contentType: string, options: ParseOptions): ParsedPage {
  const { document, charset } = openBody(body, contentType, 'html');
  const page = emptyPage('html', charset);
  scanHtml(document, page, options, essenceOf(contentType) === 'application/xhtml+xml');
  return page;
}

function parseXml(body: Buffer, contentType: string, options: ParseOptions): ParsedPage {
  const { document, charset } = openBody(body, contentType, 'xml');
  const page = emptyPage(kindOfRoot(rootElement(document)), charset);
  if (page.kind === 'html') scanHtml(document, page, options, true);
  else if (page.kind === 'sitemap') readSitemap(document, page, options.maxLinks);
  else if (page.kind === 'feed') readFeed(document, page, options.maxLinks);
  return page;
}

function kindOfRoot(root: string): PageKind {
  if (root === 'html') return 'html';
  if (SITEMAP_ROOTS.includes(root)) return 'sitemap';
  return FEED_ROOTS.includes(root) ? 'feed' : 'other';
}
