/**
 * A list of pages as differences. A page is written as the difference to the page before, shifted by one bit. The bit
 * says that the term is once in the text of the page, which is the most frequent case; otherwise a byte with its weight
 * follows. The directory of the positions is behind the pages.
 */
import type { PageBits } from '../page-bits.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { PageFinder, PageList, SomePages } from './page-list.ts';
import { readBlockEnds } from './position-cursor.ts';
import { ONCE } from './word-places.ts';

export function writeSparseList(into: ByteWriter, pages: Int32Array, weights: Uint8Array, count: number): void {
  into.reserve(6 * count);
  let before = -1;
  for (let i = 0; i < count; i++) {
    const page = pages[i] as number;
    const weight = weights[i] as number;
    const step = 2 * (page - before - 1);
    into.putNumber(weight === ONCE ? step + 1 : step);
    if (weight !== ONCE) into.bytes[into.length++] = weight;
    before = page;
  }
}

export class SparseList implements PageList, SomePages {
  readonly count: number;
  readonly pages: Int32Array;
  readonly weights: Uint8Array;
  readonly #bytes: Uint8Array;
  readonly #directoryAt: number;
  readonly #positionBytes: number;

  constructor(bytes: Uint8Array, count: number, positionBytes: number) {
    this.count = count;
    this.pages = new Int32Array(count);
    this.weights = new Uint8Array(count);
    this.#bytes = bytes;
    this.#positionBytes = positionBytes;
    this.#directoryAt = decode(bytes, this.pages, this.weights);
  }

  addTo(bits: PageBits): void {
    bits.addAll(this.pages);
  }

  addWhere(bits: PageBits, passes: Uint8Array): void {
    const { pages, weights } = this;
    for (let i = 0; i < pages.length; i++) if (passes[weights[i] as number] === 1) bits.add(pages[i] as number);
  }

  addWeights({ pages: wanted, count }: SomePages, table: Float64Array, into: Float64Array): void {
    const { pages, weights } = this;
    const length = pages.length;
    let at = 0;
    let i = 0;
    while (at < length && i < count) {
      const page = pages[at] as number;
      const other = wanted[i] as number;
      if (page === other) {
        into[i] = (into[i] as number) + (table[weights[at] as number] as number);
        at++;
        i++;
      } else if (page < other) at = firstFrom(pages, length, at + 1, other);
      else i = firstFrom(wanted, count, i + 1, page);
    }
  }

  finder(): PageFinder {
    const { pages } = this;
    let at = 0;
    return {
      find(page) {
        at = firstFrom(pages, pages.length, at, page);
        return pages[at] === page ? at : -1;
      },
    };
  }

  all(): { pages: Int32Array; weights: Uint8Array } {
    return this;
  }

  blockEnds(): Float64Array {
    return readBlockEnds(this.#bytes, this.#directoryAt, this.count, this.#positionBytes);
  }
}

/** Returns where the directory begins. */
function decode(bytes: Uint8Array, pages: Int32Array, weights: Uint8Array): number {
  let at = 0;
  let page = -1;
  for (let i = 0; i < pages.length; i++) {
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
  return at;
}

/** The first index from `from` on whose page is not smaller. Wanted pages are usually near, so the steps grow. */
function firstFrom(pages: Int32Array, length: number, from: number, page: number): number {
  if (from >= length || (pages[from] as number) >= page) return from;
  let low = from;
  let step = 1;
  while (low + step < length && (pages[low + step] as number) < page) {
    low += step;
    step *= 2;
  }
  let high = Math.min(length, low + step);
  low++;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pages[middle] as number) < page) low = middle + 1;
    else high = middle;
  }
  return low;
}
