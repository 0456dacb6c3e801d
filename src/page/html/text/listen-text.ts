/**
 * Who wants the text that comes next: the page's visible text, the open anchor, the open heading. The scan asks
 * `listening` before it looks at text at all, so that a page of which only the links are wanted costs little.
 */
import type { DocumentBytes } from './document-bytes.ts';
import { FoldedText } from './fold-text.ts';
import * as names from './html-names.ts';
import {
  MAX_HEADING_CHARS,
  MAX_HEADINGS,
  MAX_LINK_TEXT_CHARS,
  type PageLink,
  type ParsedPage,
  type ParseOptions,
} from './parsed-page.ts';

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
  /** The element that hides the text we are in (0: none), and how many of its name are open. */
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

  /** Text as written at `from`–`to`. */
  add(from: number, to: number): void {
    const document = this.#document;
    if (this.#wantText && this.#hiddenBy === 0) this.#text.appendFrom(document, from, to);
    if (this.#headingLevel !== 0) this.#headingText.appendFrom(document, from, to);
    if (this.#anchor === null || this.#anchorText.full) return;
    this.#anchorText.appendFrom(document, from, to);
    if (this.#anchorText.full) this.#update();
  }

  /** Text in which `&` means nothing. */
  addRaw(from: number, to: number): void {
    const text = this.#document.raw(from, to);
    if (this.#wantText && this.#hiddenBy === 0) this.#text.append(text);
    if (this.#headingLevel !== 0) this.#headingText.append(text);
    if (this.#anchor !== null) this.#anchorText.append(text);
  }

  /** A start tag: a new line, a new word, or the end of being visible. */
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

  /** Blocks are lines, or words in a link and a heading; cells are words. */
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

  /** An image inside a link speaks for it with its alt. */
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
