/**
 * Priors: how the rates of pages of one kind are spread, learned from those that were looked at more than once, so that a new page
 * starts from its siblings.
 *
 * In come the likelihoods of pages over RATES, out goes a weight for each rate. Learned by expectation and maximisation: each
 * page is shared out over the rates by what the prior and its own looks say, the shares added up are the next prior. What is
 * learned of few pages leans on the parent, the host's or everybody's: the parent counts as much as so many pages. Always: the
 * weights add up to 1, and none is 0.
 */
import { type Evidence, logLikelihood } from './rate.ts';
import { RATES } from './rate-grid.ts';

/** From a smooth start this is nearly the end for the shape as a whole; more would only make it spiky. */
const ROUNDS = 25;
/** The parent counts as much as so many pages. */
const PARENT_PAGES = 12;
/** Shared by all rates alike, so that nothing is impossible. */
const UNIFORM_SHARE = 0.002;
/** Before anything is learned: a change a month, give or take a factor of twelve. */
const USUAL_RATE = 1 / (30 * 86_400_000);
const USUAL_SPREAD = 2.5;

const logs = new Float64Array(RATES.length);
const shares = new Float64Array(RATES.length);

/** What is believed of all pages before any was looked at twice. */
export const FIRST_PRIOR: Float32Array = firstPrior();

function firstPrior(): Float32Array {
  for (let i = 0; i < RATES.length; i++) {
    shares[i] = Math.exp(-((Math.log((RATES[i] as number) / USUAL_RATE) / USUAL_SPREAD) ** 2) / 2);
  }
  return normalise(shares, new Float32Array(RATES.length));
}

/** A page's likelihood over RATES, the largest being 1, at `offset`. */
export function writeLikelihood(into: Float32Array, offset: number, evidence: Evidence): void {
  let best = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < RATES.length; i++) {
    const log = logLikelihood(evidence, RATES[i] as number);
    logs[i] = log;
    if (log > best) best = log;
  }
  for (let i = 0; i < RATES.length; i++) into[offset + i] = Math.exp((logs[i] as number) - best);
}

/** Likelihoods one after the other. */
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
