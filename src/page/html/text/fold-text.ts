/** Collects text piece by piece and folds its white space: anchor text, a heading, the visible text of a page. */
import { type DocumentBytes, isTidy } from '../../encoding/document-bytes.ts';

const NOTHING = 0;
const SPACE = 1;
const LINE = 2;
const SEPARATORS = ['', ' ', '\n'] as const;
const NO_BREAK_SPACE = 160;

export class FoldedText {
  readonly #maxChars: number;
  #text = '';
  /** The separator to write before the next word, if there is one. */
  #separator = NOTHING;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get full(): boolean {
    return this.#text.length >= this.#maxChars;
  }

  /** Replaces a run of white space, control codes and no-break spaces with one space. */
  append(source: string): void {
    if (this.full) return;
    const to = source.length;
    let at = 0;
    for (;;) {
      const gapStart = at;
      while (at < to && isGap(source.charCodeAt(at))) at++;
      if (at > gapStart && this.#separator === NOTHING) this.#separator = SPACE;
      if (at >= to) return;
      const start = at;
      while (at < to) {
        const code = source.charCodeAt(at);
        if (code > 32 && code !== NO_BREAK_SPACE) at++;
        else if (code === 32 && at + 1 < to && !isGap(source.charCodeAt(at + 1))) at += 2;
        else break;
      }
      this.#add(source.slice(start, at));
    }
  }

  /** Like `append`, for the text of a document at `from`–`to`, with character references decoded. */
  appendFrom(document: DocumentBytes, from: number, to: number): void {
    if (this.full) return;
    const bytes = document.bytes;
    let start = from;
    let end = to;
    while (start < end && (bytes[start] as number) <= 32) start++;
    while (end > start && (bytes[end - 1] as number) <= 32) end--;
    if (start > from) this.breakWord();
    if (start === end) return;
    const marks = document.marksOf(start, end);
    if (isTidy(marks)) this.#add(document.raw(start, end, marks));
    else this.append(document.text(start, end, marks));
    if (end < to) this.breakWord();
  }

  #add(piece: string): void {
    if (this.#text === '') this.#text = piece;
    else if (this.#separator === NOTHING) this.#text += piece;
    else this.#text += (SEPARATORS[this.#separator] as string) + piece;
    this.#separator = NOTHING;
  }

  breakWord(): void {
    if (this.#separator === NOTHING) this.#separator = SPACE;
  }

  breakLine(): void {
    this.#separator = LINE;
  }

  /** Returns the collected text and starts again with an empty one. */
  take(): string {
    const text = cut(this.#text, this.#maxChars);
    this.#text = '';
    this.#separator = NOTHING;
    return text;
  }
}

export function foldText(source: string, maxChars: number): string {
  const folded = new FoldedText(maxChars);
  folded.append(source);
  return folded.take();
}

function isGap(code: number): boolean {
  return code <= 32 || code === NO_BREAK_SPACE;
}

/** At most `maxChars`, and never half a surrogate pair. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}
