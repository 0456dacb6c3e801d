/**
 * The most likely rate of change of a page, and priors: how the rates of similar pages are distributed. Priors are
 * learned from pages with two or more visits, so that a new page starts from its siblings.
 *
 * In: the likelihoods of pages over RATES. Out: a weight for each rate. The method is expectation maximisation: each
 * page is divided over the rates by the prior and its own visits, and the sum of these shares is the next prior. A
 * prior from few pages is drawn towards its parent, the prior of the host or of all pages, which counts as much as
 * `PARENT_PAGES` pages. What always holds: the weights add up to 1, and no weight is 0.
 */
import { RATES } from './rate-grid.ts';
import type { VisitState } from './visit-state.ts';

export type Evidence = Pick<VisitState, 'changes' | 'changedLogMs' | 'quietMs'>;

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
 *
 * The rate is in changes per millisecond: 0 if no change was seen, infinite if every interval had a change.
 */
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

/**
 * From a smooth start, the overall shape has nearly converged after this many rounds. More
 * rounds would only make it spiky.
 */
const ROUNDS = 25;
/** The parent counts as much as this many pages. */
const PARENT_PAGES = 12;
/** This share is divided equally among all rates, so that no rate is impossible. */
const UNIFORM_SHARE = 0.002;
/** The first assumption: one change per month, within a factor of twelve. */
const USUAL_RATE = 1 / (30 * 86_400_000);
const USUAL_SPREAD = 2.5;

const logs = new Float64Array(RATES.length);
const shares = new Float64Array(RATES.length);

/** The prior of all pages before any page was visited twice. */
export const FIRST_PRIOR: Float32Array = firstPrior();

function firstPrior(): Float32Array {
  for (let i = 0; i < RATES.length; i++) {
    shares[i] = Math.exp(-((Math.log((RATES[i] as number) / USUAL_RATE) / USUAL_SPREAD) ** 2) / 2);
  }
  return normalise(shares, new Float32Array(RATES.length));
}

/** Writes the likelihood of a page over RATES at `offset`. The largest value is 1. */
export function writeLikelihood(into: Float32Array, offset: number, evidence: Evidence): void {
  let best = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < RATES.length; i++) {
    const log = logLikelihood(evidence, RATES[i] as number);
    logs[i] = log;
    if (log > best) best = log;
  }
  for (let i = 0; i < RATES.length; i++) into[offset + i] = Math.exp((logs[i] as number) - best);
}

/** `likelihoods` holds the likelihoods of the pages one after the other. */
export function learnPrior(likelihoods: Float32Array, pages: number, parent: Float32Array): Float32Array {
  const prior = parent.slice();
  const size = RATES.length;
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < size; i++) shares[i] = (parent[i] as number) * PARENT_PAGES;
    for (let page = 0; page < pages; page++) {
      const offset = page * size;
      let total = 0;
      for (let i = 0; i < size; i++) total += (prior[i] as number) * (likelihoods[offset + i] as number);
      if (!(total > 0)) continue;
      const factor = 1 / total;
      for (let i = 0; i < size; i++) {
        (shares[i] as number) += (prior[i] as number) * (likelihoods[offset + i] as number) * factor;
      }
    }
    normalise(shares, prior);
  }
  return prior;
}

function normalise(weights: Float64Array, into: Float32Array): Float32Array {
  let total = 0;
  for (let i = 0; i < weights.length; i++) total += weights[i] as number;
  const factor = (1 - UNIFORM_SHARE) / total;
  for (let i = 0; i < weights.length; i++) {
    into[i] = (weights[i] as number) * factor + UNIFORM_SHARE / weights.length;
  }
  return into;
}
