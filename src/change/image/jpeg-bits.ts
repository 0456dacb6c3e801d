/**
 * The bits of a scan's data (T.81, F.2.2.5) and codes made of them. Behind the end it gives zeros and says so: whoever reads asks
 * now and then, and not with every bit.
 */

export class JpegBits {
  readonly #bytes: Buffer;
  #at: number;
  #buffer = 0;
  #count = 0;
  /** Zeros that were given in place of data. */
  #missing = 0;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  /** More was read than there is. */
  get isOver(): boolean {
    return this.#missing > this.#count;
  }

  /** Up to 16. */
  take(count: number): number {
    if (count === 0) return 0;
    if (this.#count < count) this.#fill();
    this.#count -= count;
    return (this.#buffer >>> this.#count) & ((1 << count) - 1);
  }

  /** A number of so many bits, with the sign as in table F.1. */
  signed(bits: number): number {
    const value = this.take(bits);
    return bits > 0 && value < 1 << (bits - 1) ? value - (1 << bits) + 1 : value;
  }

  /** The next symbol; -1 where the bits are no code. */
  symbol({ short, lastCodes, offsets, symbols }: JpegCodes): number {
    if (this.#count < 16) this.#fill();
    const found = short[(this.#buffer >>> (this.#count - SHORT_BITS)) & ((1 << SHORT_BITS) - 1)]!;
    if (found > 0) {
      this.#count -= found >> 8;
      return found & 0xff;
    }
    for (let bits = SHORT_BITS + 1; bits <= 16; bits++) {
      const code = (this.#buffer >>> (this.#count - bits)) & ((1 << bits) - 1);
      if (code <= lastCodes[bits]!) {
        this.#count -= bits;
        return symbols[offsets[bits]! + code] ?? -1;
      }
    }
    return -1;
  }

  /** Goes on behind the restart that has to be here; false where there is none. */
  restart(): boolean {
    const isOver = this.isOver;
    this.#count = 0;
    this.#missing = 0;
    while (this.#bytes[this.#at] === 0xff && this.#bytes[this.#at + 1] === 0xff) this.#at++;
    const marker = this.#bytes[this.#at + 1] ?? 0;
    if (isOver || this.#bytes[this.#at] !== 0xff || marker < 0xd0 || marker > 0xd7) return false;
    this.#at += 2;
    return true;
  }

  #fill(): void {
    while (this.#count <= 24) {
      let byte = this.#bytes[this.#at] ?? 0xff;
      if (byte !== 0xff) this.#at++;
      else if (this.#bytes[this.#at + 1] === 0) this.#at += 2;
      else {
        // A marker ends the data, and so does the end of the file.
        byte = 0;
        this.#missing += 8;
      }
      this.#buffer = (this.#buffer << 8) | byte;
      this.#count += 8;
    }
  }
}

const SHORT_BITS = 9;

/** A Huffman table, made for reading. */
export interface JpegCodes {
  /** By the next SHORT_BITS bits: length × 256 + symbol; 0 where the code is longer. */
  readonly short: Uint16Array;
  /** By length: the last code; -1 where there is none. */
  readonly lastCodes: Int32Array;
  /** By length: what added to a code gives its symbol's place. */
  readonly offsets: Int32Array;
  readonly symbols: Uint8Array;
}

/** From how many codes of each length there are, from 1 to 16 bits, and their symbols (annex C); null where they cannot be. */
export function makeCodes(counts: Uint8Array, symbols: Uint8Array): JpegCodes | null {
  const short = new Uint16Array(1 << SHORT_BITS);
  const lastCodes = new Int32Array(17).fill(-1);
  const offsets = new Int32Array(17);
  let code = 0;
  let place = 0;
  for (let bits = 1; bits <= 16; bits++) {
    const count = counts[bits - 1]!;
    if (code + count > 1 << bits || place + count > symbols.length) return null;
    offsets[bits] = place - code;
    for (let i = 0; i < count && bits <= SHORT_BITS; i++) {
      const first = (code + i) << (SHORT_BITS - bits);
      short.fill((bits << 8) | symbols[place + i]!, first, first + (1 << (SHORT_BITS - bits)));
    }
    code += count;
    place += count;
    if (count > 0) lastCodes[bits] = code - 1;
    code <<= 1;
  }
  return { short, lastCodes, offsets, symbols };
}
