/**
 * Reads links and facts of the page (language, base, canonical, description, robots) from single elements. Each element
 * needs only its own attributes, never the tree.
 */

import type { LinkList } from '../link-list.ts';
import {
  MAX_DESCRIPTION_CHARS,
  MAX_LINK_TEXT_CHARS,
  MAX_META_ROBOTS,
  MAX_TITLE_CHARS,
  type PageLink,
  type ParsedPage,
  type ParseOptions,
} from '../parsed-page.ts';
import { CLASS_OF_KIND, type LinkKind } from '../reference-kinds.ts';
import { ATTRIBUTES, TAGS } from './html-names.ts';
import { kindOfRel } from './link-rel.ts';
import { parseMetaRefresh } from './refresh.ts';
import { type TagScanner, trimUrl } from './scan-tag.ts';
import { splitSrcset } from './srcset.ts';
import { foldText } from './text/fold-text.ts';

const HREF = ATTRIBUTES.id('href');
const XLINK_HREF = ATTRIBUTES.id('xlink:href');
const SRC = ATTRIBUTES.id('src');
const SRCSET = ATTRIBUTES.id('srcset');
const IMAGESRCSET = ATTRIBUTES.id('imagesrcset');
const REL = ATTRIBUTES.id('rel');
const ALT = ATTRIBUTES.id('alt');
const TITLE = ATTRIBUTES.id('title');
const TYPE = ATTRIBUTES.id('type');
const DATA = ATTRIBUTES.id('data');
const POSTER = ATTRIBUTES.id('poster');
const CONTENT = ATTRIBUTES.id('content');
const NAME = ATTRIBUTES.id('name');
const PROPERTY = ATTRIBUTES.id('property');
const HTTP_EQUIV = ATTRIBUTES.id('http-equiv');
const LANG = ATTRIBUTES.id('lang');
const XML_LANG = ATTRIBUTES.id('xml:lang');
const SRCDOC = ATTRIBUTES.id('srcdoc');

const MAX_SRCSET_URLS = 100;

export class ElementReader {
  readonly #tag: TagScanner;
  readonly #links: LinkList;
  readonly #page: ParsedPage;
  readonly #wantAnchors: boolean;
  readonly #readers: readonly (Reader | undefined)[];
  /** The documents in `srcdoc` attributes. */
  readonly inner: string[] = [];
  #socialTitle = '';
  #socialDescription = '';
  #contentLanguage = '';

  constructor(tag: TagScanner, links: LinkList, page: ParsedPage, options: ParseOptions) {
    this.#tag = tag;
    this.#links = links;
    this.#page = page;
    this.#wantAnchors = options.wantAnchors !== false;
    this.#readers = options.classes === undefined ? READERS : DOCUMENT_READERS;
  }

  /** The link of an `<a>`. Its text follows later. */
  anchor(): PageLink | null {
    const href = this.#tag.url(HREF) ?? this.#tag.url(XLINK_HREF);
    return href === null ? null : this.#links.add(href, 'a', '', this.#tag.value(REL) ?? '');
  }

  /** Reads any other element that has attributes to read. */
  element(id: number): void {
    this.#readers[id]?.(this);
  }

  image(): void {
    const text = this.alt();
    this.source('img', SRC, text);
    this.sources('img', SRCSET, text);
  }

  svgImage(): void {
    this.source('img', SRC, '');
    this.source('img', this.#tag.has(HREF) ? HREF : XLINK_HREF, '');
  }

  alt(): string {
    return this.#linkText(ALT);
  }

  #linkText(attribute: number): string {
    const text = this.#wantAnchors ? this.#tag.value(attribute) : null;
    return text === null || text === '' ? '' : foldText(text, MAX_LINK_TEXT_CHARS);
  }

  area(): void {
    const href = this.#tag.url(HREF);
    if (href !== null) this.#links.add(href, 'area', this.alt(), this.#tag.value(REL) ?? '');
  }

  source(kind: LinkKind, attribute: number, text: string): void {
    const href = this.#tag.url(attribute);
    if (href !== null && href !== '') this.#links.add(href, kind, text, '');
  }

  sources(kind: LinkKind, attribute: number, text: string): void {
    const srcset = this.#tag.value(attribute);
    if (srcset === null) return;
    for (const href of splitSrcset(srcset, MAX_SRCSET_URLS)) this.#links.add(href, kind, text, '');
  }

  base(): void {
    this.#page.base ??= this.#tag.url(HREF);
  }

  html(): void {
    if (this.#page.language === '')
      this.#page.language = (this.#tag.value(LANG) ?? this.#tag.value(XML_LANG) ?? '').trim();
  }

  link(): void {
    const href = this.#tag.url(HREF);
    if (href === null || href === '') return;
    const rel = this.#tag.value(REL) ?? '';
    const kind = kindOfRel(rel.toLowerCase(), this.#tag.value(TYPE) ?? '');
    if (kind === 'canonical') this.#page.canonical ??= href;
    if (kind === null || (this.#readers === DOCUMENT_READERS && CLASS_OF_KIND[kind] !== 'document')) return;
    this.#links.add(href, kind, this.#linkText(TITLE), rel);
  }

  iframe(): void {
    this.source('iframe', SRC, '');
    const inner = this.#tag.value(SRCDOC);
    if (inner !== null) this.inner.push(inner);
  }

  meta(): void {
    const content = this.#tag.value(CONTENT);
    if (content === null) return;
    const name = (this.#tag.value(NAME) ?? this.#tag.value(PROPERTY) ?? '').trim().toLowerCase();
    if (name !== '') this.#namedMeta(name, content);
    const equivalent = this.#tag.value(HTTP_EQUIV)?.trim().toLowerCase();
    if (equivalent === 'refresh') {
      const href = parseMetaRefresh(content);
      if (href !== null && href !== '') this.#links.add(trimUrl(href), 'meta-refresh', '', '');
    } else if (equivalent === 'content-language' && this.#contentLanguage === '')
      this.#contentLanguage = content.trim();
  }

  #namedMeta(name: string, content: string): void {
    const page = this.#page;
    if (name === 'description') {
      if (page.description === '') page.description = foldText(content, MAX_DESCRIPTION_CHARS);
    } else if (name === 'og:title') {
      if (this.#socialTitle === '') this.#socialTitle = foldText(content, MAX_TITLE_CHARS);
    } else if (name === 'og:description') {
      if (this.#socialDescription === '') this.#socialDescription = foldText(content, MAX_DESCRIPTION_CHARS);
    } else if (name === 'robots' || name === 'orbweaver' || name.endsWith('bot')) {
      if (page.metaRobots.length < MAX_META_ROBOTS) page.metaRobots.push({ name, content });
    }
  }

  /**
   * Uses the Open Graph title and description and the content-language for facts
   * that the page does not state otherwise.
   */
  finish(): void {
    const page = this.#page;
    if (page.title === '') page.title = this.#socialTitle;
    if (page.description === '') page.description = this.#socialDescription;
    if (page.language === '') page.language = this.#contentLanguage;
  }
}

type Reader = (reader: ElementReader) => void;

const READERS: (Reader | undefined)[] = [];
const READER_OF: Record<string, Reader> = {
  area: (reader) => reader.area(),
  base: (reader) => reader.base(),
  html: (reader) => reader.html(),
  link: (reader) => {
    reader.sources('img', IMAGESRCSET, '');
    reader.link();
  },
  meta: (reader) => reader.meta(),
  img: (reader) => reader.image(),
  image: (reader) => reader.svgImage(),
  input: (reader) => reader.source('img', SRC, reader.alt()),
  iframe: (reader) => reader.iframe(),
  frame: (reader) => reader.source('frame', SRC, ''),
  script: (reader) => reader.source('script', SRC, ''),
  embed: (reader) => reader.source('embed', SRC, ''),
  object: (reader) => reader.source('embed', DATA, ''),
  audio: (reader) => reader.source('media', SRC, ''),
  track: (reader) => reader.source('media', SRC, ''),
  video: (reader) => {
    reader.source('media', SRC, '');
    reader.source('img', POSTER, '');
  },
  source: (reader) => {
    reader.source('media', SRC, '');
    reader.sources('img', SRCSET, '');
  },
};
for (const [name, reader] of Object.entries(READER_OF)) READERS[TAGS.id(name)] = reader;

/** The readers of a crawl that follows documents, or reads assets in a pass of their own. */
const DOCUMENT_READERS: (Reader | undefined)[] = [];
for (const name of ['area', 'base', 'html', 'meta', 'iframe', 'frame']) {
  DOCUMENT_READERS[TAGS.id(name)] = READER_OF[name];
}
DOCUMENT_READERS[TAGS.id('link')] = (reader) => reader.link();
