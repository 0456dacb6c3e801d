/**
 * A list of pages as a set of bits: one bit for each page of the segment, then a byte with the weight for each page of
 * the list, then the directory of the positions. The weights of pages are read when they are asked for.
 */
import { bitsIn, PageBits } from '../page-bits.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { PageFinder, PageList, SomePages } from './page-list.ts';
import { readBlockEnds } from './position-cursor.ts';

export function writeDenseList(into: ByteWriter, bits: PageBits, weights: Uint8Array): void {
  into.append(new Uint8Array(bits.words.buffer));
  into.append(weights);
}

export interface DenseData {
  readonly count: number;
  readonly bytes: number;
  readonly positionBytes: number;
  /** Reads a part of the list. */
  readonly read: (from: number, to: number) => Uint8Array;
  /** Reads what is stored in one row with the byte at `from`, from there on. */
  readonly readRow: (from: number) => Uint8Array;
}

export class DenseList implements PageList {
  readonly count: number;
  readonly bits: PageBits;
  readonly #data: DenseData;
  /** By word of the set: the number of members before it. */
  #ranks: Uint32Array | null = null;
  #blockEnds: Float64Array | null = null;

  constructor(data: DenseData, pagesOfSegment: number) {
    this.count = data.count;
    this.#data = data;
    const words = (pagesOfSegment + 31) >>> 5;
    this.bits = new PageBits(pagesOfSegment, new Uint32Array(data.read(0, 4 * words).slice().buffer));
  }

  get #weightsAt(): number {
    return 4 * this.bits.words.length;
  }

  addTo(bits: PageBits): void {
    bits.or(this.bits);
  }

  addWhere(bits: PageBits, passes: Uint8Array): void {
    const { words } = this.bits;
    const weights = this.#weights();
    let at = 0;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i] as number; word !== 0; word &= word - 1) {
        if (passes[weights[at++] as number] === 1) bits.add(32 * i + 31 - Math.clz32(word & -word));
      }
    }
  }

  addWeights({ pages, count }: SomePages, table: Float64Array, into: Float64Array): void {
    const { words } = this.bits;
    const ranks = this.#rankTable();
    const weightsAt = this.#weightsAt;
    let row: Uint8Array = new Uint8Array(0);
    let rowFrom = 0;
    let rowEnd = 0;
    for (let i = 0; i < count; i++) {
      const page = pages[i] as number;
      const word = words[page >>> 5] as number;
      if (((word >>> (page & 31)) & 1) === 0) continue;
      const place = (ranks[page >>> 5] as number) + bitsIn(word & ((1 << (page & 31)) - 1));
      if (place >= rowEnd) {
        row = this.#data.readRow(weightsAt + place);
        rowFrom = place;
        rowEnd = place + row.length;
      }
      into[i] = (into[i] as number) + (table[row[place - rowFrom] as number] as number);
    }
  }

  finder(): PageFinder {
    const { words } = this.bits;
    const ranks = this.#rankTable();
    return {
      find(page) {
        const word = words[page >>> 5] as number;
        if (((word >>> (page & 31)) & 1) === 0) return -1;
        return (ranks[page >>> 5] as number) + bitsIn(word & ((1 << (page & 31)) - 1));
      },
    };
  }

  all(): { pages: Int32Array; weights: Uint8Array } {
    return { pages: this.bits.toArray(), weights: this.#weights() };
  }

  blockEnds(): Float64Array {
    if (this.#blockEnds !== null) return this.#blockEnds;
    const { read, bytes, positionBytes } = this.#data;
    const from = this.#weightsAt + this.count;
    this.#blockEnds = readBlockEnds(read(from, bytes), 0, this.count, positionBytes);
    return this.#blockEnds;
  }

  #weights(): Uint8Array {
    return this.#data.read(this.#weightsAt, this.#weightsAt + this.count);
  }

  #rankTable(): Uint32Array {
    if (this.#ranks !== null) return this.#ranks;
    const { words } = this.bits;
    const ranks = new Uint32Array(words.length);
    let rank = 0;
    for (let i = 0; i < words.length; i++) {
      ranks[i] = rank;
      rank += bitsIn(words[i] as number);
    }
    this.#ranks = ranks;
    return ranks;
  }
}
