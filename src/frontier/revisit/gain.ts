/**
 * What a look is worth, for a page that changes with rate λ and was looked at τ ago.
 *
 * Looked at every τ, a page is fresh for (1 − e^(−λτ))/λ of them. To share out a bandwidth so that the weighted freshness of all
 * pages is largest, every page needs the same return from the last bit of bandwidth it gets (Lagrange); that return is
 * w/λ · [1 − (1 + λτ)e^(−λτ)]. It grows with τ from 0 to w/λ, so taking always the page where it is largest now brings every
 * page to the interval the optimum gives it, and leaves those alone that change too fast to be worth it. Written as
 * wτ·h(λτ): h is all there is to compute.
 */

/** (1 − (1 + x)e^(−x))/x. */
export function gainShare(x: number): number {
  // The difference of two numbers near 1 would leave nothing of a small x.
  if (x < 1e-4) return x / 2 - (x * x) / 3;
  return (1 - (1 + x) * Math.exp(-x)) / x;
}

/** The largest value of `gainShare`, at x = 1.793. */
export const MOST_GAIN_SHARE = 0.29843;

/** In milliseconds of freshness, times the weight. */
export function gainOfLook(ratePerMs: number, elapsedMs: number, weight: number): number {
  return elapsedMs > 0 ? weight * elapsedMs * gainShare(ratePerMs * elapsedMs) : 0;
}

/** That it has changed since. */
export function chanceOfChange(ratePerMs: number, elapsedMs: number): number {
  return elapsedMs > 0 ? -Math.expm1(-ratePerMs * elapsedMs) : 0;
}
