/**
 * Writes the positions of a term, in blocks of 32 pages. In: positions on pages. Out: bytes, which position-block.ts
 * reads.
 *
 * For each page stand the number of its positions, the first one, and the steps to the next ones. Each number is
 * written with a fixed number of low bits, and the rest as so many zero bits and a one (a Rice code): most positions
 * take fewer bits than the whole bytes of variable length did, and every block chooses how many low bits pay. Blocks
 * were 15 to 20 % smaller than with whole bytes, on real and on made pages.
 */
import { ByteWriter } from './byte-writer.ts';

export const BLOCK_PAGES = 32;
/** So many positions of a term on a page are kept. */
export const MOST_POSITIONS = 2 ** 16;
/** A list of one page has no header; these low bits suit it. */
export const LEAST_WITH_HEADER = 2;
export const USUAL_HEADER = headerOf(0, 11, 8);
export const HEADER_BITS = 13;
/** With more zero bits than this, a number is written in full. */
const MOST_HIGH = 15;
const FULL_BITS = 25;
const MOST_LOW = 24;

/** The low bits of the numbers of positions, of first positions, and of steps. */
function headerOf(count: number, first: number, step: number): number {
  return count | (first << 3) | (step << 8);
}

export class PositionsWriter {
  readonly bytes = new ByteWriter();
  /** The length of each block. */
  readonly blockLengths: number[] = [];
  /** The open block: for each page the number of positions and the first one, and all steps to the others. */
  readonly #counts = new Int32Array(BLOCK_PAGES);
  readonly #firsts = new Int32Array(BLOCK_PAGES);
  #steps = new Int32Array(1_024);
  #pages = 0;
  #stepCount = 0;
  #before = -1;
  #bits = 0;
  #bitCount = 0;

  begin(): void {
    this.bytes.clear();
    this.blockLengths.length = 0;
    this.#pages = 0;
    this.#stepCount = 0;
  }

  startPage(first: number): void {
    if (this.#pages === BLOCK_PAGES) this.#endBlock(true);
    this.#counts[this.#pages] = 1;
    this.#firsts[this.#pages++] = first;
    this.#before = first;
  }

  /** Positions of a page come in ascending order. One that comes twice is kept once. */
  add(position: number): void {
    const page = this.#pages - 1;
    if (position <= this.#before || (this.#counts[page] as number) === MOST_POSITIONS) return;
    if (this.#stepCount === this.#steps.length) {
      const grown = new Int32Array(2 * this.#steps.length);
      grown.set(this.#steps);
      this.#steps = grown;
    }
    this.#steps[this.#stepCount++] = position - this.#before - 1;
    (this.#counts[page] as number)++;
    this.#before = position;
  }

  /** `count`: the number of pages of the list. */
  end(count: number): void {
    if (this.#pages > 0) this.#endBlock(count >= LEAST_WITH_HEADER);
  }

  #endBlock(hasHeader: boolean): void {
    const { bytes } = this;
    const start = bytes.length;
    const pages = this.#pages;
    let [countLow, firstLow, stepLow] = [USUAL_HEADER & 7, (USUAL_HEADER >>> 3) & 31, USUAL_HEADER >>> 8];
    if (hasHeader) {
      const more = this.#counts.subarray(0, pages).map((count) => count - 1);
      countLow = lowBitsFor(more, pages, 7);
      firstLow = lowBitsFor(this.#firsts, pages, MOST_LOW);
      stepLow = lowBitsFor(this.#steps, this.#stepCount, MOST_LOW);
      this.#put(headerOf(countLow, firstLow, stepLow), HEADER_BITS);
    }
    let step = 0;
    for (let page = 0; page < pages; page++) {
      const more = (this.#counts[page] as number) - 1;
      bytes.reserve(6 * (more + 2));
      this.#number(more, countLow);
      this.#number(this.#firsts[page] as number, firstLow);
      for (const end = step + more; step < end; step++) this.#number(this.#steps[step] as number, stepLow);
    }
    bytes.reserve(1);
    if (this.#bitCount > 0) this.#put(0, 8 - this.#bitCount);
    this.blockLengths.push(bytes.length - start);
    this.#pages = 0;
    this.#stepCount = 0;
  }

  #number(value: number, low: number): void {
    const high = value >>> low;
    if (high + low < 24 && high <= MOST_HIGH)
      this.#put((((value & ((1 << low) - 1)) << 1) | 1) << high, high + low + 1);
    else if (high <= MOST_HIGH) {
      this.#put(1 << high, high + 1);
      this.#put(value & ((1 << low) - 1), low);
    } else {
      this.#put(1 << (MOST_HIGH + 1), MOST_HIGH + 2);
      this.#put(value & 0xfff, 12);
      this.#put(value >>> 12, FULL_BITS - 12);
    }
  }

  /** At most 24 bits at once. The caller has reserved the bytes. */
  #put(value: number, bits: number): void {
    const writer = this.bytes;
    const { bytes } = writer;
    let open = this.#bits | (value << this.#bitCount);
    let count = this.#bitCount + bits;
    let at = writer.length;
    for (; count >= 8; count -= 8) {
      bytes[at++] = open;
      open >>>= 8;
    }
    writer.length = at;
    this.#bits = open;
    this.#bitCount = count;
  }
}

/** The number of low bits, up to `limit`, with which these numbers take the fewest bits, or nearly so. */
function lowBitsFor(numbers: Int32Array, count: number, limit: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += numbers[i] as number;
  const most = count === 0 ? 0 : Math.min(limit, 31 - Math.clz32(sum / count + 1));
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  // A few large numbers raise the mean, but should not decide.
  for (let low = most; low >= Math.max(0, most - 3); low--) {
    let bits = count * (low + 1);
    for (let i = 0; i < count; i++) {
      const high = (numbers[i] as number) >>> low;
      bits += high <= MOST_HIGH ? high : MOST_HIGH + FULL_BITS - low;
    }
    if (bits < least) {
      least = bits;
      best = low;
    }
  }
  return best;
}
