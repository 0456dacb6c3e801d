/**
 * Passes text to two collectors: the words of the page (`WordCollector`) and the text around its links. It is
 * separate from listen-text.ts because it costs the scan less: it is told only about the few elements that decide
 * whether text is visible and is content, and where blocks end.
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
import type { WordCollector } from './collect-words.ts';
import { isGap } from './word-gap.ts';

const MAIN = names.TAGS.id('main');
const SPACE = 32;

export class ContentListener {
  readonly #document: DocumentBytes;
  readonly #words: WordCollector | null;
  readonly #around: AroundText | null;
  readonly #ampersand: NextOccurrence;
  readonly #invisible = new Enclosure();
  readonly #beside = new Enclosure();
  listening: boolean;

  constructor(document: DocumentBytes, options: ParseOptions) {
    this.#document = document;
    this.#words = options.words ?? null;
    this.#words?.open(document.bytes);
    this.#around = options.wantAround === true ? new AroundText(document) : null;
    this.#ampersand = new NextOccurrence(document.chars, '&');
    this.listening = this.#words !== null || this.#around !== null;
  }

  /** Adds the source text at `from`–`to`. */
  add(from: number, to: number): void {
    this.#around?.add(from, to);
    if (this.#words !== null && !this.#beside.inside) this.#addWords(this.#words, from, to);
  }

  #addWords(words: WordCollector, from: number, to: number): void {
    const { bytes, chars } = this.#document;
    let start = from;
    // About half of the texts are white space between two tags.
    while (start < to && (bytes[start] as number) <= SPACE) start++;
    if (start === to) return;
    // Most texts have no reference.
    for (let at = this.#ampersand.from(start); at < to; at = this.#ampersand.from(start)) {
      const end = referenceEnd(bytes, at, to);
      const decoded = decodeReference(chars.slice(at, end));
      if (isGap(decoded)) {
        words.add(start, at);
        words.addGap(decoded);
      } else {
        words.addPart(bytes, start, at);
        words.addPart(decoded, 0, decoded.length);
      }
      start = end;
    }
    words.add(start, to);
    words.endText();
  }

  /** Called at a tag that begins a new line of visible text. */
  endBlock(): void {
    this.#words?.endBlock();
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
    this.#words?.startLink();
  }

  endLink(): void {
    this.#around?.endLink();
    this.#words?.endLink();
  }

  finish(): void {
    this.#around?.finish();
    this.#words?.endBlock();
    this.#words?.finish();
  }

  #update(): void {
    const wanted = this.#around !== null || !this.#beside.inside;
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
