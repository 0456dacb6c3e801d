/**
 * Scores the pages of a segment (BM25F). In: the words of a query. Out: a score for each page.
 *
 * The weights of a word on a page, in all its forms, fields and links, are added before they are saturated. So a page
 * does not gain by saying the same thing in three forms.
 */
import type { CompiledWords } from '../evaluate/compiled-query.ts';
import type { PageMatcher } from '../evaluate/match-pages.ts';
import { WordPositions } from '../evaluate/word-positions.ts';
import type { LiveSegment, OpenIndex } from '../index/index-reader.ts';
import type { Segment } from '../index/segment/segment.ts';
import {
  DESCRIPTION_FROM,
  LENGTH_OF_BYTE,
  PLACE_WEIGHTS,
  type Place,
  TEXT_FROM,
  URL_FROM,
  WEIGHT_OF_BYTE,
} from '../index/segment/word-places.ts';
import { WEIGHTS } from '../weights.ts';

/** The first places of a phrase on a long page say enough. */
const MOST_PLACES = 200;

/** A word of the query with its rarity. */
export interface ScoredWords {
  readonly words: CompiledWords;
  readonly rarity: number;
  /** The number of pages that have it. Pages with several forms are counted several times. */
  readonly pages: number;
}

/** The rarity of words (inverse document frequency). Pages with several forms are counted several times. */
export function scoredWords(words: CompiledWords, { index, lists }: PageMatcher): ScoredWords {
  let pages = 0;
  for (const live of index.segments) {
    for (const { term } of words.terms) pages += lists.find(live, term)?.count ?? 0;
    // A phrase is at least as rare as its rarest word.
    for (const phrase of words.phrases) {
      const counts = phrase.map(({ terms }) =>
        terms.reduce((sum, term) => sum + (lists.find(live, term)?.count ?? 0), 0),
      );
      pages += Math.min(...counts);
    }
  }
  // The words of a pattern count alike, so that a rare one does not decide.
  return { words, pages, rarity: words.pattern === null ? rarityOf(pages, index) : WEIGHTS.pattern };
}

/** The lists of words also have the pages that do not count (any more), so all pages are compared. */
export function rarityOf(pages: number, { numbers }: OpenIndex): number {
  const having = Math.min(pages, numbers);
  return Math.log(1 + (numbers - having + 0.5) / (having + 0.5));
}

/** By the code of a page's length: what is added to the weight of a word when it is saturated. */
export function lengthTable({ averageLength }: OpenIndex): Float64Array {
  const { saturation, lengthLoss } = WEIGHTS;
  return LENGTH_OF_BYTE.map((length) => saturation * (1 - lengthLoss + (lengthLoss * length) / averageLength));
}

/** Kept between queries: 16 bytes for each page, which the garbage collector would find late. */
const ARRAYS = new WeakMap<Segment, readonly [Float64Array, Float64Array]>();

/**
 * The scores of all pages of a segment. One array serves all words. The next object for the same segment uses the same
 * arrays, so there is one at a time.
 */
export class SegmentScores {
  readonly scores: Float64Array;
  readonly #live: LiveSegment;
  readonly #matcher: PageMatcher;
  readonly #lengths: Float64Array;
  readonly #weights: Float64Array;

  constructor(live: LiveSegment, matcher: PageMatcher, lengths: Float64Array) {
    const { segment } = live;
    const kept = ARRAYS.get(segment) ?? [new Float64Array(segment.pages), new Float64Array(segment.pages)];
    ARRAYS.set(segment, kept);
    [this.scores, this.#weights] = kept;
    for (const array of kept) array.fill(0);
    this.#live = live;
    this.#matcher = matcher;
    this.#lengths = lengths;
  }

  add(scored: ScoredWords): void {
    const pages = this.#collect(scored.words);
    const codes = this.#live.segment.columns.narrow.length;
    const weights = this.#weights;
    for (let i = 0; i < pages.length; i++) {
      const page = pages[i] as number;
      const weight = weights[page] as number;
      if (weight === 0) continue;
      weights[page] = 0;
      const saturated = weight / (weight + (this.#lengths[codes[page] as number] as number));
      this.scores[page] = (this.scores[page] as number) + scored.rarity * saturated;
    }
  }

  /** Adds up the weights of a word. Returns the pages that have it; a page may occur several times. */
  #collect(words: CompiledWords): Int32Array {
    const { lists } = this.#matcher;
    const live = this.#live;
    const weights = this.#weights;
    const parts: Int32Array[] = [];
    if (words.field !== 'anchor') {
      for (const { term, share } of words.terms) {
        const list = lists.list(live, term);
        if (list === null) continue;
        parts.push(list.pages);
        addWeights(list.pages, list.weights, share, weights);
      }
    }
    const { base, segment } = live;
    if (words.pattern !== null) {
      const pages = this.#matcher.match(words, live).toArray();
      for (const page of pages) weights[page] = (weights[page] as number) + 1;
      parts.push(pages);
    } else if (words.phrases.length > 0 && words.field !== 'anchor') parts.push(this.#addPhrases(words));
    if (words.pattern === null && (words.field === 'any' || words.field === 'anchor')) {
      const linked: number[] = [];
      for (const [number, links] of this.#matcher.linked(words)) {
        const page = number - base;
        if (page < 0 || page >= segment.pages) continue;
        weights[page] = (weights[page] as number) + WEIGHTS.linkText * Math.log2(1 + links);
        linked.push(page);
      }
      parts.push(Int32Array.from(linked));
    }
    return parts.length === 1 ? parts[0]! : concat(parts);
  }

  /** Adds what the places of the phrases count. Returns their pages. */
  #addPhrases(words: CompiledWords): Int32Array {
    const { lists } = this.#matcher;
    const weights = this.#weights;
    const phrases = { ...words, terms: [] };
    const pages = this.#matcher.match(phrases, this.#live).toArray();
    const positions = new WordPositions(phrases, this.#live, lists);
    for (const page of pages) {
      const { starts, count } = positions.on(page, MOST_PLACES);
      let weight = 0;
      for (let i = 0; i < count; i++) weight += PLACE_WEIGHTS[placeAt(starts[i] as number)];
      weights[page] = (weights[page] as number) + weight;
    }
    return pages;
  }
}

/** The roles of blocks are not known here. */
function placeAt(position: number): Place {
  if (position >= TEXT_FROM) return 'text';
  return position >= DESCRIPTION_FROM ? 'description' : position >= URL_FROM ? 'url' : 'title';
}

function addWeights(pages: Int32Array, codes: Uint8Array, share: number, weights: Float64Array): void {
  for (let i = 0; i < pages.length; i++) {
    const page = pages[i] as number;
    weights[page] = (weights[page] as number) + share * (WEIGHT_OF_BYTE[codes[i] as number] as number);
  }
}

function concat(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
