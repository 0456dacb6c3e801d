/**
 * Collects the visible text around each anchor, for a crawl that judges links by their topic. The scan
 * records only the positions of text. The text is read at the end of the page, when the text after each
 * anchor is known too. Created only if a caller wants it.
 */
import type { DocumentBytes } from '../../encoding/document-bytes.ts';
import { AROUND_SIDE_CHARS, type PageLink } from '../../parsed-page.ts';
import { foldText } from './fold-text.ts';

/**
 * Maximum bytes read from one piece of text. This is enough for one side of a link in any script, references included.
 */
const MAX_PIECE_BYTES = 600;
/**
 * Maximum pieces read for one side of a link. Without this limit, on a page that consists only of tags and links, each
 * link would cost as much as the whole scan.
 */
const MAX_PIECES = 20;

export class AroundText {
  readonly #document: DocumentBytes;
  /** Start and end positions of the pieces of text. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** Each link, and the number of pieces before its start and before its end. */
  readonly #links: PageLink[] = [];
  readonly #before: number[] = [];
  readonly #inside: number[] = [];

  constructor(document: DocumentBytes) {
    this.#document = document;
  }

  add(from: number, to: number): void {
    const { bytes } = this.#document;
    let start = from;
    while (start < to && (bytes[start] as number) <= 32) start++;
    if (start === to) return;
    this.#starts.push(start);
    this.#ends.push(to);
  }

  startLink(link: PageLink): void {
    this.#links.push(link);
    this.#before.push(this.#starts.length);
    this.#inside.push(Number.POSITIVE_INFINITY);
  }

  /** Ends the last link, unless it has ended already. */
  endLink(): void {
    const last = this.#links.length - 1;
    if (last >= 0 && this.#inside[last] === Number.POSITIVE_INFINITY) this.#inside[last] = this.#starts.length;
  }

  finish(): void {
    this.endLink();
    for (const [index, link] of this.#links.entries()) {
      const before = this.#textBefore(this.#before[index] as number);
      const after = this.#textAfter(this.#inside[index] as number);
      link.around = before === '' || after === '' ? before + after : `${before} ${after}`;
    }
  }

  #textBefore(pieces: number): string {
    let text = '';
    const first = Math.max(0, pieces - MAX_PIECES);
    for (let piece = pieces - 1; piece >= first && text.length < AROUND_SIDE_CHARS; piece--) {
      const end = this.#ends[piece] as number;
      const start = this.#startNear(this.#starts[piece] as number, end);
      text = foldText(`${this.#document.text(start, end)} ${text}`, Number.POSITIVE_INFINITY);
    }
    if (text.length <= AROUND_SIDE_CHARS) return text;
    // Begin at the first whole word, if there is one.
    const cut = text.length - AROUND_SIDE_CHARS;
    const word = text.indexOf(' ', cut - 1) + 1;
    return text.slice(word === 0 ? cut : word).toWellFormed();
  }

  #textAfter(pieces: number): string {
    let text = '';
    const end = Math.min(this.#starts.length, pieces + MAX_PIECES);
    for (let piece = pieces; piece < end && text.length < AROUND_SIDE_CHARS; piece++) {
      const start = this.#starts[piece] as number;
      const near = Math.min(this.#ends[piece] as number, start + MAX_PIECE_BYTES);
      text = foldText(`${text} ${this.#document.text(start, near)}`, AROUND_SIDE_CHARS);
    }
    return text.trimEnd();
  }

  /**
   * The position from which the end of a long piece is read. It is at white space
   * if possible, and never inside a letter.
   */
  #startNear(start: number, end: number): number {
    if (end - start <= MAX_PIECE_BYTES) return start;
    const { bytes } = this.#document;
    const near = end - MAX_PIECE_BYTES;
    for (let at = near; at < end - MAX_PIECE_BYTES / 2; at++) if ((bytes[at] as number) <= 32) return at;
    let at = near;
    while (at < end && ((bytes[at] as number) & 0xc0) === 0x80) at++;
    return at;
  }
}
