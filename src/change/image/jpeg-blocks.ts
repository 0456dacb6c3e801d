/**
 * Reads the coefficients of a block as a scan codes them. A sequential file has all of them at once (T.81, F.2.2). A
 * scan of a progressive file has a few frequencies, or one more bit of them (G.1.2).
 */
import type { JpegBits, JpegCodes } from './jpeg-bits.ts';
import { ZIGZAG } from './jpeg-tables.ts';

/** The coefficients of a scan, and the bits of them. */
export interface ScanRange {
  readonly isProgressive: boolean;
  readonly from: number;
  readonly through: number;
  /** The bits that earlier scans gave. 0 if this is the first scan of these coefficients. */
  readonly had: number;
  /** The lowest bit that this scan gives. */
  readonly shift: number;
}

/** The codes of the scan for one component. */
export interface ScanCodes {
  readonly first: JpegCodes | undefined;
  readonly rest: JpegCodes | undefined;
  /** The first coefficient of the previous block. The next one is coded as a difference to it. */
  before: number;
}

const MOST_BITS = 15;

export class BlockReader {
  readonly #bits: JpegBits;
  readonly #range: ScanRange;
  /** Whether all coefficients are kept, not only the first. */
  readonly #isWhole: boolean;
  /** The number of following blocks that have no more data in this scan. */
  #emptyBlocks = 0;

  constructor(bits: JpegBits, range: ScanRange, isWhole: boolean) {
    this.#bits = bits;
    this.#range = range;
    this.#isWhole = isWhole;
  }

  /** Whether the data ended before the blocks did. */
  get isOver(): boolean {
    return this.#bits.isOver;
  }

  /** Continues after a restart marker. Returns false if there is none. */
  restart(): boolean {
    this.#emptyBlocks = 0;
    return this.#bits.restart();
  }

  /** Reads a block into `out` from index `at`. Returns false if the data is not a valid block. */
  read(codes: ScanCodes, out: Int16Array, at: number): boolean {
    const { isProgressive, from, had } = this.#range;
    if (!isProgressive) return this.#first(codes, out, at) && this.#sequential(codes, out, at);
    if (from === 0) return had === 0 ? this.#first(codes, out, at) : this.#refineFirst(out, at);
    if (codes.rest === undefined) return false;
    return had === 0 ? this.#frequencies(codes.rest, out, at) : this.#refine(codes.rest, out, at);
  }

  #first(codes: ScanCodes, out: Int16Array, at: number): boolean {
    const size = codes.first === undefined ? -1 : this.#bits.symbol(codes.first);
    if (size < 0 || size > MOST_BITS) return false;
    codes.before += this.#bits.signed(size);
    out[at] = codes.before << this.#range.shift;
    return true;
  }

  #refineFirst(out: Int16Array, at: number): boolean {
    if (this.#bits.take(1) === 1) out[at]! |= 1 << this.#range.shift;
    return true;
  }

  #sequential({ rest }: ScanCodes, out: Int16Array, at: number): boolean {
    if (rest === undefined) return false;
    for (let k = 1; k < 64; k++) {
      const symbol = this.#bits.symbol(rest);
      if (symbol < 0) return false;
      const size = symbol & 15;
      k += symbol >> 4;
      if (size === 0) {
        if (symbol !== 0xf0) return true;
        continue;
      }
      if (k > 63) return false;
      const value = this.#bits.signed(size);
      if (this.#isWhole) out[at + ZIGZAG[k]!] = value;
    }
    return true;
  }

  #frequencies(codes: JpegCodes, out: Int16Array, at: number): boolean {
    if (this.#emptyBlocks > 0) {
      this.#emptyBlocks--;
      return true;
    }
    const { from, through, shift } = this.#range;
    for (let k = from; k <= through; k++) {
      const symbol = this.#bits.symbol(codes);
      if (symbol < 0) return false;
      const run = symbol >> 4;
      const size = symbol & 15;
      if (size === 0 && run < 15) {
        this.#emptyBlocks = (1 << run) - 1 + this.#bits.take(run);
        return true;
      }
      k += run;
      if (size === 0) continue;
      if (k > 63) return false;
      out[at + ZIGZAG[k]!] = this.#bits.signed(size) << shift;
    }
    return true;
  }

  #refine(codes: JpegCodes, out: Int16Array, at: number): boolean {
    const { from, through, shift } = this.#range;
    let k = from;
    while (k <= through && this.#emptyBlocks === 0) {
      const symbol = this.#bits.symbol(codes);
      if (symbol < 0) return false;
      const run = symbol >> 4;
      let value = 0;
      if ((symbol & 15) !== 0) value = this.#bits.take(1) === 1 ? 1 << shift : -1 << shift;
      else if (run < 15) {
        this.#emptyBlocks = (1 << run) + this.#bits.take(run);
        break;
      }
      k = this.#skipZeros(out, at, k, run);
      if (value !== 0 && k <= 63) out[at + ZIGZAG[k]!] = value;
      k++;
    }
    if (this.#emptyBlocks > 0) {
      this.#skipZeros(out, at, k, 64);
      this.#emptyBlocks--;
    }
    return true;
  }

  /**
   * Skips `zeros` coefficients that are still zero and stops at the next zero. Coefficients on
   * the way that are not zero get their next bit.
   */
  #skipZeros(out: Int16Array, at: number, from: number, zeros: number): number {
    const { through, shift } = this.#range;
    const bit = 1 << shift;
    let k = from;
    for (let left = zeros; k <= through; k++) {
      const place = at + ZIGZAG[k]!;
      const value = out[place]!;
      if (value === 0) {
        if (left-- === 0) break;
      } else if (this.#bits.take(1) === 1 && (value & bit) === 0) out[place] = value + (value > 0 ? bit : -bit);
    }
    return k;
  }
}
