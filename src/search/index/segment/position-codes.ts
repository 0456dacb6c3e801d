/**
 * Writes and reads the positions of a term, in blocks of 32 pages. In: positions on pages. Out: bytes, and back.
 *
 * For each page stand the number of its positions, the first one, and the steps to the next ones. Each number is
 * written with a fixed number of low bits, and the rest as so many zero bits and a one (a Rice code): most positions
 * take fewer bits than the whole bytes of variable length did, and every block chooses how many low bits pay. The
 * blocks are decoded in WebAssembly (positions-kernel.wat), because a phrase reads millions of positions. Blocks were
 * 15 to 20 % smaller than with whole bytes, on real and on made pages.
 */
import { type KernelExports, loadKernel, type Position } from '../../../core/kernel.ts';
import { ByteWriter } from './byte-writer.ts';
import { KERNEL } from './positions-kernel.wasm.ts';

export const BLOCK_PAGES = 32;
/** So many positions of a term on a page are kept. */
export const MOST_POSITIONS = 2 ** 16;
/** A list of one page has no header; these low bits suit it. */
const LEAST_WITH_HEADER = 2;
const USUAL_LOW_BITS: LowBits = { count: 0, first: 11, step: 8 };
const HEADER_BITS = 13;
/** With more zero bits than this, a number is written in full. */
const MOST_HIGH = 15;
const FULL_BITS = 25;
/** The bytes of a block that are decoded at once: those of the longest page, at least. */
const DECODED_BYTES = 2 ** 18 + 2 ** 17;
/** Pages are decoded until there are so many positions. */
const DECODED_POSITIONS = 4_096;
/** If no more pages than this are passed over, so many pages are decoded at once. */
const NEAR_PAGES = 2;
const MOST_AT_ONCE = 16;

interface LowBits {
  readonly count: number;
  readonly first: number;
  readonly step: number;
}

export class PositionsWriter {
  readonly bytes = new ByteWriter();
  /** The length of each block. */
  readonly blockLengths: number[] = [];
  /** Of the open block: for each page the number of positions; the first positions, and all steps between others. */
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
    let lowBits = USUAL_LOW_BITS;
    if (hasHeader) {
      const more = this.#counts.subarray(0, pages).map((count) => count - 1);
      lowBits = {
        count: lowBitsFor(more, pages, 7),
        first: lowBitsFor(this.#firsts, pages, 24),
        step: lowBitsFor(this.#steps, this.#stepCount, 24),
      };
      this.#put(lowBits.count | (lowBits.first << 3) | (lowBits.step << 8), HEADER_BITS);
    }
    let step = 0;
    for (let page = 0; page < pages; page++) {
      const more = (this.#counts[page] as number) - 1;
      bytes.reserve(6 * (more + 2));
      this.#number(more, lowBits.count);
      this.#number(this.#firsts[page] as number, lowBits.first);
      for (const end = step + more; step < end; step++) this.#number(this.#steps[step] as number, lowBits.step);
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

interface Kernel extends KernelExports {
  readonly ends: Position;
  readonly positions: Position;
  readonly decode: (
    from: number,
    endBit: number,
    passed: number,
    pages: number,
    most: number,
    countLow: number,
    firstLow: number,
    stepLow: number,
  ) => number;
  readonly end: () => number;
}

const startKernel = loadKernel<Kernel>(KERNEL);
let kernel: Kernel | null = null;
let input = new Uint8Array(0);
let ends = new Int32Array(0);
let output = new Int32Array(0);

function readyKernel(): Kernel {
  if (kernel !== null) return kernel;
  kernel = startKernel();
  const { buffer } = kernel.memory;
  input = new Uint8Array(buffer, 0, DECODED_BYTES);
  ends = new Int32Array(buffer, kernel.ends.value, BLOCK_PAGES);
  output = new Int32Array(buffer, kernel.positions.value);
  return kernel;
}

/** Reads the positions of pages, which are asked for in ascending order. */
export class PositionBlock {
  /** The pages of the block that are decoded now: from this one, and so many. */
  from = 0;
  pages = 0;
  /** By decoded page: the end of its positions. */
  readonly ends = new Int32Array(BLOCK_PAGES);
  positions = new Int32Array(64);
  #bytes: Uint8Array = new Uint8Array(0);
  #pagesInBlock = 0;
  #lowBits = USUAL_LOW_BITS;
  /** Where the pages behind the decoded ones begin. */
  #bit = 0;

  /** Begins with another block. `count`: the number of pages of the list. */
  open(bytes: Uint8Array, pagesInBlock: number, count: number): void {
    this.from = 0;
    this.pages = 0;
    this.#bytes = bytes;
    this.#pagesInBlock = pagesInBlock;
    this.#bit = 0;
    this.#lowBits = USUAL_LOW_BITS;
    if (count < LEAST_WITH_HEADER) return;
    const header = (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8);
    this.#lowBits = { count: header & 7, first: (header >>> 3) & 31, step: (header >>> 8) & 31 };
    this.#bit = HEADER_BITS;
  }

  /** Decodes a page of the block, and some after it if the last pages that were asked for were near. */
  decode(page: number): boolean {
    const { decode, end } = readyKernel();
    const next = this.from + this.pages;
    const passed = page - next;
    const wanted = passed > NEAR_PAGES || next === 0 ? 1 : MOST_AT_ONCE;
    const firstByte = this.#bit >>> 3;
    const part = this.#bytes.subarray(firstByte, firstByte + DECODED_BYTES);
    input.set(part);
    const pages = Math.min(wanted, this.#pagesInBlock - page);
    const { count, first, step } = this.#lowBits;
    this.pages = decode(this.#bit & 7, 8 * part.length, passed, pages, DECODED_POSITIONS, count, first, step);
    this.#bit = 8 * firstByte + end();
    this.from = page;
    if (this.pages === 0) return false;
    const positions = ends[this.pages - 1] as number;
    if (this.positions.length < positions) this.positions = new Int32Array(2 * positions);
    for (let i = 0; i < positions; i++) this.positions[i] = output[i] as number;
    for (let i = 0; i < this.pages; i++) this.ends[i] = ends[i] as number;
    return true;
  }
}
