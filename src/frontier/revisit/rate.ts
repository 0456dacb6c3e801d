/**
 * Estimates how often a page changes, from its visits: the most likely rate.
 *
 * If changes are a Poisson process of rate λ, an interval τ has no change with probability e^(−λτ) and a
 * change with 1 − e^(−λτ). For the intervals with a change, only their number k and geometric mean m are
 * kept. The likelihood is taken as
 *
 *   e^(−λ·quiet) · (1 − e^(−λm))^k
 *
 * It is exact where λτ is small (1 − e^(−λτ) ≈ λτ, so only the product of the τ counts), where λτ is
 * large (every factor is near 1), and where all τ are equal. Its maximum has a closed form.
 */
import type { VisitState } from './visit-state.ts';

export type Evidence = Pick<VisitState, 'changes' | 'changedLogMs' | 'quietMs'>;

/** In changes per millisecond: 0 if no change was seen, infinite if every interval had a change. */
export function mostLikelyRate({ changes, changedLogMs, quietMs }: Evidence): number {
  if (!(changes > 0)) return 0;
  if (!(quietMs > 0)) return Number.POSITIVE_INFINITY;
  const meanMs = Math.exp(changedLogMs / changes);
  return Math.log1p((changes * meanMs) / quietMs) / meanMs;
}

/** The logarithm of the likelihood above. */
export function logLikelihood({ changes, changedLogMs, quietMs }: Evidence, rate: number): number {
  const quiet = quietMs > 0 ? -rate * quietMs : 0;
  if (!(changes > 0)) return quiet;
  return quiet + changes * Math.log(-Math.expm1(-rate * Math.exp(changedLogMs / changes)));
}
