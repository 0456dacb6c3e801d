/**
 * Reads the positions of pages in a block. In: the bytes that PositionsWriter wrote, and pages in ascending order. Out:
 * their positions. They are decoded in WebAssembly (positions-kernel.wat), because a phrase of frequent words reads
 * millions of them. Few pages of a block are usually needed, so the others are passed over. Damaged bytes give wrong
 * positions, and nothing else.
 */
import { type KernelExports, loadKernel, type Position } from '../../../core/kernel.ts';
import { KERNEL } from './positions-kernel.wasm.ts';
import { BLOCK_PAGES, HEADER_BITS, LEAST_WITH_HEADER, USUAL_HEADER } from './positions-writer.ts';

/** The bytes of a block that are given to the kernel: those of the longest page, at least. */
const DECODED_BYTES = 2 ** 18 + 2 ** 17;
/** If no more pages than this are passed over, so many pages are decoded at once. */
const NEAR_PAGES = 2;
const MOST_AT_ONCE = 16;

interface Kernel extends KernelExports {
  readonly ends: Position;
  readonly positions: Position;
  readonly decode: (fromBit: number, endBit: number, passed: number, pages: number, header: number) => number;
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
  #header = USUAL_HEADER;
  /** Where the pages behind the decoded ones begin. */
  #bit = 0;

  /** Begins with another block. `count`: the number of pages of the list. */
  open(bytes: Uint8Array, pagesInBlock: number, count: number): void {
    this.from = 0;
    this.pages = 0;
    this.#bytes = bytes;
    this.#pagesInBlock = pagesInBlock;
    const hasHeader = count >= LEAST_WITH_HEADER;
    this.#header = hasHeader ? (bytes[0] ?? 0) | ((bytes[1] ?? 0) << 8) : USUAL_HEADER;
    this.#bit = hasHeader ? HEADER_BITS : 0;
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
    this.pages = decode(this.#bit & 7, 8 * part.length, passed, pages, this.#header);
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
