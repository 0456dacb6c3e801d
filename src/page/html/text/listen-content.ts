/**
 * Passes text to two collectors: the content of the page (`ContentText`) and the text around its links. It is
 * separate from listen-text.ts because it costs the scan less: it is told only about the few elements that decide
 * whether text is visible and is content.
 *
 * Content is the visible text outside `<nav> <header> <footer> <aside>`. Text in svg and math is not content. A
 * `<main>` ends these four elements, in case an end tag is missing. The attribute `hidden` is ignored, because reading
 * the attributes of every tag would cost more than the rest.
 */
import type { DocumentBytes } from '../../encoding/document-bytes.ts';
import { decodeReference, referenceEnd } from '../../encoding/references.ts';
import type { PageLink, ParseOptions } from '../../parsed-page.ts';
import * as names from '../html-names.ts';
import { NextOccurrence } from '../skip-markup.ts';
import { AroundText } from './around-text.ts';

const MAIN = names.TAGS.id('main');

export class ContentListener {
  readonly #document: DocumentBytes;
  readonly #content: ContentText | null;
  readonly #around: AroundText | null;
  readonly #ampersand: NextOccurrence;
  readonly #invisible = new Enclosure();
  readonly #beside = new Enclosure();
  listening: boolean;

  constructor(document: DocumentBytes, options: ParseOptions) {
    this.#document = document;
    this.#content = options.content ?? null;
    this.#around = options.wantAround === true ? new AroundText(document) : null;
    this.#ampersand = new NextOccurrence(document.chars, '&');
    this.listening = this.#content !== null || this.#around !== null;
  }

  /** Adds the source text at `from`–`to`. */
  add(from: number, to: number): void {
    this.#around?.add(from, to);
    const content = this.#content;
    if (content === null || content.isFull || this.#beside.inside) return;
    this.#addContent(content, from, to);
    if (content.isFull) this.#update();
  }

  #addContent(content: ContentText, from: number, to: number): void {
    const { bytes, chars } = this.#document;
    let start = from;
    for (let at = this.#ampersand.from(from); at < to; at = this.#ampersand.from(start)) {
      content.append(bytes, start, at);
      start = referenceEnd(bytes, at, to);
      const decoded = decodeReference(chars.slice(at, start));
      content.append(decoded, 0, decoded.length);
    }
    content.append(bytes, start, to);
  }

  /** Called for a start tag that is INVISIBLE or BESIDE. */
  startTag(id: number, bits: number): void {
    if (bits & names.INVISIBLE) this.#invisible.open(id);
    else if (id === MAIN) this.#beside.leave();
    else this.#beside.open(id);
    this.#update();
  }

  endTag(id: number): void {
    this.#invisible.close(id);
    this.#beside.close(id);
    this.#update();
  }

  startLink(link: PageLink | null): void {
    this.#around?.endLink();
    if (link !== null) this.#around?.startLink(link);
  }

  endLink(): void {
    this.#around?.endLink();
  }

  finish(): void {
    this.#around?.finish();
  }

  #update(): void {
    const hasRoom = this.#content !== null && !this.#content.isFull;
    const wanted = this.#around !== null || (hasRoom && !this.#beside.inside);
    this.listening = wanted && !this.#invisible.inside;
  }
}

/**
 * Tracks whether the scan is inside an element of some kind. It stores the outermost such
 * element and how many elements of that name are open.
 */
class Enclosure {
  #by = 0;
  #depth = 0;

  get inside(): boolean {
    return this.#by !== 0;
  }

  open(id: number): void {
    if (this.#by === 0) this.#by = id;
    if (this.#by === id) this.#depth++;
  }

  close(id: number): void {
    if (id === this.#by && --this.#depth === 0) this.#by = 0;
  }

  leave(): void {
    this.#by = 0;
    this.#depth = 0;
  }
}

/**
 * Collects the content of a page: the bytes of its visible text, without elements that are marked
 * as boilerplate. Code that compares pages uses it. Nothing is decoded into a string. One
 * collector is used for many pages and keeps its buffer.
 *
 * What always holds: the content is UTF-8 without character references. Its pieces are separated
 * by a space, also within words where markup or a reference stood. It is not longer than
 * `maxBytes`; if the page has more, `isFull` is true.
 */
export const MAX_CONTENT_BYTES = 1024 * 1024;

const FIRST_BYTES = 16 * 1024;
/** Shorter pieces are copied byte by byte, because a call of `copy` costs as much as 40 bytes. */
const NEAR_BYTES = 40;
const SPACE = 32;

export class ContentText {
  readonly #maxBytes: number;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;
  /** True if the page had more content than was kept. */
  isFull = false;

  constructor(maxBytes = MAX_CONTENT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The content of the last page that was parsed with this collector. Valid until the next page is parsed. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.isFull = false;
  }

  append(source: Buffer, from: number, to: number): void {
    const at = this.#length;
    const length = Math.min(to - from, this.#maxBytes - at - 1);
    if (length < to - from) this.isFull = true;
    if (length <= 0) return;
    if (at + length >= this.#buffer.length) this.#grow(at + length + 1);
    const buffer = this.#buffer;
    if (length > NEAR_BYTES) source.copy(buffer, at, from, from + length);
    else for (let i = 0; i < length; i++) buffer[at + i] = source[from + i] as number;
    buffer[at + length] = SPACE;
    this.#length = at + length + 1;
  }

  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, Math.max(bytes, this.#buffer.length * 2)));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
