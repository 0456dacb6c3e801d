/**
 * Who wants the text that comes next: the page's visible text, the open anchor, the open heading. The scan asks
 * `listening` before it looks at text at all, so that a page of which only the links are wanted costs little.
 */
import { FoldedText } from './fold-text.ts';
import * as names from './html-names.ts';
import { NextOccurrence } from './next-occurrence.ts';
import { MAX_HEADING_CHARS, MAX_HEADINGS, MAX_LINK_TEXT_CHARS, type PageLink, type ParsedPage } from './parsed-page.ts';
import { decodeText } from './references.ts';

export class TextListener {
  readonly #html: string;
  readonly #page: ParsedPage;
  readonly #wantText: boolean;
  readonly #ampersand: NextOccurrence;
  readonly #text = new FoldedText(Number.POSITIVE_INFINITY);
  readonly #anchorText = new FoldedText(MAX_LINK_TEXT_CHARS);
  readonly #headingText = new FoldedText(MAX_HEADING_CHARS);
  #anchor: PageLink | null = null;
  #headingLevel = 0;
  /** The element that hides the text we are in (0: none), and how many of its name are open. */
  #hiddenBy = 0;
  #hiddenDepth = 0;
  listening: boolean;

  constructor(html: string, page: ParsedPage, wantText: boolean) {
    this.#html = html;
    this.#page = page;
    this.#wantText = wantText;
    this.#ampersand = new NextOccurrence(html, '&');
    this.listening = wantText;
  }

  /** Text as written at `from`–`to`, which is not empty; places only grow. */
  add(from: number, to: number): void {
    if (this.#ampersand.from(from) < to) {
      const decoded = decodeText(this.#html.slice(from, to));
      this.#append(decoded, 0, decoded.length);
    } else this.#append(this.#html, from, to);
  }

  /** Text in which `&` means nothing. */
  addRaw(from: number, to: number): void {
    if (from < to) this.#append(this.#html, from, to);
  }

  #append(source: string, from: number, to: number): void {
    if (this.#wantText && this.#hiddenBy === 0) this.#text.append(source, from, to);
    if (this.#headingLevel !== 0) this.#headingText.append(source, from, to);
    if (this.#anchor === null || this.#anchorText.full) return;
    this.#anchorText.append(source, from, to);
    if (this.#anchorText.full) this.#update();
  }

  /** A start tag: a new line, a new word, or the end of being visible. */
  startTag(id: number, bits: number, hides: boolean, closed: boolean): void {
    this.#separate(bits);
    if (closed) return;
    if (this.#hiddenBy === id) this.#hiddenDepth++;
    else if (this.#hiddenBy === 0 && hides) {
      this.#hiddenBy = id;
      this.#hiddenDepth = 1;
      this.#update();
    }
  }

  endTag(id: number, bits: number): void {
    this.#separate(bits);
    if (id !== this.#hiddenBy || --this.#hiddenDepth > 0) return;
    this.#hiddenBy = 0;
    this.#update();
  }

  #separate(bits: number): void {
    if (bits & names.BLOCK) {
      this.#text.breakLine();
      this.#anchorText.breakWord();
      this.#headingText.breakWord();
    } else if (bits & names.SPACED) this.#text.breakWord();
  }

  startAnchor(link: PageLink | null): void {
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
    this.#anchorText.append(alt, 0, alt.length);
    this.#anchorText.breakWord();
  }

  startHeading(level: number): void {
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
