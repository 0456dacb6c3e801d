/**
 * Reads sitemaps (sitemaps.org 0.9): a list of pages, an index of sitemaps, or plain text with one URL per line. Each
 * entry is a link of kind 'sitemap' with lastmod as its text. If an entry leads to another sitemap, its rel is
 * 'sitemap'. Images, videos and translations of a page are links too.
 */
import { isUrlLine } from '../content-kind.ts';
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { ATTRIBUTES } from '../html/html-names.ts';
import { type TagScanner, trimUrl } from '../html/scan-tag.ts';
import { LinkList } from '../link-list.ts';
import { type LinkKind, MAX_LINK_TEXT_CHARS, type ParsedPage } from '../parsed-page.ts';
import { scanXml, type XmlHandler } from './scan-xml.ts';

/**
 * The maximum that the protocol allows in one sitemap. The link limit of a page does
 * not apply: it is much too low for a sitemap.
 */
const MAX_SITEMAP_URLS = 50_000;
/** The maximum of images, videos and translations together. Each translation counts once. */
const MAX_EXTRA_URLS = 50_000;

const HREF = ATTRIBUTES.id('href');
/** The elements of the image and video extensions that name a file. */
const FILES: ReadonlyMap<string, LinkKind> = new Map([
  ['loc', 'img'],
  ['thumbnail_loc', 'img'],
  ['content_loc', 'media'],
  ['player_loc', 'media'],
]);

export function readSitemap(document: DocumentBytes, page: ParsedPage, maxLinks: number): void {
  const reader = new SitemapReader(limitOf(maxLinks));
  scanXml(document, reader);
  page.links = reader.links.links;
  page.linksTruncated = reader.isCut || reader.links.truncated;
}

export function readTextSitemap(text: string, page: ParsedPage, maxLinks: number): void {
  const links = new LinkList(limitOf(maxLinks));
  const lines = /[^\r\n]+/g;
  for (let line = lines.exec(text); line !== null && !links.truncated; line = lines.exec(text)) {
    const url = trimLocation(line[0]);
    if (isUrlLine(url)) links.add(url, 'sitemap', '', '');
  }
  page.links = links.links;
  page.linksTruncated = links.truncated;
}

/** Also drops the invisible characters that copied text often has: `trim` drops U+FEFF. */
function trimLocation(text: string): string {
  return trimUrl(text.replaceAll('\u200b', '').trim());
}

/** A caller that asks for no links (0) gets none. */
function limitOf(maxLinks: number): number {
  return maxLinks === 0 ? 0 : MAX_SITEMAP_URLS;
}

class SitemapReader implements XmlHandler {
  readonly entries = ['url', 'sitemap'];
  readonly links: LinkList;
  readonly #maxEntries: number;
  #count = 0;
  readonly #extras = new Set<string>();
  isCut = false;
  #location = '';
  #modified = '';

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
    this.links = new LinkList(maxEntries === 0 ? 0 : maxEntries + MAX_EXTRA_URLS);
  }

  get done(): boolean {
    return this.links.truncated || this.#count > this.#maxEntries;
  }

  open(name: string, parent: string, tag: TagScanner): void {
    if (name === 'url' || name === 'sitemap') {
      this.#location = '';
      this.#modified = '';
    } else if (name === 'link' && parent === 'url') this.#addExtra(tag.url(HREF) ?? '', 'alternate', 'alternate');
  }

  close(name: string, parent: string, text: string): void {
    const isInEntry = parent === 'url' || parent === 'sitemap';
    if (name === 'loc' && isInEntry) this.#location = trimLocation(text);
    else if (name === 'lastmod' && isInEntry) this.#modified = text;
    // From the news extension of Google. It is used when an entry has no lastmod.
    else if (name === 'publication_date' && this.#modified === '') this.#modified = text;
    else if (name === 'url' || name === 'sitemap') this.#addEntry(name);
    else if (parent === 'image' || parent === 'video') {
      const kind = FILES.get(name);
      if (kind !== undefined) this.#addExtra(trimLocation(text), kind, '');
    }
  }

  #addEntry(name: string): void {
    const location = this.#location;
    // An entity of the document's own DTD is not expanded, so there is no URL.
    if (location === '' || location.startsWith('&')) return;
    if (++this.#count > this.#maxEntries) {
      this.isCut = true;
      return;
    }
    const text = this.#modified.slice(0, MAX_LINK_TEXT_CHARS);
    this.links.addEntry(location, 'sitemap', text, name === 'sitemap' ? 'sitemap' : '', this.#modified.trim());
  }

  /** Every translation of a page lists all the others, so the same URLs come again and again. */
  #addExtra(href: string, kind: LinkKind, rel: string): void {
    if (href === '' || this.#extras.has(href)) return;
    if (this.#extras.size >= MAX_EXTRA_URLS) {
      this.isCut = true;
      return;
    }
    this.#extras.add(href);
    this.links.add(href, kind, '', rel);
  }
}
