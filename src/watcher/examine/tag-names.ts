/**
 * Tag names in lower case. Pages use few different names, many times each. A short name is read as a
 * number, and its string is created only once.
 */
import type { DocumentBytes } from '../../page/encoding/document-bytes.ts';
import { lowerAscii } from '../../page/html/read-attributes.ts';
import { endsTagName } from '../../page/html/scan-tag.ts';

/** 37 to this power is still a small integer. Longer names, and names with other characters, are cut out each time. */
const MAX_KEPT_CHARS = 5;
const MAX_KEPT = 500;
const MAX_TAG_CHARS = 64;

/** 1 to 36 for the usual characters of a name. Upper and lower case have the same value. */
const DIGITS = new Uint8Array(256);
for (let digit = 0; digit < 36; digit++) {
  const sign = digit.toString(36);
  DIGITS[sign.charCodeAt(0)] = digit + 1;
  DIGITS[sign.toUpperCase().charCodeAt(0)] = digit + 1;
}

export class TagNames {
  readonly #document: DocumentBytes;
  readonly #kept = new Map<number, string>();
  /** The name that was read last. */
  tag = '';

  constructor(document: DocumentBytes) {
    this.#document = document;
  }

  /**
   * Reads the name that begins at `from`. Returns the offset of the character that ends
   * it; -1 if the document ends first.
   */
  read(from: number): number {
    const { bytes } = this.#document;
    const { length } = bytes;
    let key = 0;
    let at = from;
    do {
      const digit = DIGITS[bytes[at] as number] as number;
      key = digit === 0 || key < 0 || at - from >= MAX_KEPT_CHARS ? -1 : key * 37 + digit;
      if (++at >= length) return -1;
    } while (!endsTagName(bytes[at] as number));
    this.tag = key < 0 ? this.#cut(from, at) : (this.#kept.get(key) ?? this.#keep(key, from, at));
    return at;
  }

  #keep(key: number, from: number, to: number): string {
    const name = this.#cut(from, to);
    if (this.#kept.size < MAX_KEPT) this.#kept.set(key, name);
    return name;
  }

  #cut(from: number, to: number): string {
    return lowerAscii(this.#document.chars.slice(from, Math.min(to, from + MAX_TAG_CHARS)));
  }
}
