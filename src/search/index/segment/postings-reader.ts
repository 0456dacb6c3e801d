/**
 * Reads the lists that PostingsWriter wrote. `PageList` decodes all pages of a term at once, which takes a few
 * nanoseconds per page. `PositionCursor` goes forward through the positions and skips blocks without decoding them.
 */
import { ByteReader } from './byte-writer.ts';
import { BLOCK_PAGES, ONCE } from './postings-writer.ts';

/** The pages of a term in ascending order, and the code of the term's weight on each. */
export interface PageList {
  readonly pages: Int32Array;
  readonly weights: Uint8Array;
  /** As it is stored. */
  readonly bytes: Uint8Array;
}

export function readPages(bytes: Uint8Array, count: number): PageList {
  const pages = new Int32Array(count);
  const weights = new Uint8Array(count);
  let at = count > BLOCK_PAGES ? afterDirectory(bytes) : 0;
  let page = -1;
  for (let i = 0; i < count; i++) {
    let byte = bytes[at++] as number;
    let number = byte & 127;
    for (let shift = 7; byte >= 128 && shift < 35; shift += 7) {
      byte = bytes[at++] as number;
      number |= (byte & 127) << shift;
    }
    page += (number >>> 1) + 1;
    pages[i] = page;
    weights[i] = (number & 1) === 1 ? ONCE : (bytes[at++] as number);
  }
  return { pages, weights, bytes };
}

function afterDirectory(bytes: Uint8Array): number {
  const reader = new ByteReader(bytes);
  const length = reader.number();
  return reader.at + length;
}

/** Positions end with this number. */
export const NO_POSITION = Number.MAX_SAFE_INTEGER;

export class PositionCursor {
  readonly #pages: Int32Array;
  readonly #readBytes: (from: number, to: number) => Uint8Array;
  /** The end of the positions of each block. */
  readonly #blockEnds: Float64Array;
  /** The block that was read last, and its bytes. */
  #block = -1;
  #bytes: Uint8Array = new Uint8Array(0);
  /** The index of the next page, whose positions begin at `#at` in the block. */
  #index = 0;
  #at = 0;
  /** The last position that was read, and whether the page has more. */
  #position = 0;
  #hasMore = false;

  /**
   * `readBytes` reads a part of the positions of the list: most queries need a few blocks of a long list.
   */
  constructor({ pages, bytes }: PageList, positionBytes: number, readBytes: (from: number, to: number) => Uint8Array) {
    this.#pages = pages;
    this.#readBytes = readBytes;
    this.#blockEnds = blockEnds(bytes, pages.length, positionBytes);
  }

  /**
   * Goes to a page. Returns false if the page does not have the term. Pages must be asked for in ascending order, each
   * once.
   */
  seek(page: number): boolean {
    const index = this.#find(page);
    if (this.#hasMore) this.#skip(1);
    this.#hasMore = false;
    if (index < 0) return false;
    const block = Math.floor(index / BLOCK_PAGES);
    if (block !== this.#block) {
      this.#block = block;
      this.#bytes = this.#readBytes(this.#blockEnds[block - 1] ?? 0, this.#blockEnds[block] as number);
      this.#index = block * BLOCK_PAGES;
      this.#at = 0;
    }
    if (this.#index < index) this.#skip(index - this.#index);
    this.#index = index + 1;
    this.#position = 0;
    this.#hasMore = true;
    return true;
  }

  /** The next position on the page; NO_POSITION after the last one. */
  next(): number {
    if (!this.#hasMore) return NO_POSITION;
    const bytes = this.#bytes;
    let byte = bytes[this.#at++] ?? 1;
    let number = byte & 127;
    for (let shift = 7; byte >= 128 && shift < 35; shift += 7) {
      byte = bytes[this.#at++] ?? 0;
      number |= (byte & 127) << shift;
    }
    if ((number & 1) === 1) this.#hasMore = false;
    this.#position += number >>> 1;
    return this.#position;
  }

  /** Writes all positions on a page into `into`, from its beginning. Returns how many there are. */
  read(page: number, into: Int32Array): number {
    if (!this.seek(page)) return 0;
    let count = 0;
    while (this.#hasMore && count < into.length) into[count++] = this.next();
    return count;
  }

  /** Passes over the rest of a page, or over several pages: the last number of each has an odd first byte. */
  #skip(pages: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let left = pages; left > 0; ) {
      const first = bytes[at++] ?? 1;
      for (let byte = first; byte >= 128; ) byte = bytes[at++] ?? 0;
      left -= first & 1;
    }
    this.#at = at;
  }

  #find(page: number): number {
    const pages = this.#pages;
    let low = this.#index;
    // Pages that are asked for are usually near each other.
    let step = 1;
    while (low + step < pages.length && (pages[low + step] as number) <= page) {
      low += step;
      step *= 2;
    }
    let high = Math.min(pages.length, low + step);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pages[middle] as number) < page) low = middle + 1;
      else high = middle;
    }
    return pages[low] === page ? low : -1;
  }
}

function blockEnds(bytes: Uint8Array, count: number, positionBytes: number): Float64Array {
  if (count <= BLOCK_PAGES) return Float64Array.of(positionBytes);
  const ends = new Float64Array(Math.ceil(count / BLOCK_PAGES));
  const reader = new ByteReader(bytes);
  reader.number();
  let end = 0;
  for (let block = 0; block < ends.length; block++) {
    reader.number();
    reader.number();
    end += reader.number();
    ends[block] = end;
  }
  return ends;
}
