/**
 * Reads sitemaps (sitemaps.org 0.9): a list of pages, an index of sitemaps, or plain text with one URL per line. Each
 * entry is a link of kind 'sitemap' with lastmod as its text. If an entry leads to another sitemap, its rel is
 * 'sitemap'. Images and translations of a page are links too.
 */
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { ATTRIBUTES } from '../html/html-names.ts';
import { type TagScanner, trimUrl } from '../html/scan-tag.ts';
import { LinkList } from '../link-list.ts';
import { MAX_LINK_TEXT_CHARS, type ParsedPage } from '../parsed-page.ts';
import { scanXml, type XmlHandler } from './scan-xml.ts';

export const SITEMAP_ROOTS = ['urlset', 'sitemapindex'];
/**
 * The maximum that the protocol allows in one sitemap. The link limit of a page does
 * not apply: it is much too low for a sitemap.
 */
const MAX_SITEMAP_URLS = 50_000;

const HREF = ATTRIBUTES.id('href');

export function readSitemap(document: DocumentBytes, page: ParsedPage, maxLinks: number): void {
  const reader = new SitemapReader(limitOf(maxLinks));
  scanXml(document, reader);
  page.links = reader.links.links;
  page.linksTruncated = reader.links.truncated;
}

export function readTextSitemap(text: string, page: ParsedPage, maxLinks: number): void {
  const links = new LinkList(limitOf(maxLinks));
  for (let at = 0; at < text.length && !links.truncated; ) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    const line = trimUrl(text.slice(at, end));
    if (/^https?:\/\//i.test(line)) links.add(line, 'sitemap', '', '');
    at = end + 1;
  }
  page.links = links.links;
  page.linksTruncated = links.truncated;
}

/** A caller that asks for no links (0) gets none. */
function limitOf(maxLinks: number): number {
  return maxLinks === 0 ? 0 : MAX_SITEMAP_URLS;
}

class SitemapReader implements XmlHandler {
  readonly links: LinkList;
  #location = '';
  #modified = '';

  constructor(maxLinks: number) {
    this.links = new LinkList(maxLinks);
  }

  get done(): boolean {
    return this.links.truncated;
  }

  open(name: string, parent: string, tag: TagScanner): void {
    if (name === 'url' || name === 'sitemap') {
      this.#location = '';
      this.#modified = '';
    } else if (name === 'link' && parent === 'url') {
      const href = tag.url(HREF);
      if (href !== null && href !== '') this.links.add(href, 'alternate', '', 'alternate');
    }
  }

  close(name: string, parent: string, text: string): void {
    if (name === 'loc') {
      if (parent === 'url' || parent === 'sitemap') this.#location = trimUrl(text);
      else if (parent === 'image' && text !== '') this.links.add(trimUrl(text), 'img', '', '');
    } else if (name === 'lastmod' && (parent === 'url' || parent === 'sitemap')) this.#modified = text;
    // From the news extension of Google. It is used when an entry has no lastmod.
    else if (name === 'publication_date' && this.#modified === '') this.#modified = text;
    else if ((name === 'url' || name === 'sitemap') && this.#location !== '') {
      const text = this.#modified.slice(0, MAX_LINK_TEXT_CHARS);
      this.links.addEntry(this.#location, 'sitemap', text, name === 'sitemap' ? 'sitemap' : '', this.#modified.trim());
    }
  }
}
