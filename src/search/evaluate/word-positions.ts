/**
 * The positions at which a word or phrase begins on single pages. In: the words of a query, and pages in ascending
 * order. Out: the positions on each page, ascending.
 */
import type { LiveSegment } from '../index/index-reader.ts';
import { NO_POSITION, type PositionCursor } from '../index/segment/postings-reader.ts';
import { DESCRIPTION_FROM, MAX_POSITION, TEXT_FROM, TITLE_FROM, URL_FROM } from '../index/segment/word-places.ts';
import type { WordField } from '../query/query.ts';
import type { CompiledTerm, PhraseTerm } from './compiled-query.ts';
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

/** The field in which a position is. The numbers of fields are only compared. */
export function fieldOf(position: number): number {
  if (position >= TEXT_FROM) return 3;
  return position >= DESCRIPTION_FROM ? 2 : position >= URL_FROM ? 1 : 0;
}

export interface PositionQuery {
  readonly terms: readonly CompiledTerm[];
  readonly phrases: readonly (readonly PhraseTerm[])[];
  /** `link`: the positions of link texts, which have no fields. */
  readonly field: WordField | 'link';
}

/** The positions of one page. The array is used again for the next page. */
export interface FoundPositions {
  readonly starts: Int32Array;
  readonly count: number;
}

interface OpenPhrase {
  readonly cursors: readonly PositionCursor[];
  readonly offsets: readonly number[];
}

export class WordPositions {
  readonly #cursors: readonly PositionCursor[];
  readonly #phrases: readonly OpenPhrase[];
  readonly #range: Range;
  #starts = new Int32Array(64);
  #count = 0;
  /** The number of positions that a match takes, minus one. */
  readonly length: number;

  constructor(
    { terms, phrases, field }: PositionQuery,
    live: LiveSegment,
    lists: TermLists,
    keyOf: (term: string) => string = (term) => term,
  ) {
    this.#range = field === 'link' ? { from: 0, to: Number.MAX_SAFE_INTEGER } : RANGES[field];
    this.#cursors = terms.flatMap(({ term }) => lists.positions(live, keyOf(term)) ?? []);
    this.#phrases = phrases.flatMap((phrase) => {
      const cursors = phrase.map(({ term }) => lists.positions(live, keyOf(term)));
      const complete = cursors.filter((cursor) => cursor !== null);
      if (complete.length < cursors.length) return [];
      return { cursors: complete, offsets: phrase.map(({ offset }) => offset) };
    });
    this.length = phrases.flat().reduce((most, { offset }) => Math.max(most, offset), 0);
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

  /** All positions of matches on the page, ascending. Pages must be asked for in ascending order, each once. */
  on(page: number): FoundPositions {
    this.#count = 0;
    for (const cursor of this.#cursors) {
      if (!cursor.seek(page)) continue;
      for (let position = cursor.next(); position < this.#range.to; position = cursor.next()) this.#add(position);
    }
    for (const phrase of this.#phrases) this.#walkPhrase(phrase, page, true);
    if (this.#cursors.length + this.#phrases.length > 1) this.#sort();
    return { starts: this.#starts, count: this.#count };
  }

  #add(position: number): void {
    if (position < this.#range.from || position >= this.#range.to) return;
    if (this.#count === this.#starts.length) {
      const grown = new Int32Array(2 * this.#count);
      grown.set(this.#starts);
      this.#starts = grown;
    }
    this.#starts[this.#count++] = position;
  }

  #sort(): void {
    const sorted = this.#starts.subarray(0, this.#count).sort();
    let count = 0;
    for (let i = 0; i < sorted.length; i++) {
      if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[count++] = sorted[i] as number;
    }
    this.#count = count;
  }

  /** Goes through all terms of a phrase in step. Adds all its positions, or stops at the first one. */
  #walkPhrase({ cursors, offsets }: OpenPhrase, page: number, wantsAll: boolean): boolean {
    let hasAll = true;
    for (const cursor of cursors) hasAll = cursor.seek(page) && hasAll;
    if (!hasAll) return false;
    const places = cursors.map((cursor) => cursor.next());
    let isFound = false;
    for (let start = this.#range.from; ; start++) {
      // The start moves forward until all terms agree.
      for (let agreed = 0, i = 0; agreed < cursors.length; i = (i + 1) % cursors.length) {
        const offset = offsets[i] as number;
        let place = places[i] as number;
        while (place - offset < start) place = cursors[i]!.next();
        places[i] = place;
        if (place === NO_POSITION) return isFound;
        agreed = place - offset === start ? agreed + 1 : 1;
        start = place - offset;
      }
      if (start >= this.#range.to) return isFound;
      isFound = true;
      if (!wantsAll) return true;
      this.#add(start);
    }
  }
}
