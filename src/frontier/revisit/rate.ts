/**
 * How often a page changes, from what its looks have shown: the most likely rate.
 *
 * With changes as a Poisson process of rate λ an interval τ is quiet with e^(−λτ) and not with 1 − e^(−λτ). Of the intervals that
 * were not, only their number k and geometric mean m are kept, and the likelihood is taken as
 *
 *   e^(−λ·quiet) · (1 − e^(−λm))^k
 *
 * It is exact where λτ is small (1 − e^(−λτ) ≈ λτ, so that only the product of the τ counts), where it is large (every factor is
 * near 1), and where all the τ are equal. Its maximum has a closed form.
 */
import type { VisitState } from './visit-state.ts';

export type Evidence = Pick<VisitState, 'changes' | 'changedLogMs' | 'quietMs'>;

/** Changes a millisecond: 0 if none was seen, infinite if nothing else was. */
export function mostLikelyRate({ changes, changedLogMs, quietMs }: Evidence): number {
  if (!(changes > 0)) return 0;
  if (!(quietMs > 0)) return Number.POSITIVE_INFINITY;
  const meanMs = Math.exp(changedLogMs / changes);
  return Math.log1p((changes * meanMs) / quietMs) / meanMs;
}

/** The logarithm of that likelihood. */
export function logLikelihood({ changes, changedLogMs, quietMs }: Evidence, rate: number): number {
  const quiet = quietMs > 0 ? -rate * quietMs : 0;
  if (!(changes > 0)) return quiet;
  return quiet + changes * Math.log(-Math.expm1(-rate * Math.exp(changedLogMs / changes)));
}
