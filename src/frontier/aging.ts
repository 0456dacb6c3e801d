/**
 * Why no URL waits for ever under an order that prefers the best: a rank grows with the time at which its URL was found, so
 * that in the end even the worst of the old ones comes before the best of the new. The time is counted in URLs found, not
 * in seconds: where nothing new is found there is nobody to be overtaken by.
 */

/** So many URLs found make up for a score twice as good. In a crawl of 100,000 pages this moves hardly anything. */
const FOUND_PER_OCTAVE = 1_000_000;
/** Scores below this count as this, so that what has to be made up for is finite: 64 octaves. */
const LEAST_SCORE = 2 ** -64;

/** The larger the score, the lower the rank. */
export function agingRank(score: number, foundAt: number): number {
  return foundAt / FOUND_PER_OCTAVE - Math.log2(Math.max(score, LEAST_SCORE));
}
