/**
 * The positions at which a word or phrase begins on single pages. In: the words of a query, and pages in ascending
 * order. Out: the positions on each page, ascending.
 */
import type { LiveSegment } from '../index/index-reader.ts';
import type { PositionsOnPage } from '../index/segment/position-cursor.ts';
import { DESCRIPTION_FROM, MAX_POSITION, TEXT_FROM, TITLE_FROM, URL_FROM } from '../index/segment/word-places.ts';
import type { WordField } from '../query/query.ts';
import type { CompiledTerm, Phrase } from './compiled-query.ts';
import { PositionUnion } from './position-union.ts';
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

/**
 * The matches on one page: their first and last positions, from one index of the arrays to another. For single words
 * both are the same array. It is used again for the next page.
 */
export interface FoundPositions {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly from: number;
  readonly to: number;
}

export function hasAny({ from, to }: FoundPositions): boolean {
  return from < to;
}

interface OpenPhrase {
  readonly parts: readonly PositionsOnPage[];
  readonly offsets: readonly number[];
  readonly length: number;
  /** How far each part is read. The array is used again for the next page. */
  readonly at: number[];
}

const NONE = new Int32Array(0);

export class WordPositions {
  /** Null if there is no single term. */
  readonly #words: PositionsOnPage | null;
  readonly #phrases: readonly OpenPhrase[];
  readonly #range: Range;
  /** The matches of phrases, with those of words beside them. */
  #starts = new Int32Array(64);
  #ends = new Int32Array(64);
  #count = 0;
  /** Whether the matches were found in ascending order, each once. */
  #isAscending = true;
  readonly #found: { -readonly [Name in keyof FoundPositions]: FoundPositions[Name] } = {
    starts: NONE,
    ends: NONE,
    from: 0,
    to: 0,
  };

  constructor(
    { terms, phrases, field }: PositionQuery,
    live: LiveSegment,
    lists: TermLists,
    keyOf: (term: string) => string = (term) => term,
  ) {
    this.#range = field === 'link' ? { from: 0, to: Number.MAX_SAFE_INTEGER } : RANGES[field];
    const open = (some: readonly string[]): PositionsOnPage | null => {
      const cursors = some.flatMap((term) => lists.positions(live, keyOf(term)) ?? []);
      return cursors.length === 1 ? cursors[0]! : cursors.length === 0 ? null : new PositionUnion(cursors);
    };
    this.#words = open(terms.map(({ term }) => term));
    this.#phrases = phrases.flatMap((phrase) => {
      const parts = phrase.flatMap(({ terms: some }) => open(some) ?? []);
      if (parts.length < phrase.length) return [];
      const offsets = phrase.map(({ offset }) => offset);
      return { parts, offsets, length: Math.max(...offsets), at: offsets.map(() => 0) };
    });
  }

  /**
   * The positions of matches on the page, ascending: all, or the first `most` of the single terms. Pages must be asked
   * for in ascending order, each once.
   */
  on(page: number, most = Number.POSITIVE_INFINITY): FoundPositions {
    const found = this.#found;
    found.from = 0;
    found.to = 0;
    if (this.#words?.seek(page)) {
      const { positions, to } = this.#words;
      let { from } = this.#words;
      while (from < to && (positions[from] as number) < this.#range.from) from++;
      let end = from;
      const last = Math.min(to, from + most);
      if (this.#range.to > MAX_POSITION) end = last;
      else while (end < last && (positions[end] as number) < this.#range.to) end++;
      found.starts = positions;
      found.ends = positions;
      found.from = from;
      found.to = end;
    }
    return this.#phrases.length === 0 ? found : this.#withPhrases(page);
  }

  #withPhrases(page: number): FoundPositions {
    const found = this.#found;
    this.#count = 0;
    this.#isAscending = true;
    for (let at = found.from; at < found.to; at++) this.#add(found.starts[at] as number, 0);
    for (const phrase of this.#phrases) this.#addPhrase(phrase, page);
    if (!this.#isAscending) this.#sort();
    found.starts = this.#starts;
    found.ends = this.#ends;
    found.from = 0;
    found.to = this.#count;
    return found;
  }

  #add(start: number, length: number): void {
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

  /** Goes through all terms of a phrase in step, and adds the places where all of them agree. */
  #addPhrase({ parts, offsets, length, at }: OpenPhrase, page: number): void {
    for (const part of parts) if (!part.seek(page)) return;
    const count = parts.length;
    for (let i = 0; i < count; i++) at[i] = parts[i]!.from;
    for (let start = this.#range.from; ; start++) {
      // The start moves forward until all terms agree.
      for (let agreed = 0, i = 0; agreed < count; i = i + 1 === count ? 0 : i + 1) {
        const { positions, to } = parts[i]!;
        const wanted = start + (offsets[i] as number);
        let next = at[i] as number;
        while (next < to && (positions[next] as number) < wanted) next++;
        at[i] = next;
        if (next === to) return;
        const place = positions[next] as number;
        agreed = place === wanted ? agreed + 1 : 1;
        start = place - (offsets[i] as number);
      }
      if (start >= this.#range.to) return;
      this.#add(start, length);
    }
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(2 * array.length);
  grown.set(array);
  return grown;
}
