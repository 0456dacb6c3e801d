/**
 * Goes forward through the positions of a term. In: pages in ascending order. Out: the positions on each. Only the
 * blocks of the pages that are asked for are read.
 */
import { ByteReader, type ByteWriter } from './byte-writer.ts';
import type { PageFinder, PageList } from './page-list.ts';
import { PositionBlock } from './position-block.ts';
import { BLOCK_PAGES } from './positions-writer.ts';

/** The positions of a term, or of one of several terms, on one page: a part of an array. */
export interface PositionsOnPage {
  readonly positions: Int32Array;
  readonly from: number;
  readonly to: number;
  /**
   * Goes to a page. Returns false if the page does not have the term. Pages must be asked for in ascending order, each
   * once.
   */
  seek(page: number): boolean;
}

/** The lengths of the blocks of a list that has more than one. */
export function writeBlockLengths(into: ByteWriter, lengths: readonly number[]): void {
  if (lengths.length > 1) for (const length of lengths) into.number(length);
}

export function readBlockEnds(bytes: Uint8Array, at: number, count: number, positionBytes: number): Float64Array {
  const ends = new Float64Array(Math.ceil(count / BLOCK_PAGES));
  if (ends.length <= 1) return ends.fill(positionBytes);
  const reader = new ByteReader(bytes, at);
  let end = 0;
  for (let block = 0; block < ends.length; block++) {
    end += reader.number();
    ends[block] = end;
  }
  return ends;
}

export class PositionCursor implements PositionsOnPage {
  readonly #count: number;
  readonly #finder: PageFinder;
  readonly #blockEnds: Float64Array;
  readonly #readBytes: (from: number, to: number) => Uint8Array;
  readonly #block: PositionBlock;
  #number = -1;
  positions = new Int32Array(0);
  from = 0;
  to = 0;

  /** `block` may have been used by another cursor that has ended. */
  constructor(list: PageList, readBytes: (from: number, to: number) => Uint8Array, block = new PositionBlock()) {
    this.#block = block;
    this.#count = list.count;
    this.#finder = list.finder();
    this.#blockEnds = list.blockEnds();
    this.#readBytes = readBytes;
  }

  seek(page: number): boolean {
    const place = this.#finder.find(page);
    return place >= 0 && this.seekPlace(place);
  }

  /** Goes to the page with this place in the list. */
  seekPlace(place: number): boolean {
    const number = Math.floor(place / BLOCK_PAGES);
    if (number !== this.#number) this.#open(number);
    const block = this.#block;
    const inBlock = place % BLOCK_PAGES;
    if (inBlock >= block.from + block.pages && !block.decode(inBlock)) {
      this.from = this.to;
      return false;
    }
    const at = inBlock - block.from;
    this.positions = block.positions;
    this.from = at === 0 ? 0 : (block.ends[at - 1] as number);
    this.to = block.ends[at] as number;
    return true;
  }

  #open(number: number): void {
    this.#number = number;
    const bytes = this.#readBytes(this.#blockEnds[number - 1] ?? 0, this.#blockEnds[number] as number);
    const pages = Math.min(BLOCK_PAGES, this.#count - BLOCK_PAGES * number);
    this.#block.open(bytes, pages, this.#count);
  }
}
