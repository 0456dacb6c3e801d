/**
 * Reads the index, also while another process writes it. In: the folder. Out: one state of the index for the time of a
 * query. Segments never change, so those that are still in the index stay open between queries.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { isTransient } from '../../core/sqlite-reading.ts';
import { IndexDatabase } from './index-database.ts';
import { PageBits } from './page-bits.ts';
import type { Segment } from './segment/segment.ts';
import { LENGTH_OF_BYTE } from './segment/word-places.ts';

/** A segment in one state of the index. */
export interface LiveSegment {
  readonly segment: Segment;
  /** The pages that were not replaced or removed. */
  readonly live: PageBits;
  /** Pages of all segments are numbered in one row, too: this is the number of the first one. */
  readonly base: number;
}

export interface OpenIndex {
  readonly segments: readonly LiveSegment[];
  /** The number of live pages. */
  readonly pages: number;
  /** All pages, also dead ones. */
  readonly numbers: number;
  readonly averageLength: number;
  /** The average over the pages that have a PageRank; 1 if none has. */
  readonly averageRank: number;
  readonly languages: readonly string[];
  /** The number of a page in the common row; -1 if the URL is not in the index. */
  readonly numberOf: (urlId: number) => number;
}

/** A starting writer is noticed once. */
const MOST_READINGS = 20;

export class IndexReader {
  readonly #dir: string;
  #database: IndexDatabase;
  #version = -1;
  #open: OpenIndex | null = null;

  private constructor(dir: string, database: IndexDatabase) {
    this.#dir = dir;
    this.#database = database;
  }

  /** Null if there is no index that this version can read. */
  static open(dir: string): IndexReader | null {
    const database = IndexDatabase.openForReading(dir);
    return database === null ? null : new IndexReader(dir, database);
  }

  /** Reads in one state of the index. `work` may be called again, if a writer has started meanwhile. */
  read<Result>(work: (index: OpenIndex, database: IndexDatabase) => Result): Result {
    for (let readings = 1; ; readings++) {
      const database = this.#database;
      try {
        const result = database.transaction(() => work(this.#state(), database), 'read');
        if (database.isCurrent) return result;
      } catch (error) {
        if ((database.isCurrent && !isTransient(error)) || readings === MOST_READINGS) throw error;
      }
      this.#reopen();
    }
  }

  #reopen(): void {
    const database = IndexDatabase.openForReading(this.#dir);
    if (database === null) throw new OrbweaverError('ERR_NO_INDEX', `the search index in ${this.#dir} was removed`);
    this.#database.close();
    this.#database = database;
    this.#open = null;
  }

  get bytes(): number {
    return this.#database.bytes;
  }

  #state(): OpenIndex {
    const version = this.#database.version;
    if (this.#open !== null && version === this.#version) return this.#open;
    const known = new Map(this.#open?.segments.map(({ segment }) => [segment.id, segment]));
    let base = 0;
    const segments = this.#database.segments().map((row): LiveSegment => {
      const segment = known.get(row.id) ?? this.#database.openForQueries(row);
      const first = base;
      base += segment.pages;
      return { segment, live: PageBits.all(segment.pages).without(row.dead), base: first };
    });
    this.#version = version;
    this.#open = describeIndex(segments, base);
    return this.#open;
  }

  close(): void {
    this.#database.close();
  }
}

/** The figures of an index that has these pages. */
export function describeIndex(segments: readonly LiveSegment[], numbers: number): OpenIndex {
  let pages = 0;
  let length = 0;
  let ranked = 0;
  let ranks = 0;
  for (const { segment, live } of segments) {
    const lengths = segment.columns.narrow.length;
    for (let page = 0; page < segment.pages; page++) {
      if (!live.has(page)) continue;
      pages++;
      length += LENGTH_OF_BYTE[lengths[page] as number] as number;
      const rank = segment.columns.pageRank(page);
      ranks += rank;
      if (rank > 0) ranked++;
    }
  }
  const languages = [...new Set(segments.flatMap(({ segment }) => segment.facts.languages))].sort();
  let places: PlaceTable | null = null;
  return {
    segments,
    pages,
    numbers,
    averageLength: pages === 0 ? 1 : length / pages,
    averageRank: ranked === 0 ? 1 : ranks / ranked,
    languages,
    numberOf(urlId) {
      places ??= new PlaceTable(segments, pages);
      return places.get(urlId);
    },
  };
}

/** The numbers of pages by the ids of their URLs: an open hash table, because a Map would need ten times the memory. */
class PlaceTable {
  readonly #ids: Uint32Array;
  readonly #numbers: Uint32Array;
  readonly #mask: number;

  constructor(segments: readonly LiveSegment[], pages: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * pages + 2));
    this.#ids = new Uint32Array(slots);
    this.#numbers = new Uint32Array(slots);
    this.#mask = slots - 1;
    for (const { segment, live, base } of segments) {
      for (const page of live) {
        const id = segment.columns.wide.urlId[page] as number;
        const slot = this.#slotOf(id);
        this.#ids[slot] = id;
        this.#numbers[slot] = base + page;
      }
    }
  }

  /** Ids begin at 1, so 0 is an empty slot. */
  #slotOf(id: number): number {
    let slot = Math.imul(id, 0x9e37_79b1) >>> 0;
    for (slot &= this.#mask; this.#ids[slot] !== 0 && this.#ids[slot] !== id; ) slot = (slot + 1) & this.#mask;
    return slot;
  }

  get(id: number): number {
    const slot = this.#slotOf(id);
    return this.#ids[slot] === id && id !== 0 ? (this.#numbers[slot] as number) : -1;
  }
}
