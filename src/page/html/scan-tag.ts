/**
 * Scans the attributes of one tag. One loop implements the tokenizer states of the HTML standard, 13.2.5.32–40, from
 * "before attribute name" on. Quoted values are skipped with indexOf.
 */
import { type DocumentBytes, isVerbatim, MARKS } from '../encoding/document-bytes.ts';
import { ATTRIBUTE_NAMES, ATTRIBUTES, hashStep } from './html-names.ts';

const TAB = 9;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;

// Classes of bytes that end a name or an unquoted value. One table look-up replaces six comparisons.
const WHITE = 1;
const ENDS_NAME = 2;
const ENDS_TAG_NAME = 4;
const CLASSES = new Uint8Array(256);
for (const code of [TAB, 10, 12, 13, SPACE]) CLASSES[code] = WHITE | ENDS_NAME | ENDS_TAG_NAME;
for (const code of [SLASH, GREATER]) CLASSES[code] = ENDS_NAME | ENDS_TAG_NAME;
CLASSES[EQUALS] = ENDS_NAME;

export function isWhite(code: number): boolean {
  return code <= SPACE && (CLASSES[code] as number) !== 0;
}

export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 97 && lower <= 122;
}

/** Whether this byte ends a tag name: white space, `/` or `>`. */
export function endsTagName(code: number): boolean {
  return ((CLASSES[code] as number) & ENDS_TAG_NAME) !== 0;
}

/** Most values end within this many bytes. Checking each byte is then faster than calling indexOf. */
const NEAR_BYTES = 12;
const NO_ATTRIBUTES = ATTRIBUTE_NAMES.map(() => 0);

export class TagScanner {
  readonly #document: DocumentBytes;
  readonly #bytes: Buffer;
  // Copies of plain arrays. Each page needs new arrays, and these are faster to create than typed arrays.
  readonly #starts = NO_ATTRIBUTES.slice();
  readonly #ends = NO_ATTRIBUTES.slice();
  readonly #marks = NO_ATTRIBUTES.slice();
  /**
   * The number of the tag in which an attribute was last seen. With it, the arrays need not be cleared for every tag.
   */
  readonly #seenIn = NO_ATTRIBUTES.slice();
  #tag = 0;
  selfClosing = false;

  constructor(document: DocumentBytes) {
    this.#document = document;
    this.#bytes = document.bytes;
  }

  /**
   * Reads from the end of a tag's name to the position after its `>`, and returns that position. Returns -1 if the
   * document ends first; then there is no tag at all. With `keep`, the attributes can be read afterwards.
   */
  scan(from: number, keep: boolean): number {
    const bytes = this.#bytes;
    const classes = CLASSES;
    const markOf = MARKS;
    const length = bytes.length;
    this.#tag++;
    this.selfClosing = false;
    let at = from;
    for (;;) {
      // Before an attribute name.
      let code = 0;
      for (; ; at++) {
        if (at >= length) return -1;
        code = bytes[at] as number;
        if (code !== SLASH && ((classes[code] as number) & WHITE) === 0) break;
      }
      if (code === GREATER) {
        this.selfClosing = at > from && bytes[at - 1] === SLASH;
        return at + 1;
      }

      // The name. Its first byte always belongs to the name, even `=` or a quote.
      const nameStart = at;
      let hash = 0;
      do {
        hash = hashStep(hash, code);
        if (++at >= length) return -1;
        code = bytes[at] as number;
      } while (((classes[code] as number) & ENDS_NAME) === 0);
      const nameEnd = at;
      // 0 if the attribute is not one that the program reads.
      const id = keep ? ATTRIBUTES.find(bytes, nameStart, nameEnd, hash) : 0;
      while (((classes[code] as number) & WHITE) !== 0) {
        if (++at >= length) return -1;
        code = bytes[at] as number;
      }

      // The value.
      let valueStart = nameEnd;
      let valueEnd = nameEnd;
      let marks = 0;
      if (code === EQUALS) {
        do {
          if (++at >= length) return -1;
          code = bytes[at] as number;
        } while (((classes[code] as number) & WHITE) !== 0);
        valueStart = at;
        if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
          valueStart = at + 1;
          if (keep) {
            for (valueEnd = valueStart; valueEnd < length; valueEnd++) {
              const inside = bytes[valueEnd] as number;
              if (inside === code) break;
              marks |= markOf[inside] as number;
            }
            if (valueEnd >= length) return -1;
          } else {
            valueEnd = this.#quoteEnd(valueStart, code);
            if (valueEnd < 0) return -1;
          }
          at = valueEnd + 1;
        } else {
          while (code !== GREATER && ((classes[code] as number) & WHITE) === 0) {
            marks |= markOf[code] as number;
            if (++at >= length) return -1;
            code = bytes[at] as number;
          }
          valueEnd = at;
          // `<a href=/x/>`: the slash belongs to the value, so it does not close the tag.
          if (code === GREATER) {
            if (id !== 0) this.#remember(id, valueStart, valueEnd, marks);
            return at + 1;
          }
        }
      }
      if (id !== 0) this.#remember(id, valueStart, valueEnd, marks);
    }
  }

  #quoteEnd(from: number, quote: number): number {
    const bytes = this.#bytes;
    const near = Math.min(bytes.length, from + NEAR_BYTES);
    for (let at = from; at < near; at++) if (bytes[at] === quote) return at;
    return this.#document.chars.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", near);
  }

  #remember(id: number, valueStart: number, valueEnd: number, marks: number): void {
    // If an attribute occurs twice, the first one counts.
    if (this.#seenIn[id] === this.#tag) return;
    this.#seenIn[id] = this.#tag;
    this.#starts[id] = valueStart;
    this.#ends[id] = valueEnd;
    this.#marks[id] = marks;
  }

  /** Where the value is written. Only for an attribute that the last scanned tag has. */
  startOf(id: number): number {
    return this.#starts[id] as number;
  }

  endOf(id: number): number {
    return this.#ends[id] as number;
  }

  has(id: number): boolean {
    return this.#seenIn[id] === this.#tag;
  }

  /** The value with its character references decoded. Null if the last scanned tag does not have this attribute. */
  value(id: number): string | null {
    if (this.#seenIn[id] !== this.#tag) return null;
    return this.#document.attribute(this.#starts[id] as number, this.#ends[id] as number, this.#marks[id] as number);
  }

  /** Like `value`, without white space and control codes at the ends. The URL standard drops them there. */
  url(id: number): string | null {
    if (this.#seenIn[id] !== this.#tag) return null;
    const bytes = this.#bytes;
    const marks = this.#marks[id] as number;
    let start = this.#starts[id] as number;
    let end = this.#ends[id] as number;
    while (start < end && isDroppedFromUrl(bytes[start] as number)) start++;
    while (end > start && isDroppedFromUrl(bytes[end - 1] as number)) end--;
    const value = this.#document.attribute(start, end, marks);
    // A decoded reference may also be white space.
    return isVerbatim(marks) ? value : trimUrl(value);
  }
}

export function trimUrl(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isDroppedFromUrl(text.charCodeAt(start))) start++;
  while (end > start && isDroppedFromUrl(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** A zero is not dropped: the tokenizer replaces it with U+FFFD before the URL parser could drop it. */
function isDroppedFromUrl(code: number): boolean {
  return code <= SPACE && code !== 0;
}
