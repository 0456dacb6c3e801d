/**
 * All attributes of one tag, in the order written, doubled ones included. The states of scan-tag.ts (HTML standard
 * 13.2.5.32–40), which remembers only the few attributes that a crawl asks for.
 */
import { type DocumentBytes, MARKS } from './document-bytes.ts';
import { isWhite } from './scan-tag.ts';

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const SLASH = 47;
const EQUALS = 61;
const GREATER = 62;

const NONE: readonly string[] = Object.freeze([]);

export class AttributeReader {
  readonly #document: DocumentBytes;
  /** Name, value, name, value … of the tag last read. */
  attributes = NONE;
  selfClosing = false;

  constructor(document: DocumentBytes) {
    this.#document = document;
  }

  /**
   * Reads on from just after a tag's name to just after its `>`, and returns that place; -1 if the document ends first, or if
   * the tag has more than `max` attributes.
   */
  read(from: number, max: number): number {
    const { bytes } = this.#document;
    const length = bytes.length;
    const found: string[] = [];
    this.attributes = NONE;
    this.selfClosing = false;
    let at = from;
    for (;;) {
      while (at < length && (bytes[at] === SLASH || isWhite(bytes[at] as number))) at++;
      if (at >= length || found.length > max * 2) return -1;
      if (bytes[at] === GREATER) {
        this.selfClosing = at > from && bytes[at - 1] === SLASH;
        if (found.length > 0) this.attributes = found;
        return at + 1;
      }
      const nameStart = at;
      // The first code belongs to the name whatever it is.
      do at++;
      while (at < length && !endsName(bytes[at] as number));
      const nameEnd = at;
      while (at < length && isWhite(bytes[at] as number)) at++;
      if (at >= length) return -1;
      found.push(this.#name(nameStart, nameEnd));
      if (bytes[at] !== EQUALS) {
        found.push('');
        continue;
      }
      do at++;
      while (at < length && isWhite(bytes[at] as number));
      at = this.#value(at, found);
      if (at < 0) return -1;
    }
  }

  /** The value of an attribute of the tag last read. */
  value(name: string): string | undefined {
    const { attributes } = this;
    for (let at = 0; at < attributes.length; at += 2) if (attributes[at] === name) return attributes[at + 1];
    return undefined;
  }

  /** Adds the value at `from` to `found`, and returns the place after it. */
  #value(from: number, found: string[]): number {
    const { bytes } = this.#document;
    const length = bytes.length;
    const quote = from < length ? (bytes[from] as number) : GREATER;
    const isQuoted = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE;
    const start = isQuoted ? from + 1 : from;
    let marks = 0;
    let at = start;
    for (; at < length; at++) {
      const code = bytes[at] as number;
      if (isQuoted ? code === quote : code === GREATER || isWhite(code)) break;
      marks |= MARKS[code] as number;
    }
    if (at >= length) return -1;
    found.push(this.#document.attribute(start, at, marks));
    return isQuoted ? at + 1 : at;
  }

  #name(from: number, to: number): string {
    let marks = 0;
    let hasUpper = false;
    for (let at = from; at < to; at++) {
      const code = this.#document.bytes[at] as number;
      marks |= MARKS[code] as number;
      if (code >= 65 && code <= 90) hasUpper = true;
    }
    const name = this.#document.raw(from, to, marks);
    return hasUpper ? lowerAscii(name) : name;
  }
}

/** Of a name only ASCII letters lose their case (13.2.5.33). */
export function lowerAscii(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function endsName(code: number): boolean {
  return code === EQUALS || code === GREATER || code === SLASH || isWhite(code);
}
