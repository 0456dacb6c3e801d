/**
 * Reads RSS 0.9–2.0, RDF and Atom feeds (json-feed.ts reads JSON Feed). Each entry is a link of kind 'feed' with its
 * title as text. The page to which the feed belongs is also a link of kind 'feed'. Enclosures of entries are 'media',
 * and further pages of the feed are 'pagination'.
 */
import type { DocumentBytes } from '../encoding/document-bytes.ts';
import { ATTRIBUTES } from '../html/html-names.ts';
import { type TagScanner, trimUrl } from '../html/scan-tag.ts';
import { foldText } from '../html/text/fold-text.ts';
import { LinkList } from '../link-list.ts';
import { MAX_DESCRIPTION_CHARS, MAX_LINK_TEXT_CHARS, MAX_TITLE_CHARS, type ParsedPage } from '../parsed-page.ts';
import { scanXml, type XmlHandler } from './scan-xml.ts';

const HREF = ATTRIBUTES.id('href');
const URL_ATTRIBUTE = ATTRIBUTES.id('url');
const REL = ATTRIBUTES.id('rel');
const IS_PERMALINK = ATTRIBUTES.id('ispermalink');
const RDF_ABOUT = ATTRIBUTES.id('rdf:about');
const XML_LANG = ATTRIBUTES.id('xml:lang');

/** Element names in Atom and in the RSS modules. The time of the update is preferred to the time of publication. */
const UPDATED: ReadonlySet<string> = new Set(['updated', 'modified']);
const PUBLISHED: ReadonlySet<string> = new Set(['pubdate', 'published', 'issued', 'date']);

export function readFeed(document: DocumentBytes, page: ParsedPage, maxLinks: number): void {
  const reader = new FeedReader(page, maxLinks);
  scanXml(document, reader);
  // Feeds list the newest entry first.
  reader.links.placeByOrder();
  page.links = reader.links.links;
  page.linksTruncated = reader.links.truncated;
}

class FeedReader implements XmlHandler {
  readonly entries = ['item', 'entry'];
  readonly links: LinkList;
  readonly #page: ParsedPage;
  #entryLink = '';
  #entryGuid = '';
  #entryTitle = '';
  #entryModified = '';
  #guidIsLink = true;

  constructor(page: ParsedPage, maxLinks: number) {
    this.#page = page;
    this.links = new LinkList(maxLinks);
  }

  get done(): boolean {
    return this.links.truncated;
  }

  open(name: string, parent: string, tag: TagScanner): void {
    if (parent === '' && this.#page.language === '') this.#page.language = tag.value(XML_LANG) ?? '';
    if (name === 'item' || name === 'entry') {
      this.#entryLink = '';
      // In RSS 1.0 an item is named by its URL.
      const about = tag.url(RDF_ABOUT) ?? '';
      this.#entryGuid = isWebUrl(about) ? about : '';
      this.#entryTitle = '';
      this.#entryModified = '';
    } else if (name === 'link') this.#openLink(parent, tag);
    else if (name === 'guid') this.#guidIsLink = tag.value(IS_PERMALINK)?.trim().toLowerCase() !== 'false';
    else if (isEntry(parent) || parent === 'group') {
      // Media RSS: an entry has files and thumbnails, alone or in a group.
      if (name === 'enclosure' || name === 'content') this.#add(tag.url(URL_ATTRIBUTE), 'media', '');
      else if (name === 'thumbnail') this.#add(tag.url(URL_ATTRIBUTE), 'img', '');
    }
  }

  /** The link element of Atom, which RSS feeds also use. Its rel attribute gives its meaning. */
  #openLink(parent: string, tag: TagScanner): void {
    const href = tag.url(HREF);
    if (href === null || href === '') return;
    const rel = (tag.value(REL) ?? 'alternate').trim().toLowerCase();
    if (rel === 'enclosure') this.#add(href, 'media', rel);
    else if (rel === 'next' || rel === 'prev' || rel === 'previous') this.#add(href, 'pagination', rel);
    else if (rel !== 'alternate') return;
    else if (isFeed(parent)) this.#add(href, 'feed', '');
    else if (isEntry(parent) && this.#entryLink === '') this.#entryLink = href;
  }

  close(name: string, parent: string, text: string): void {
    if (name === 'item' || name === 'entry') {
      const href = this.#entryLink !== '' ? this.#entryLink : this.#entryGuid;
      if (href !== '') this.links.addEntry(href, 'feed', this.#entryTitle, '', this.#entryModified);
    } else if (isEntry(parent)) this.#closeInEntry(name, text);
    else if (isFeed(parent)) this.#closeInFeed(name, text);
  }

  #closeInEntry(name: string, text: string): void {
    if (name === 'title') {
      if (this.#entryTitle === '') this.#entryTitle = foldText(text, MAX_LINK_TEXT_CHARS);
    } else if (name === 'link' && text !== '' && this.#entryLink === '') this.#entryLink = trimUrl(text);
    else if (UPDATED.has(name)) this.#entryModified = text.trim();
    else if (PUBLISHED.has(name) && this.#entryModified === '') this.#entryModified = text.trim();
    else if (name === 'guid' && this.#guidIsLink && isWebUrl(text)) this.#entryGuid = trimUrl(text);
  }

  #closeInFeed(name: string, text: string): void {
    const page = this.#page;
    if (name === 'title') {
      if (page.title === '') page.title = foldText(text, MAX_TITLE_CHARS);
    } else if (name === 'description' || name === 'subtitle') {
      if (page.description === '') page.description = foldText(text, MAX_DESCRIPTION_CHARS);
    } else if (name === 'language') {
      if (page.language === '') page.language = text;
    } else if (name === 'link' && text !== '') this.#add(trimUrl(text), 'feed', '');
  }

  #add(href: string | null, kind: 'feed' | 'img' | 'media' | 'pagination', rel: string): void {
    if (href !== null && href !== '') this.links.add(href, kind, '', rel);
  }
}

function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

function isEntry(name: string): boolean {
  return name === 'item' || name === 'entry';
}

function isFeed(name: string): boolean {
  return name === 'channel' || name === 'feed';
}
