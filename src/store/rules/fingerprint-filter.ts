/**
 * A Bloom filter with two bits for each key. It says which keys are in none of the blocks on disk. Most pages resemble
 * no other page, so the filter answers nearly every look-up in the index without reading. For a key that was never
 * added it says "perhaps" in about 1 % of cases; "no" is always correct.
 */
const LEAST_BITS = 20;
/** 32 MB. A crawl that needs more gets more "perhaps" answers, and reads more blocks. */
const MOST_BITS = 28;
const BITS_PER_KEY = 16;

export class FingerprintFilter {
  readonly #shift: number;
  readonly #bits: Uint32Array;
  /** With more keys than this, a larger filter should be made. */
  readonly room: number;

  /** Makes a filter with room for twice as many keys. */
  constructor(keys: number) {
    const bits = Math.min(MOST_BITS, Math.max(LEAST_BITS, Math.ceil(Math.log2(2 * keys * BITS_PER_KEY))));
    this.#shift = 32 - bits;
    this.#bits = new Uint32Array(2 ** (bits - 5));
    this.room = bits === MOST_BITS ? Number.POSITIVE_INFINITY : 2 ** bits / BITS_PER_KEY;
  }

  add(key: number): void {
    const bits = this.#bits;
    const first = firstPlace(key) >>> this.#shift;
    const second = secondPlace(key) >>> this.#shift;
    bits[first >>> 5]! |= 1 << (first & 31);
    bits[second >>> 5]! |= 1 << (second & 31);
  }

  mayHave(key: number): boolean {
    const bits = this.#bits;
    const first = firstPlace(key) >>> this.#shift;
    if (((bits[first >>> 5] as number) & (1 << (first & 31))) === 0) return false;
    const second = secondPlace(key) >>> this.#shift;
    return ((bits[second >>> 5] as number) & (1 << (second & 31))) !== 0;
  }
}

function firstPlace(key: number): number {
  return Math.imul(key ^ (key >>> 15), 0x2c1b3c6d) >>> 0;
}

function secondPlace(key: number): number {
  return Math.imul(key ^ (key >>> 13), 0x297a2d39) >>> 0;
}
