/**
 * What a page says itself: the bytes of its visible text, without what says of itself that it is boilerplate. For whoever
 * compares pages; nothing is decoded into a string for it. One collector serves page after page and keeps its buffer.
 *
 * Always: UTF-8 in which no character reference is left; its pieces are separated by a space, within words too where
 * markup or a reference stood; not longer than `maxBytes`, and then it is said to be full.
 */
export const MAX_CONTENT_BYTES = 1024 * 1024;

const FIRST_BYTES = 16 * 1024;
/** Shorter pieces are copied byte by byte: calling `copy` costs as much as 40 bytes do. */
const NEAR_BYTES = 40;
const SPACE = 32;

export class ContentText {
  readonly #maxBytes: number;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;
  /** The page said more than was kept. */
  isFull = false;

  constructor(maxBytes = MAX_CONTENT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** What the last page parsed with this collector said; valid until the next one is. */
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
