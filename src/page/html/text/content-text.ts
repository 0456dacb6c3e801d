/**
 * Collects the content of a page: the bytes of its visible text, without elements that are marked
 * as boilerplate. Code that compares pages uses it. Nothing is decoded into a string. One
 * collector is used for many pages and keeps its buffer.
 *
 * What always holds: the content is UTF-8 without character references. Its pieces are separated
 * by a space, also within words where markup or a reference stood. It is not longer than
 * `maxBytes`; if the page has more, `isFull` is true.
 */
export const MAX_CONTENT_BYTES = 1024 * 1024;

const FIRST_BYTES = 16 * 1024;
/** Shorter pieces are copied byte by byte, because a call of `copy` costs as much as 40 bytes. */
const NEAR_BYTES = 40;
const SPACE = 32;

export class ContentText {
  readonly #maxBytes: number;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;
  /** True if the page had more content than was kept. */
  isFull = false;

  constructor(maxBytes = MAX_CONTENT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The content of the last page that was parsed with this collector. Valid until the next page is parsed. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    this.isFull = false;
  }

  append(source: Buffer, from: number, to: number): void {
    const at = this.#length;
    const length = Math.min(to - from, this.#maxBytes - at - 1);
    if (length < to - from) this.isFull = true;
    if (length <= 0) return;
    if (at + length >= this.#buffer.length) this.#grow(at + length + 1);
    const buffer = this.#buffer;
    if (length > NEAR_BYTES) source.copy(buffer, at, from, from + length);
    else for (let i = 0; i < length; i++) buffer[at + i] = source[from + i] as number;
    buffer[at + length] = SPACE;
    this.#length = at + length + 1;
  }

  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, Math.max(bytes, this.#buffer.length * 2)));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
