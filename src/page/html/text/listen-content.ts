/**
 * Who wants to know what a page says and where: its content (content-text.ts) and the text around its links. Beside
 * listen-text.ts, since it asks less of the scan: it hears only of the few elements that change where we are.
 *
 * Content is visible text outside `<nav> <header> <footer> <aside>`, in svg and math none. A `<main>` ends those, in case an
 * end tag is missing. The attribute `hidden` is not looked for: reading every tag's attributes would cost more than the rest.
 */
import { AroundText } from './around-text.ts';
import type { ContentText } from './content-text.ts';
import type { DocumentBytes } from './document-bytes.ts';
import * as names from './html-names.ts';
import { NextOccurrence } from './next-occurrence.ts';
import type { PageLink, ParseOptions } from './parsed-page.ts';
import { decodeReference, referenceEnd } from './references.ts';

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

  /** Text as written at `from`–`to`. */
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

  /** A start tag that is INVISIBLE or BESIDE. */
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

/** Whether we are inside an element of some kind: the outermost one, and how many of its name are open. */
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
