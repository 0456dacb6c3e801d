/**
 * One tag's attributes. The tokenizer states of the HTML standard, 13.2.5.32–40, from "before attribute name" on, written
 * as one loop; quoted values are jumped over with indexOf.
 */
import { ATTRIBUTE_NAMES, ATTRIBUTES, hashStep } from './html-names.ts';
import { decodeAttribute } from './references.ts';

const TAB = 9;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;

// How a code ends a name or an unquoted value: one look-up instead of six comparisons.
const WHITE = 1;
const ENDS_NAME = 2;
const CLASSES = new Uint8Array(128);
for (const code of [TAB, 10, 12, 13, SPACE]) CLASSES[code] = WHITE | ENDS_NAME;
for (const code of [SLASH, EQUALS, GREATER]) CLASSES[code] = ENDS_NAME;

export function isWhite(code: number): boolean {
  return code <= SPACE && (CLASSES[code] as number) !== 0;
}

/** Whether this code ends a tag name: white space, `/` or `>`. */
export function endsTagName(code: number): boolean {
  return code <= GREATER && code !== EQUALS && ((CLASSES[code] as number) & ENDS_NAME) !== 0;
}

export class TagScanner {
  readonly #html: string;
  // Plain arrays: one page's worth is small, and typed arrays cost more to make than a page of tags to read.
  readonly #starts = zeros(ATTRIBUTE_NAMES.length);
  readonly #ends = zeros(ATTRIBUTE_NAMES.length);
  /** In which tag an attribute was last seen: saves clearing the arrays for every tag. */
  readonly #seenIn = zeros(ATTRIBUTE_NAMES.length);
  readonly #hasNul: boolean;
  #tag = 0;
  selfClosing = false;

  constructor(html: string) {
    this.#html = html;
    this.#hasNul = html.includes('\0');
  }

  /**
   * Reads on from just after a tag's name to just after its `>`, and returns that place; -1 if the document ends first,
   * in which case there is no tag at all. With `keep`, the attributes can be asked for afterwards.
   */
  scan(from: number, keep: boolean): number {
    const html = this.#html;
    const length = html.length;
    const tag = ++this.#tag;
    this.selfClosing = false;
    let at = from;
    for (;;) {
      // Before an attribute name.
      let code = 0;
      for (; ; at++) {
        if (at >= length) return -1;
        code = html.charCodeAt(at);
        if (code > SPACE) {
          if (code !== SLASH) break;
        } else if ((CLASSES[code] as number) === 0) break;
      }
      if (code === GREATER) {
        this.selfClosing = at > from && html.charCodeAt(at - 1) === SLASH;
        return at + 1;
      }

      // The name. Its first code belongs to it whatever it is, `=` and quotes included.
      const nameStart = at;
      let hash = 0;
      do {
        hash = hashStep(hash, code);
        if (++at >= length) return -1;
        code = html.charCodeAt(at);
      } while (code > GREATER || ((CLASSES[code] as number) & ENDS_NAME) === 0);
      const nameEnd = at;
      while (code <= SPACE && (CLASSES[code] as number) !== 0) {
        if (++at >= length) return -1;
        code = html.charCodeAt(at);
      }

      // The value.
      let valueStart = nameEnd;
      let valueEnd = nameEnd;
      if (code === EQUALS) {
        do {
          if (++at >= length) return -1;
          code = html.charCodeAt(at);
        } while (code <= SPACE && (CLASSES[code] as number) !== 0);
        if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
          valueStart = at + 1;
          valueEnd = html.indexOf(code === DOUBLE_QUOTE ? '"' : "'", valueStart);
          if (valueEnd < 0) return -1;
          at = valueEnd + 1;
        } else {
          valueStart = at;
          while (code !== GREATER && !(code <= SPACE && (CLASSES[code] as number) !== 0)) {
            if (++at >= length) return -1;
            code = html.charCodeAt(at);
          }
          valueEnd = at;
          // `<a href=/x/>`: the slash is the value's, so it does not close the tag.
          if (code === GREATER) {
            if (keep) this.#remember(tag, nameStart, nameEnd, hash, valueStart, valueEnd);
            return at + 1;
          }
        }
      }
      if (keep) this.#remember(tag, nameStart, nameEnd, hash, valueStart, valueEnd);
    }
  }

  #remember(tag: number, nameStart: number, nameEnd: number, hash: number, valueStart: number, valueEnd: number): void {
    const id = ATTRIBUTES.find(this.#html, nameStart, nameEnd, hash);
    // Of an attribute written twice the first counts.
    if (id === 0 || this.#seenIn[id] === tag) return;
    this.#seenIn[id] = tag;
    this.#starts[id] = valueStart;
    this.#ends[id] = valueEnd;
  }

  #decode(raw: string): string {
    const value = decodeAttribute(raw);
    return this.#hasNul ? value.replaceAll('\0', '\ufffd') : value;
  }

  has(id: number): boolean {
    return this.#seenIn[id] === this.#tag;
  }

  /** The value with its character references decoded; null if the tag just scanned has no such attribute. */
  value(id: number): string | null {
    if (this.#seenIn[id] !== this.#tag) return null;
    return this.#decode(this.#html.slice(this.#starts[id] as number, this.#ends[id] as number));
  }

  /** As `value`, without white space and control codes at the ends: what the URL standard drops there. */
  url(id: number): string | null {
    if (this.#seenIn[id] !== this.#tag) return null;
    const html = this.#html;
    let start = this.#starts[id] as number;
    let end = this.#ends[id] as number;
    while (start < end && isDroppedFromUrl(html.charCodeAt(start))) start++;
    while (end > start && isDroppedFromUrl(html.charCodeAt(end - 1))) end--;
    const raw = html.slice(start, end);
    const decoded = this.#decode(raw);
    return decoded === raw ? raw : trimUrl(decoded);
  }
}

export function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}

export function trimUrl(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isDroppedFromUrl(text.charCodeAt(start))) start++;
  while (end > start && isDroppedFromUrl(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** A zero is not among them: the tokenizer has made it U+FFFD before the URL parser could drop it. */
function isDroppedFromUrl(code: number): boolean {
  return code <= SPACE && code !== 0;
}
