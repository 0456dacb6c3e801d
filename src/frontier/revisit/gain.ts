/**
 * The value of a visit to a page that changes with rate λ and was visited τ ago.
 *
 * A page that is visited every τ is fresh for (1 − e^(−λτ))/λ of each interval. To divide a bandwidth so that
 * the weighted freshness of all pages is largest, every page must give the same return for its last bit of bandwidth
 * (Lagrange). That return is w/λ · [1 − (1 + λτ)e^(−λτ)]. It grows with τ from 0 to w/λ. Always taking the
 * page with the largest return therefore brings every page to its optimal interval, and skips pages that change too
 * fast to be worth a visit. The return can be written as wτ·h(λτ), so only h has to be computed.
 */

/** h(x) = (1 − (1 + x)e^(−x))/x. */
export function gainShare(x: number): number {
  // For small x, the difference of two numbers near 1 would lose all precision.
  if (x < 1e-4) return x / 2 - (x * x) / 3;
  return (1 - (1 + x) * Math.exp(-x)) / x;
}

/** The maximum of `gainShare`, at x = 1.793. */
export const MOST_GAIN_SHARE = 0.29843;

/** The gain in milliseconds of freshness, times the weight. */
export function gainOfVisit(ratePerMs: number, elapsedMs: number, weight: number): number {
  return elapsedMs > 0 ? weight * elapsedMs * gainShare(ratePerMs * elapsedMs) : 0;
}

/** The probability that the page has changed since the last visit. */
export function chanceOfChange(ratePerMs: number, elapsedMs: number): number {
  return elapsedMs > 0 ? -Math.expm1(-ratePerMs * elapsedMs) : 0;
}
