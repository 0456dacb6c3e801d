/**
 * One pass over the tags of a page. It collects handlers, inline scripts, links, forms and ids, as written and in
 * document order. No tree is built. What always holds: linear time, no recursion, no throw, and bounded lists.
 */

import { decodeUri } from '../../core/decode-uri.ts';
import type { DocumentBytes } from '../../page/encoding/document-bytes.ts';
import { AttributeReader } from '../../page/html/read-attributes.ts';
import { isLetter } from '../../page/html/scan-tag.ts';
import { MarkupSkipper } from '../../page/html/skip-markup.ts';
import { EVENT_NAMES, type EventName } from '../records.ts';
import { ElementNames } from './element-names.ts';
import { PageForms } from './page-forms.ts';
import { TagNames } from './tag-names.ts';

/** A handler, or an inline script. */
export type Scripted =
  | {
      readonly kind: 'handler';
      readonly event: EventName;
      readonly code: string;
      readonly source: string;
      readonly form: number;
    }
  | { readonly kind: 'script'; readonly code: string };

/** The known facts about an element that a script may refer to. */
export interface KnownElement {
  readonly tag: string;
  readonly form: number;
  readonly isField: boolean;
}

export interface Markup {
  readonly scripted: Scripted[];
  readonly hrefs: string[];
  readonly elements: Map<string, KnownElement>;
  readonly forms: PageForms;
  base: string | null;
  /** Bytes of text outside of forms. */
  textBytes: number;
}

const MAX_HANDLERS = 10_000;
const MAX_HANDLER_CHARS = 8_192;
/** Limit for all handlers and inline scripts together. */
const MAX_SCRIPT_CHARS = 256 * 1024;
const MAX_HREFS = 20_000;
const MAX_IDS = 20_000;
const MAX_ATTRIBUTES_PER_TAG = 10_000;

const NONE: readonly string[] = Object.freeze([]);
const NO_VALUE = (): undefined => undefined;
const MAY_HANDLE = /on(?:load|click|dblclick|mouseover)|javascript:/i;
const FORM_PARTS = new Set(['input', 'textarea', 'select', 'button']);
const RAW_TEXT = new Set(['style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);
/**
 * Matches a type without surrounding white space. A pattern that allows white space at both ends takes quadratic time.
 */
const SCRIPT_TYPES = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma|j)script[\d.]*(?:\s*;.*)?)?$/i;
const LINK_RELATIONS = /(?:^|\s)(?:alternate|canonical|next|prev|previous)(?:\s|$)/i;
const HANDLER_NAMES = new Set<string>(EVENT_NAMES);
const JAVASCRIPT = /^[\u0000-\u0020]*javascript:/i;

/**
 * Most tags follow the previous one within this many bytes. A loop over the bytes is
 * then faster than a call of indexOf.
 */
const NEAR_BYTES = 16;

const BANG = 33;
const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const QUESTION = 63;

export function readMarkup(document: DocumentBytes, isXml: boolean): Markup {
  const reader = new MarkupReader(document, isXml);
  reader.read();
  return reader.markup;
}

class MarkupReader {
  readonly markup: Markup;
  readonly #document: DocumentBytes;
  readonly #isXml: boolean;
  readonly #attributes: AttributeReader;
  readonly #skip: MarkupSkipper;
  readonly #names = new ElementNames();
  readonly #valueOf = (name: string): string | undefined => this.#attributes.value(name);
  readonly #tagNames: TagNames;
  /** Only handlers need the positions of elements, and most pages have no handlers. */
  readonly #countsElements: boolean;
  #foreignDepth = 0;
  #handlersLeft = MAX_HANDLERS;
  #scriptCharsLeft = MAX_SCRIPT_CHARS;

  constructor(document: DocumentBytes, isXml: boolean) {
    this.#document = document;
    this.#isXml = isXml;
    this.#tagNames = new TagNames(document);
    this.#attributes = new AttributeReader(document);
    this.#skip = new MarkupSkipper(document.chars);
    this.#countsElements = MAY_HANDLE.test(document.chars);
    this.markup = { scripted: [], hrefs: [], elements: new Map(), forms: new PageForms(), base: null, textBytes: 0 };
  }

  read(): void {
    const { bytes, chars } = this.#document;
    const { length } = bytes;
    let textStart = 0;
    for (;;) {
      const near = Math.min(length, textStart + NEAR_BYTES);
      let less = textStart;
      while (less < near && bytes[less] !== LESS) less++;
      if (less >= near) less = chars.indexOf('<', near);
      if (less === -1) break;
      if (this.markup.forms.current === -1) this.#countText(textStart, less);
      const isEnd = bytes[less + 1] === SLASH;
      const nameStart = isEnd ? less + 2 : less + 1;
      const code = nameStart < length ? (bytes[nameStart] as number) : 0;
      if (isLetter(code)) textStart = this.#tag(nameStart, isEnd);
      else if (isEnd || code === BANG || code === QUESTION) textStart = this.#nameless(less);
      else textStart = less + 1;
      // The document ends inside a tag, which then does not count.
      if (textStart < 0) break;
    }
    if (textStart >= 0 && this.markup.forms.current === -1) this.#countText(textStart, length);
    this.markup.forms.finish();
  }

  #tag(nameStart: number, isEnd: boolean): number {
    const { bytes } = this.#document;
    const at = this.#tagNames.read(nameStart);
    if (at < 0) return -1;
    const code = bytes[at] as number;
    const after = code === GREATER ? at + 1 : this.#attributes.read(at, MAX_ATTRIBUTES_PER_TAG);
    if (after < 0) return -1;
    const { tag } = this.#tagNames;
    if (isEnd) {
      if (tag === 'form') this.markup.forms.end();
      else if ((tag === 'svg' || tag === 'math') && this.#foreignDepth > 0) this.#foreignDepth--;
      return after;
    }
    const hasAttributes = code !== GREATER && this.#attributes.attributes.length > 0;
    this.#startTag(tag, hasAttributes ? this.#attributes.attributes : NONE);
    // In svg and in XML, `<script/>` and `<title/>` are empty.
    const isClosed = code !== GREATER && this.#attributes.selfClosing && (this.#isXml || this.#foreignDepth > 0);
    if ((tag === 'svg' || tag === 'math') && !isClosed) this.#foreignDepth++;
    if (isClosed) return after;
    if (tag === 'noscript' && this.#foreignDepth === 0) this.#skip.enterNoscript(after);
    if (tag === 'script') return this.#script(after, hasAttributes);
    return RAW_TEXT.has(tag) && this.#foreignDepth === 0 ? this.#skip.rawTextEnd(after, tag) : after;
  }

  #startTag(tag: string, attributes: readonly string[]): void {
    const { forms } = this.markup;
    let id = '';
    let classes = '';
    let owner: string | undefined;
    let href: string | undefined;
    let isEditable = false;
    let hasHandlers = false;
    // Iterates backwards, so that the first of two attributes with the same name counts.
    for (let at = attributes.length - 2; at >= 0; at -= 2) {
      const value = attributes[at + 1] as string;
      switch (attributes[at]) {
        case 'id':
          id = value;
          break;
        case 'class':
          classes = value;
          break;
        case 'form':
          owner = value;
          break;
        case 'href':
          href = value;
          hasHandlers ||= JAVASCRIPT.test(value);
          break;
        case 'contenteditable':
          isEditable = true;
          break;
        default:
          hasHandlers ||= HANDLER_NAMES.has(attributes[at] as string);
      }
    }
    if (this.#countsElements) this.#names.count(tag, classes);
    const attributeOf = attributes === NONE ? NO_VALUE : this.#valueOf;
    let isField = false;
    if (tag === 'form') forms.start(attributeOf);
    else if (isEditable || FORM_PARTS.has(tag)) isField = forms.element(tag, attributeOf);
    if (attributes === NONE) return;
    const form = owner === undefined || tag === 'form' ? forms.current : forms.formCalled(owner);
    if (id !== '' && this.markup.elements.size < MAX_IDS && !this.markup.elements.has(id))
      this.markup.elements.set(id, { tag, form, isField });
    this.#links(tag, href);
    // A crawler must not do what a person does in a form field.
    if (hasHandlers && !isField) this.#handlers(tag, id, classes, form);
  }

  #links(tag: string, href: string | undefined): void {
    const { hrefs } = this.markup;
    const isFrame = tag === 'iframe' || tag === 'frame';
    const address = isFrame ? this.#attributes.value('src') : href;
    if (address === undefined) return;
    if (tag === 'base') this.markup.base ??= address;
    const isLink = isFrame || tag === 'a' || tag === 'area' || (tag === 'link' && this.#leadsToPage());
    if (isLink && hrefs.length < MAX_HREFS) hrefs.push(address);
  }

  #leadsToPage(): boolean {
    return LINK_RELATIONS.test(this.#attributes.value('rel') ?? '');
  }

  #handlers(tag: string, id: string, classes: string, form: number): void {
    const { attributes } = this.#attributes;
    let source = '';
    for (let at = 0; at < attributes.length && this.#handlersLeft > 0; at += 2) {
      const name = attributes[at] as string;
      let event = name;
      let code = attributes[at + 1] as string;
      if (name === 'href' && JAVASCRIPT.test(code)) {
        event = 'onclick';
        // A `javascript:` URL is percent-decoded before it is run.
        code = code.replace(JAVASCRIPT, '');
        code = decodeUri(code) ?? code;
      } else if (!HANDLER_NAMES.has(name) || attributes.indexOf(name) < at) continue;
      if (code.length > MAX_HANDLER_CHARS || code.length > this.#scriptCharsLeft) continue;
      source ||= this.#names.nameOf(tag, id, classes);
      this.#scriptCharsLeft -= code.length;
      this.#handlersLeft--;
      this.markup.scripted.push({ kind: 'handler', event: event as EventName, code, source, form });
    }
  }

  #script(from: number, hasAttributes: boolean): number {
    const end = this.#skip.scriptEnd(from);
    const attributeOf = hasAttributes ? this.#valueOf : NO_VALUE;
    const isInline = attributeOf('src') === undefined && SCRIPT_TYPES.test(attributeOf('type')?.trim() ?? '');
    if (isInline && end - from > 0 && end - from <= this.#scriptCharsLeft) {
      this.#scriptCharsLeft -= end - from;
      this.markup.scripted.push({ kind: 'script', code: this.#document.raw(from, end) });
    }
    return end;
  }

  /** The offset after a comment, a doctype, CDATA, or a bogus comment. */
  #nameless(less: number): number {
    const { chars } = this.#document;
    if (chars.startsWith('<!--', less)) return this.#skip.afterComment(less);
    const isCdata = (this.#isXml || this.#foreignDepth > 0) && chars.startsWith('<![CDATA[', less);
    return isCdata ? this.#skip.afterCdata(less) : this.#skip.afterGreater(less + 2);
  }

  /** White space alone is not text. */
  #countText(from: number, to: number): void {
    const { bytes } = this.#document;
    let start = from;
    while (start < to && (bytes[start] as number) <= 32) start++;
    this.markup.textBytes += to - start;
  }
}
