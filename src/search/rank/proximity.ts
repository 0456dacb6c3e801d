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
import { WEIGHTS } from '../weights.ts';
import type { ScoredWords } from './score-pages.ts';

const REVERSED = 0.5;
/** The first places of a frequent word on a long page say enough. */
const MOST_PLACES = 200;

export class Proximity {
  readonly #words: readonly WordPositions[];
  readonly #rarities: readonly number[];

  constructor(words: readonly ScoredWords[], live: LiveSegment, { lists }: PageMatcher) {
    this.#words = words.map((one) => new WordPositions(one.words, live, lists));
    this.#rarities = words.map(({ rarity }) => rarity);
  }

  /** Pages must be asked for in ascending order. `lengthLoss`: what saturates the weight of a word on this page. */
  gainOf(page: number, lengthLoss: number): number {
    const places = this.#words.map((one) => one.on(page, MOST_PLACES));
    let gain = 0;
    for (let i = 1; i < places.length; i++) {
      const together = closeness(places[i - 1]!, places[i]!);
      const rarity = Math.min(this.#rarities[i - 1]!, this.#rarities[i]!);
      if (together > 0) gain += (rarity * together) / (together + lengthLoss);
    }
    return WEIGHTS.proximity * gain;
  }
}

/** The sum over all pairs of places within the window. */
function closeness(first: FoundPositions, second: FoundPositions): number {
  const { proximityWindow } = WEIGHTS;
  let sum = 0;
  let from = 0;
  for (let i = 0; i < first.count; i++) {
    const place = first.starts[i] as number;
    while (from < second.count && (second.starts[from] as number) < place - proximityWindow) from++;
    for (let at = from; at < second.count && (second.starts[at] as number) <= place + proximityWindow; at++) {
      const distance = (second.starts[at] as number) - place;
      if (distance > 0) sum += 1 / distance ** 2;
      else if (distance < 0) sum += REVERSED / distance ** 2;
    }
  }
  return sum;
}
