/**
 * The positions at which a word or phrase begins on single pages. In: the words of a query, and pages in ascending
 * order. Out: the positions on each page, ascending.
 */
import type { LiveSegment } from '../index/index-reader.ts';
import { NO_POSITION, type PositionCursor } from '../index/segment/position-cursor.ts';
import { DESCRIPTION_FROM, MAX_POSITION, TEXT_FROM, TITLE_FROM, URL_FROM } from '../index/segment/word-places.ts';
import type { WordField } from '../query/query.ts';
import type { CompiledTerm, Phrase } from './compiled-query.ts';
import { type Positions, PositionUnion } from './position-union.ts';
import type { TermLists } from './term-lists.ts';

interface Range {
  readonly from: number;
  readonly to: number;
}

const RANGES: Readonly<Record<WordField, Range>> = {
  any: { from: TITLE_FROM, to: MAX_POSITION * 2 },
  title: { from: TITLE_FROM, to: URL_FROM },
  url: { from: URL_FROM, to: DESCRIPTION_FROM },
  anchor: { from: 0, to: 0 },
};

export function rangeOf(field: WordField): Range {
  return RANGES[field];
}

/** The field in which a position is. The numbers of fields are only compared. */
export function fieldOf(position: number): number {
  if (position >= TEXT_FROM) return 3;
  return position >= DESCRIPTION_FROM ? 2 : position >= URL_FROM ? 1 : 0;
}

export interface PositionQuery {
  readonly terms: readonly CompiledTerm[];
  readonly phrases: readonly Phrase[];
  /** `link`: the positions of link texts, which have no fields. */
  readonly field: WordField | 'link';
}

/** The matches on one page: their first and last positions. The arrays are used again for the next page. */
export interface FoundPositions {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly count: number;
}

interface OpenPhrase {
  readonly parts: readonly Positions[];
  readonly offsets: readonly number[];
  readonly length: number;
  /** The place of each part. The array is used again for the next page. */
  readonly places: number[];
}

export class WordPositions {
  readonly #cursors: readonly PositionCursor[];
  readonly #phrases: readonly OpenPhrase[];
  readonly #range: Range;
  #starts = new Int32Array(64);
  #ends = new Int32Array(64);
  #count = 0;
  /** Whether the matches were found in ascending order, each once. */
  #isAscending = true;

  constructor(
    { terms, phrases, field }: PositionQuery,
    live: LiveSegment,
    lists: TermLists,
    keyOf: (term: string) => string = (term) => term,
  ) {
    this.#range = field === 'link' ? { from: 0, to: Number.MAX_SAFE_INTEGER } : RANGES[field];
    this.#cursors = terms.flatMap(({ term }) => lists.positions(live, keyOf(term)) ?? []);
    this.#phrases = phrases.flatMap((phrase) => {
      const cursors = phrase.map((part) => part.terms.flatMap((term) => lists.positions(live, keyOf(term)) ?? []));
      if (cursors.some(({ length }) => length === 0)) return [];
      const parts = cursors.map((some) => (some.length === 1 ? some[0]! : new PositionUnion(some)));
      const offsets = phrase.map(({ offset }) => offset);
      return { parts, offsets, length: Math.max(...offsets), places: offsets.map(() => 0) };
    });
  }

  /** Whether the page has a match. It stops at the first one. Pages must be asked for in ascending order, each once. */
  isOn(page: number): boolean {
    let isFound = false;
    for (const cursor of this.#cursors) {
      if (isFound || !cursor.seek(page)) continue;
      let position = cursor.next();
      while (position < this.#range.from) position = cursor.next();
      isFound = position < this.#range.to;
    }
    for (const phrase of this.#phrases) isFound ||= this.#walkPhrase(phrase, page, false);
    return isFound;
  }

  /**
   * The positions of matches on the page, ascending: all, or the first `most` of each term. Pages must be asked for in
   * ascending order, each once.
   */
  on(page: number, most = Number.POSITIVE_INFINITY): FoundPositions {
    this.#count = 0;
    this.#isAscending = true;
    for (const cursor of this.#cursors) {
      if (!cursor.seek(page)) continue;
      let left = most;
      for (let position = cursor.next(); position < this.#range.to && left-- > 0; position = cursor.next()) {
        this.#add(position, 0);
      }
    }
    for (const phrase of this.#phrases) this.#walkPhrase(phrase, page, true);
    if (!this.#isAscending) this.#sort();
    return { starts: this.#starts, ends: this.#ends, count: this.#count };
  }

  #add(start: number, length: number): void {
    if (start < this.#range.from || start >= this.#range.to) return;
    if (this.#count === this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#ends = doubled(this.#ends);
    }
    if (this.#count > 0 && start <= (this.#starts[this.#count - 1] as number)) this.#isAscending = false;
    this.#starts[this.#count] = start;
    this.#ends[this.#count++] = start + length;
  }

  /** Sorts by the start. Two ways to read a word may give the same match. */
  #sort(): void {
    if (this.#phrases.length === 0) {
      const sorted = this.#starts.subarray(0, this.#count).sort();
      this.#count = 0;
      for (const start of sorted) if (start !== this.#starts[this.#count - 1]) this.#add(start, 0);
      return;
    }
    const starts = this.#starts.slice(0, this.#count);
    const ends = this.#ends.slice(0, this.#count);
    const order = Uint32Array.from(starts.keys()).sort((a, b) => starts[a]! - starts[b]! || ends[a]! - ends[b]!);
    this.#count = 0;
    for (const i of order) {
      const [start, end] = [starts[i] as number, ends[i] as number];
      const last = this.#count - 1;
      if (last >= 0 && this.#starts[last] === start && this.#ends[last] === end) continue;
      this.#add(start, end - start);
    }
  }

  /** Goes through all terms of a phrase in step. Adds all its positions, or stops at the first one. */
  #walkPhrase({ parts, offsets, length, places }: OpenPhrase, page: number, wantsAll: boolean): boolean {
    let hasAll = true;
    for (const part of parts) hasAll = part.seek(page) && hasAll;
    if (!hasAll) return false;
    for (let i = 0; i < parts.length; i++) places[i] = parts[i]!.next();
    let isFound = false;
    for (let start = this.#range.from; ; start++) {
      // The start moves forward until all terms agree.
      for (let agreed = 0, i = 0; agreed < parts.length; i = (i + 1) % parts.length) {
        const offset = offsets[i] as number;
        let place = places[i] as number;
        while (place - offset < start) place = parts[i]!.next();
        places[i] = place;
        if (place === NO_POSITION) return isFound;
        agreed = place - offset === start ? agreed + 1 : 1;
        start = place - offset;
      }
      if (start >= this.#range.to) return isFound;
      isFound = true;
      if (!wantsAll) return true;
      this.#add(start, length);
    }
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * array.length);
  grown.set(array);
  return grown;
}
