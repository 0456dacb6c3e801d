/**
 * The schedule's data about each page: 37 bytes, in columns. Columns are stored in blocks, so that growing copies
 * nothing and leaves at most one block unused. A page's place is its number in ascending order of ids. A page
 * that is gone keeps its place.
 */
import type { Evidence } from './rate-prior.ts';

const BLOCK_PAGES = 16_384;
const BLOCK_BITS = 14;

/** The columns are indexed by row, the place within the block. */
export class Block {
  readonly checkedAtMs: Float64Array;
  readonly rhythms: Float64Array;
  readonly ids: Uint32Array;
  readonly groups: Uint32Array;
  /** Written by `packCount`. */
  readonly changes: Uint16Array;
  /** The geometric mean of the intervals with a change, and the sum of the others. Written by `packLog`. */
  readonly changedMeanMs: Uint16Array;
  readonly quietMs: Uint16Array;
  readonly weights: Uint16Array;
  /** Written by `packInterval`. */
  readonly intervals: Uint16Array;
  readonly depths: Uint8Array;
  /** The share of changes that the page's change source does not report, in 255ths. 255 if the page has no source. */
  readonly missed: Uint8Array;
  readonly flags: Uint8Array;

  constructor() {
    const buffer = new ArrayBuffer(BLOCK_PAGES * PAGE_BYTES);
    let offset = 0;
    const next = (bytes: number) => {
      const start = offset;
      offset += BLOCK_PAGES * bytes;
      return start;
    };
    this.checkedAtMs = new Float64Array(buffer, next(8), BLOCK_PAGES);
    this.rhythms = new Float64Array(buffer, next(8), BLOCK_PAGES);
    this.ids = new Uint32Array(buffer, next(4), BLOCK_PAGES);
    this.groups = new Uint32Array(buffer, next(4), BLOCK_PAGES);
    this.changes = new Uint16Array(buffer, next(2), BLOCK_PAGES);
    this.changedMeanMs = new Uint16Array(buffer, next(2), BLOCK_PAGES);
    this.quietMs = new Uint16Array(buffer, next(2), BLOCK_PAGES);
    this.weights = new Uint16Array(buffer, next(2), BLOCK_PAGES);
    this.intervals = new Uint16Array(buffer, next(2), BLOCK_PAGES);
    this.depths = new Uint8Array(buffer, next(1), BLOCK_PAGES);
    this.missed = new Uint8Array(buffer, next(1), BLOCK_PAGES);
    this.flags = new Uint8Array(buffer, next(1), BLOCK_PAGES);
  }
}

export const PAGE_BYTES = 37;
/** A change source reports a change since the last visit. */
export const CLAIMED = 1;

const MINUTE_MS = 60_000;
/** Steps per factor of e. They store an interval to within 0.02 %. */
const INTERVAL_PARTS = 4_000;

/** Stores an interval from one minute to twenty years in two bytes. */
export function packInterval(intervalMs: number): number {
  return Math.min(0xffff, Math.max(0, Math.round(INTERVAL_PARTS * Math.log(intervalMs / MINUTE_MS))));
}

export function unpackInterval(packed: number): number {
  return MINUTE_MS * Math.exp(packed / INTERVAL_PARTS);
}

export function evidenceAt(block: Block, row: number): Evidence {
  const changes = unpackCount(block.changes[row]!);
  const changedLogMs = changes > 0 ? changes * logOf(block.changedMeanMs[row]!) : 0;
  return { changes, changedLogMs, quietMs: unpackLog(block.quietMs[row]!) };
}

/** Changes fade, so there are never more than sixty. */
const COUNT_PARTS = 1_024;

export function packCount(count: number): number {
  return Math.min(0xffff, Math.round(count * COUNT_PARTS));
}

export function unpackCount(packed: number): number {
  return packed / COUNT_PARTS;
}

/** Times in milliseconds, and weights, from e^−30 to e^30. Stored to within 0.05 %; 0 is exact. */
const MOST_LOG = 30;
const LOG_PARTS = 0xfffe / (2 * MOST_LOG);

export function packLog(value: number): number {
  if (!(value > 0)) return 0;
  return 1 + Math.round(LOG_PARTS * (MOST_LOG + Math.min(MOST_LOG, Math.max(-MOST_LOG, Math.log(value)))));
}

export function unpackLog(packed: number): number {
  return packed === 0 ? 0 : Math.exp(logOf(packed));
}

/** The logarithm of what `packLog` stored. */
export function logOf(packed: number): number {
  return packed === 0 ? Number.NEGATIVE_INFINITY : (packed - 1) / LOG_PARTS - MOST_LOG;
}

export class PageColumns {
  readonly blocks: Block[] = [];
  #count = 0;
  #lastId = -1;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.blocks.length * BLOCK_PAGES * PAGE_BYTES;
  }

  blockOf(place: number): Block {
    return this.blocks[place >>> BLOCK_BITS] as Block;
  }

  /** What the visits of a page have shown. */
  evidenceOf(place: number): Evidence {
    return evidenceAt(this.blockOf(place), this.rowOf(place));
  }

  rowOf(place: number): number {
    return place & (BLOCK_PAGES - 1);
  }

  /** Number of pages in a block that is in use. */
  rowsOf(block: number): number {
    return Math.min(BLOCK_PAGES, this.#count - block * BLOCK_PAGES);
  }

  /** Returns the place of a page, or −1. */
  find(id: number): number {
    let low = 0;
    let high = this.#count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = this.blockOf(middle).ids[this.rowOf(middle)] as number;
      if (found === id) return middle;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Returns the place of a known page, or adds a new page. */
  open(id: number): number {
    if (id <= this.#lastId) {
      const place = this.find(id);
      if (place < 0) throw new RangeError(`page ${id} comes after page ${this.#lastId}, but ids must ascend`);
      return place;
    }
    if (!Number.isInteger(id) || id < 0 || id > 0xffff_ffff) throw new RangeError(`${id} is not the id of a page`);
    if (this.#count === this.blocks.length * BLOCK_PAGES) this.blocks.push(new Block());
    const place = this.#count++;
    this.#lastId = id;
    this.blockOf(place).ids[this.rowOf(place)] = id;
    return place;
  }
}
