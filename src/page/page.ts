/**
 * The page stage: parses one fetched document.
 *
 * In: the bytes of one body, its Content-Type, its URL. Out: its links as written and in order, its facts
 * (title, language, base, canonical, robots), its headings and, if asked for, its visible text, the text
 * around its links, and the words of its content. This stage resolves and judges nothing: the crawl
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
import { emptyPage, type PageKind, type ParsedPage, type ParseOptions } from './parsed-page.ts';
import { readHeaders } from './references/header.ts';
import { parseData, readData, readHtml, readXmlReferences } from './references/read-references.ts';

export { BlockCollector } from './html/text/collect-blocks.ts';
export { type PageBlock, PageTextCollector, type TextLink } from './html/text/collect-page-text.ts';
export { WordCollector } from './html/text/collect-words.ts';
export {
  type LinkGrade,
  PAGE_KINDS,
  type PageKind,
  type PageLink,
  type ParsedPage,
  type ParseOptions,
} from './parsed-page.ts';
export {
  CLASS_OF_KIND,
  classesWanted,
  DOCUMENT_LINK_KINDS,
  LINK_KINDS,
  type LinkKind,
  type ReferenceClass,
  type ReferenceClasses,
} from './reference-kinds.ts';

/** `headers`: the names and values of the HTTP headers, if their references are wanted. */
export function parsePage(
  body: Buffer,
  contentType: string,
  url: string,
  options: ParseOptions,
  headers?: readonly string[],
): ParsedPage {
  options.words?.clear();
  options.words?.setUrl(url);
  const page = parseBody(body, contentType, url, options);
  if (headers !== undefined && options.maxLinks > 0) readHeaders(headers, url, page, options.classes);
  return page;
}

function parseBody(body: Buffer, contentType: string, url: string, options: ParseOptions): ParsedPage {
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
      return parseHtml(body, contentType, url, options);
    case 'xml':
      return parseXml(body, contentType, url, options);
    case 'json': {
      const { text, charset } = decodeBody(body, contentType, 'text');
      const page = emptyPage('feed', charset);
      if (readJsonFeed(text, page, options.maxLinks)) return page;
      return readData(text, charset, contentType, url, options);
    }
    case 'text-sitemap': {
      const { text, charset } = decodeBody(body, contentType, 'text');
      const page = emptyPage('sitemap', charset);
      readTextSitemap(text, page, options.maxLinks);
      return page;
    }
    case 'nothing':
      return parseData(body, contentType, url, options);
  }
}

function parseHtml(body: Buffer, contentType: string, url: string, options: ParseOptions): ParsedPage {
  const { document, charset } = openBody(body, contentType, 'html');
  const page = emptyPage('html', charset);
  readHtml(document, page, url, options, essenceOf(contentType) === 'application/xhtml+xml');
  return page;
}

function parseXml(body: Buffer, contentType: string, url: string, options: ParseOptions): ParsedPage {
  const { document, charset } = openBody(body, contentType, 'xml');
  const root = rootElement(document);
  const page = emptyPage(kindOfRoot(root), charset);
  if (page.kind === 'html') readHtml(document, page, url, options, true);
  else if (page.kind === 'sitemap') readSitemap(document, page, options.maxLinks);
  else if (page.kind === 'feed') readFeed(document, page, options.maxLinks);
  else readXmlReferences(document, page, root, url, options);
  return page;
}

function kindOfRoot(root: string): PageKind {
  if (root === 'html') return 'html';
  if (SITEMAP_ROOTS.includes(root)) return 'sitemap';
  return FEED_ROOTS.includes(root) ? 'feed' : 'other';
}
