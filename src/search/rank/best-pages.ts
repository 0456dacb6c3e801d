/**
 * Finds the best of many pages without scoring all of them, and leaves out none that belongs to them (MaxScore). In:
 * sets of pages of segments, and the words of a query. Out: the best pages with their exact scores.
 *
 * No word can give more than its rarity. So pages with the rarest word are scored first, then those that have only the
 * words after it, and so on. As soon as the words that are left cannot lift a page above the worst of the best pages so
 * far, the rest is passed over. On 100,000 pages the lists of frequent words are then hardly read.
 */
import type { CompiledWords } from '../evaluate/compiled-query.ts';
import type { PageMatcher } from '../evaluate/match-pages.ts';
import type { LiveSegment } from '../index/index-reader.ts';
import type { PageBits } from '../index/page-bits.ts';
import { RANK_OF_CODE } from '../index/segment/page-columns.ts';
import { WEIGHTS } from '../weights.ts';
import { PAGES_AT_ONCE, PageScorer, type ScoredWords } from './score-pages.ts';
import { TopPages } from './top-pages.ts';

/** Sums of numbers with fractions may differ by less than this. */
const ROUNDING = 1e-9;

/** The words with the highest gains first. A word that is in the query twice gives twice its gain. */
export function inOrder(words: readonly ScoredWords[]): ScoredWords[] {
  const joined = new Map<CompiledWords, ScoredWords>();
  for (const word of words) {
    const rarity = word.rarity + (joined.get(word.words)?.rarity ?? 0);
    joined.set(word.words, { ...word, rarity });
  }
  return [...joined.values()].sort((a, b) => b.rarity - a.rarity);
}

export class BestPages {
  readonly top: TopPages;
  readonly #scorer: PageScorer;
  /** Gains are added in this order. */
  readonly #words: readonly ScoredWords[];
  /** By word: what it and all words after it can give at most, with the gain of the highest PageRank. */
  readonly #most: readonly number[];
  /** By the code of a PageRank. */
  readonly #rankGains: Float64Array;
  readonly #pages = new Int32Array(PAGES_AT_ONCE);
  readonly #scores = new Float64Array(PAGES_AT_ONCE);

  constructor(words: readonly ScoredWords[], matcher: PageMatcher, lengths: Float64Array, most: number) {
    this.top = new TopPages(most);
    this.#scorer = new PageScorer(matcher, lengths);
    this.#words = inOrder(words);
    const { averageRank, highestRank } = matcher.index;
    this.#rankGains = RANK_OF_CODE.map((rank) => WEIGHTS.pageRank * Math.log10(1 + rank / averageRank));
    const sums = [this.#rankGains[highestRank]! + ROUNDING];
    for (const { rarity } of this.#words.toReversed()) sums.unshift(sums[0]! + rarity);
    this.#most = sums;
  }

  /** Takes the best of these pages. The set is empty afterwards. */
  take(tier: number, pages: PageBits, live: LiveSegment): void {
    for (const [first, word] of this.#words.entries()) {
      if (!this.top.mayAdmit(tier, this.#most[first]!)) return;
      const having = this.#scorer.pagesWith(word, live).and(pages);
      pages.without(having);
      this.#takeAll(tier, having, first, live);
    }
    // Filters and NOT find pages without any of the words.
    const none = this.#words.length;
    if (this.top.mayAdmit(tier, this.#most[none]!)) this.#takeAll(tier, pages, none, live);
  }

  /** These pages have none of the words before `first`. */
  #takeAll(tier: number, { words }: PageBits, first: number, live: LiveSegment): void {
    let count = 0;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i] as number; word !== 0; word &= word - 1) {
        this.#pages[count++] = 32 * i + 31 - Math.clz32(word & -word);
        if (count < PAGES_AT_ONCE) continue;
        this.#takeSome(tier, count, first, live);
        count = 0;
      }
    }
    if (count > 0) this.#takeSome(tier, count, first, live);
  }

  #takeSome(tier: number, all: number, first: number, live: LiveSegment): void {
    const pages = this.#pages;
    const scores = this.#scores;
    let count = all;
    scores.fill(0, 0, count);
    for (let at = first; at < this.#words.length && count > 0; at++) {
      this.#scorer.addGains(this.#words[at]!, live, { pages, count }, scores);
      if (at + 1 < this.#words.length) count = this.#leaveHopeful(tier, count, this.#most[at + 1]!);
    }
    const codes = live.segment.columns.narrow.rank;
    for (let i = 0; i < count; i++) {
      const page = pages[i] as number;
      const score = (scores[i] as number) + (this.#rankGains[codes[page] as number] as number);
      const number = live.base + page;
      if (this.top.admits(tier, score, number)) this.top.add({ number, tier, score });
    }
  }

  /** Removes pages that cannot be among the best if they gain at most so much more. Returns how many are left. */
  #leaveHopeful(tier: number, count: number, more: number): number {
    const pages = this.#pages;
    const scores = this.#scores;
    const least = this.top.leastScore(tier) - more;
    let left = 0;
    for (let i = 0; i < count; i++) {
      const score = scores[i] as number;
      if (score < least) continue;
      pages[left] = pages[i] as number;
      scores[left++] = score;
    }
    return left;
  }
}
