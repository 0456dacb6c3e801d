/**
 * Passes text to its collectors: the visible text of the page, the open anchor, the open heading. The scan checks
 * `listening` before it looks at text, so that a page costs little if only its links are wanted.
 */
import type { DocumentBytes } from '../../encoding/document-bytes.ts';
import {
  MAX_HEADING_CHARS,
  MAX_HEADINGS,
  MAX_LINK_TEXT_CHARS,
  type PageLink,
  type ParsedPage,
  type ParseOptions,
} from '../../parsed-page.ts';
import * as names from '../html-names.ts';
import { FoldedText } from './fold-text.ts';

export class TextListener {
  readonly #document: DocumentBytes;
  readonly #page: ParsedPage;
  readonly #wantText: boolean;
  readonly #wantAnchors: boolean;
  readonly #text = new FoldedText(Number.POSITIVE_INFINITY);
  readonly #anchorText = new FoldedText(MAX_LINK_TEXT_CHARS);
  readonly #headingText = new FoldedText(MAX_HEADING_CHARS);
  #anchor: PageLink | null = null;
  #headingLevel = 0;
  /** The element that hides the current text (0: none), and how many elements of that name are open. */
  #hiddenBy = 0;
  #hiddenDepth = 0;
  listening: boolean;

  constructor(document: DocumentBytes, page: ParsedPage, options: ParseOptions) {
    this.#document = document;
    this.#page = page;
    this.#wantText = options.wantText;
    this.#wantAnchors = options.wantAnchors !== false;
    this.listening = options.wantText;
  }

  /** Adds the source text at `from`–`to`. */
  add(from: number, to: number): void {
    const document = this.#document;
    if (this.#wantText && this.#hiddenBy === 0) this.#text.appendFrom(document, from, to);
    if (this.#headingLevel !== 0) this.#headingText.appendFrom(document, from, to);
    if (this.#anchor === null || this.#anchorText.full) return;
    this.#anchorText.appendFrom(document, from, to);
    if (this.#anchorText.full) this.#update();
  }

  /** Adds text in which `&` has no special meaning. */
  addRaw(from: number, to: number): void {
    const text = this.#document.raw(from, to);
    if (this.#wantText && this.#hiddenBy === 0) this.#text.append(text);
    if (this.#headingLevel !== 0) this.#headingText.append(text);
    if (this.#anchor !== null) this.#anchorText.append(text);
  }

  /** A start tag may begin a new line, begin a new word, or hide the text that follows. */
  startTag(id: number, bits: number, hides: boolean, closed: boolean): void {
    this.separate(bits);
    if (closed) return;
    if (this.#hiddenBy === id) this.#hiddenDepth++;
    else if (this.#hiddenBy === 0 && hides) {
      this.#hiddenBy = id;
      this.#hiddenDepth = 1;
      this.#update();
    }
  }

  endTag(id: number, bits: number): void {
    this.separate(bits);
    if (id !== this.#hiddenBy || --this.#hiddenDepth > 0) return;
    this.#hiddenBy = 0;
    this.#update();
  }

  /** A block starts a new line, or a new word inside a link or heading. A table cell starts a new word. */
  separate(bits: number): void {
    if (bits & names.BLOCK) {
      this.#text.breakLine();
      this.#anchorText.breakWord();
      this.#headingText.breakWord();
    } else if (bits & names.SPACED) this.#text.breakWord();
  }

  startAnchor(link: PageLink | null): void {
    if (!this.#wantAnchors) return;
    this.#anchor = link;
    this.#update();
  }

  endAnchor(): void {
    if (this.#anchor === null) return;
    this.#anchor.text = this.#anchorText.take();
    this.#anchor = null;
    this.#update();
  }

  get inAnchor(): boolean {
    return this.#anchor !== null;
  }

  /** The alt text of an image inside a link is part of the link text. */
  addAlt(alt: string): void {
    this.#anchorText.breakWord();
    this.#anchorText.append(alt);
    this.#anchorText.breakWord();
  }

  startHeading(level: number): void {
    if (!this.#wantAnchors) return;
    this.endHeading();
    if (this.#page.headings.length >= MAX_HEADINGS) return;
    this.#headingLevel = level;
    this.#update();
  }

  endHeading(): void {
    if (this.#headingLevel === 0) return;
    const text = this.#headingText.take();
    if (text !== '') this.#page.headings.push({ level: this.#headingLevel, text });
    this.#headingLevel = 0;
    this.#update();
  }

  finish(): void {
    this.endAnchor();
    this.endHeading();
    this.#page.text = this.#text.take();
  }

  #update(): void {
    this.listening =
      (this.#wantText && this.#hiddenBy === 0) ||
      (this.#anchor !== null && !this.#anchorText.full) ||
      this.#headingLevel !== 0;
  }
}
