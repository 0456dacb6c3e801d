/**
 * Reads the bits of a scan's data (T.81, F.2.2.5) and the codes made of them. After the end of the data it returns
 * zeros and sets `isOver`. The caller checks this from time to time, not for every bit.
 */

export class JpegBits {
  readonly #bytes: Buffer;
  #at: number;
  #buffer = 0;
  #count = 0;
  /** The number of zero bits that were returned in place of data. */
  #missing = 0;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  /** Whether more bits were read than there are. */
  get isOver(): boolean {
    return this.#missing > this.#count;
  }

  /** Returns the next `count` bits, at most 16. */
  take(count: number): number {
    if (count === 0) return 0;
    if (this.#count < count) this.#fill();
    this.#count -= count;
    return (this.#buffer >>> this.#count) & ((1 << count) - 1);
  }

  /** Returns a number of this many bits, with the sign as in table F.1. */
  signed(bits: number): number {
    const value = this.take(bits);
    return bits > 0 && value < 1 << (bits - 1) ? value - (1 << bits) + 1 : value;
  }

  /** The next symbol, or -1 if the bits are not a valid code. */
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

  /** Continues after the restart marker that must be here. Returns false if there is none. */
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
        // The data ends at a marker or at the end of the file.
        byte = 0;
        this.#missing += 8;
      }
      this.#buffer = (this.#buffer << 8) | byte;
      this.#count += 8;
    }
  }
}

const SHORT_BITS = 9;

/** A Huffman table, prepared for decoding. */
export interface JpegCodes {
  /** Indexed by the next SHORT_BITS bits: length × 256 + symbol, or 0 if the code is longer. */
  readonly short: Uint16Array;
  /** By length: the last code, or -1 if there is none. */
  readonly lastCodes: Int32Array;
  /** By length: the number to add to a code to get the index of its symbol. */
  readonly offsets: Int32Array;
  readonly symbols: Uint8Array;
}

/**
 * Builds the table from the number of codes of each length, 1 to 16 bits, and their
 * symbols (annex C). Null if these are invalid.
 */
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
