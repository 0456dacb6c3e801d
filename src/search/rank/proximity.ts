/**
 * The gain of pages on which words of the query stand together. In: the words in the order of the query, and pages in
 * ascending order. Out: a gain for each page.
 *
 * Only neighbours in the query are compared, as in `search engine index`: (search, engine), (engine, index). Each pair
 * of places within the window gives 1/distance², and more in the order of the query. The sum is saturated like the
 * weight of a word.
 */
import type { PageMatcher } from '../evaluate/match-pages.ts';
import { type FoundPositions, WordPositions } from '../evaluate/word-positions.ts';
import type { LiveSegment } from '../index/index-reader.ts';
import type { PageBits } from '../index/page-bits.ts';
import { PROXIMITY_PAGES, WEIGHTS } from '../weights.ts';
import type { ScoredWords } from './score-pages.ts';
import { compareRank, type RankedPage } from './top-pages.ts';

const REVERSED = 0.5;
/** The first places of a frequent word on a long page say enough. */
const MOST_PLACES = 200;

/**
 * Raises the scores of the best pages on which the words stand together. Of these pages, given with the best first, the
 * first `most` will be shown. Pages that cannot become one of them keep their scores, and their positions are not read.
 */
export function addProximity(
  ranked: readonly RankedPage[],
  words: readonly ScoredWords[],
  matcher: PageMatcher,
  lengths: Float64Array,
  most: number,
): void {
  const compared = ranked.slice(0, PROXIMITY_PAGES);
  const first = compared.splice(0, 2 * most);
  raise(first, null, words, matcher, lengths);
  const last = first.sort(compareRank)[most - 1];
  if (last !== undefined) raise(compared, last, words, matcher, lengths);
}

/** `toBeat`: only pages that may come before it are compared. */
function raise(
  pages: readonly RankedPage[],
  toBeat: RankedPage | null,
  words: readonly ScoredWords[],
  matcher: PageMatcher,
  lengths: Float64Array,
): void {
  const ascending = pages.toSorted((a, b) => a.number - b.number);
  for (const live of matcher.index.segments) {
    const { base, segment } = live;
    const here = ascending.filter(({ number }) => number >= base && number < base + segment.pages);
    if (here.length === 0) continue;
    const proximity = new Proximity(words, live, matcher);
    for (const ranked of here) {
      const page = ranked.number - base;
      const score = ranked.score + proximity.mostOf(page);
      if (toBeat !== null && compareRank({ ...ranked, score }, toBeat) > 0) continue;
      const length = segment.columns.narrow.length[page] as number;
      ranked.score += proximity.gainOf(page, lengths[length] as number);
    }
  }
}

const NOWHERE: FoundPositions = { starts: new Int32Array(0), ends: new Int32Array(0), from: 0, to: 0 };

class Proximity {
  readonly #words: readonly ScoredWords[];
  readonly #live: LiveSegment;
  readonly #matcher: PageMatcher;
  /** By word: the pages that have it, and its positions, which are opened when they are needed. */
  readonly #pages: readonly PageBits[];
  readonly #open: (WordPositions | null)[];
  /** By pair of neighbours: what it can give at most. */
  readonly #most: readonly number[];

  constructor(words: readonly ScoredWords[], live: LiveSegment, matcher: PageMatcher) {
    this.#words = words;
    this.#live = live;
    this.#matcher = matcher;
    this.#pages = words.map((one) => matcher.match(one.words, live));
    this.#open = words.map(() => null);
    this.#most = words.slice(1).map(({ rarity }, i) => WEIGHTS.proximity * Math.min(rarity, words[i]!.rarity));
  }

  /** No gain of the page is larger. */
  mostOf(page: number): number {
    let most = 0;
    for (let i = 0; i < this.#most.length; i++) if (this.#hasPair(i, page)) most += this.#most[i] as number;
    return most;
  }

  #hasPair(first: number, page: number): boolean {
    return this.#pages[first]!.has(page) && this.#pages[first + 1]!.has(page);
  }

  /** Pages must be asked for in ascending order. `lengthLoss`: what saturates the weight of a word on this page. */
  gainOf(page: number, lengthLoss: number): number {
    let gain = 0;
    let places = NOWHERE;
    let isRead = false;
    for (let i = 0; i < this.#most.length; i++) {
      if (!this.#hasPair(i, page)) {
        isRead = false;
        continue;
      }
      const before = isRead ? places : this.#placesOf(i, page);
      places = this.#placesOf(i + 1, page);
      isRead = true;
      const together = closeness(before, places);
      if (together > 0) gain += ((this.#most[i] as number) * together) / (together + lengthLoss);
    }
    return gain;
  }

  #placesOf(word: number, page: number): FoundPositions {
    this.#open[word] ??= new WordPositions(this.#words[word]!.words, this.#live, this.#matcher.lists);
    return this.#open[word]!.on(page, MOST_PLACES);
  }
}

/** The sum over all pairs of places within the window. */
function closeness(first: FoundPositions, second: FoundPositions): number {
  const { proximityWindow } = WEIGHTS;
  let sum = 0;
  let { from } = second;
  for (let i = first.from; i < first.to; i++) {
    const place = first.starts[i] as number;
    while (from < second.to && (second.starts[from] as number) < place - proximityWindow) from++;
    for (let at = from; at < second.to && (second.starts[at] as number) <= place + proximityWindow; at++) {
      const distance = (second.starts[at] as number) - place;
      if (distance > 0) sum += 1 / distance ** 2;
      else if (distance < 0) sum += REVERSED / distance ** 2;
    }
  }
  return sum;
}
