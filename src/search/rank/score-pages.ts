/**
 * What the words of a query add to the scores of pages (BM25F). In: a word, and pages. Out: a gain for each page.
 *
 * The weights of a word on a page, in all its forms, fields and links, are added before they are saturated. So a page
 * does not gain by saying the same thing in three forms.
 */
import type { CompiledWords } from '../evaluate/compiled-query.ts';
import type { PageMatcher } from '../evaluate/match-pages.ts';
import type { LiveSegment, OpenIndex } from '../index/index-reader.ts';
import { PageBits } from '../index/page-bits.ts';
import type { SomePages } from '../index/segment/page-list.ts';
import { LENGTH_OF_BYTE, WEIGHT_OF_BYTE } from '../index/segment/word-places.ts';
import { WEIGHTS } from '../weights.ts';

/** So many pages are scored at once, so that the arrays stay in the cache of the processor. */
export const PAGES_AT_ONCE = 2_048;

/** A word of the query with its rarity. */
export interface ScoredWords {
  readonly words: CompiledWords;
  /** No gain of the word is larger. */
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

/** What a form of a word counts, by the byte of its weight on a page. */
const FORM_WEIGHTS = WEIGHT_OF_BYTE.map((weight) => WEIGHTS.otherForm * weight);

export class PageScorer {
  readonly #matcher: PageMatcher;
  readonly #lengths: Float64Array;
  readonly #weights = new Float64Array(PAGES_AT_ONCE);

  constructor(matcher: PageMatcher, lengths: Float64Array) {
    this.#matcher = matcher;
    this.#lengths = lengths;
  }

  /** All pages of a segment to which the word gives a gain. The caller may change the set. */
  pagesWith({ words }: ScoredWords, live: LiveSegment): PageBits {
    const { terms, phrases, field, pattern } = words;
    if (field === 'any' || field === 'anchor' || pattern !== null) return this.#matcher.match(words, live);
    // A word that is wanted in the title gives a gain by the places in the text, too.
    const bits = new PageBits(live.segment.pages);
    for (const { term } of terms) this.#matcher.lists.list(live, term)?.addTo(bits);
    return phrases.length > 0 ? bits.or(this.#matcher.phrasePages(words, live).bits) : bits;
  }

  /** Adds the gain of a word to the scores of the pages, in their order. At most `PAGES_AT_ONCE` pages. */
  addGains({ words, rarity }: ScoredWords, live: LiveSegment, some: SomePages, scores: Float64Array): void {
    const weights = this.#weights;
    const { pages, count } = some;
    weights.fill(0, 0, count);
    this.#addWeights(words, live, some);
    const lengths = this.#lengths;
    const codes = live.segment.columns.narrow.length;
    for (let i = 0; i < count; i++) {
      const weight = weights[i] as number;
      if (weight === 0) continue;
      const saturated = weight / (weight + (lengths[codes[pages[i] as number] as number] as number));
      scores[i] = (scores[i] as number) + rarity * saturated;
    }
  }

  #addWeights(words: CompiledWords, live: LiveSegment, some: SomePages): void {
    const { terms, phrases, field, pattern } = words;
    const matcher = this.#matcher;
    const weights = this.#weights;
    if (pattern !== null) {
      const found = matcher.match(words, live);
      for (let i = 0; i < some.count; i++) if (found.has(some.pages[i] as number)) weights[i] = 1;
      return;
    }
    if (field !== 'anchor') {
      for (const { term, share } of terms) {
        matcher.lists.list(live, term)?.addWeights(some, share === 1 ? WEIGHT_OF_BYTE : FORM_WEIGHTS, weights);
      }
      if (phrases.length > 0) addPhraseWeights(matcher.phrasePages(words, live), some, weights);
    }
    if (field !== 'any' && field !== 'anchor') return;
    const linked = matcher.linked(words);
    for (let i = 0; linked.size > 0 && i < some.count; i++) {
      const links = linked.get(live.base + (some.pages[i] as number));
      if (links !== undefined) weights[i] = (weights[i] as number) + WEIGHTS.linkText * Math.log2(1 + links);
    }
  }
}

interface WeighedPages extends SomePages {
  readonly weights: Float64Array;
}

function addPhraseWeights(found: WeighedPages, { pages, count }: SomePages, into: Float64Array): void {
  let at = firstFrom(found, pages[0] as number);
  for (let i = 0; i < count && at < found.count; i++) {
    const page = pages[i] as number;
    while (at < found.count && (found.pages[at] as number) < page) at++;
    if (found.pages[at] === page && at < found.count) into[i] = (into[i] as number) + (found.weights[at] as number);
  }
}

function firstFrom({ pages, count }: SomePages, page: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((pages[middle] as number) < page) low = middle + 1;
    else high = middle;
  }
  return low;
}
