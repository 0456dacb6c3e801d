/**
 * Prevents starvation under an order that prefers the best URLs. A rank grows with the time at which its URL was found,
 * so even the worst old URL eventually comes before the best new one. Time is counted in found URLs, not in seconds:
 * when no new URL is found, no URL can be overtaken.
 */

/**
 * This many newly found URLs outweigh a score that is twice as good. In a crawl of 100,000 pages the effect is tiny.
 */
const FOUND_PER_OCTAVE = 1_000_000;
/** Lower scores are raised to this value. It limits the advantage of a score to 64 octaves, so every URL catches up. */
const LEAST_SCORE = 2 ** -64;

/** A larger score gives a lower rank. */
export function agingRank(score: number, foundAt: number): number {
  return foundAt / FOUND_PER_OCTAVE - Math.log2(Math.max(score, LEAST_SCORE));
}
