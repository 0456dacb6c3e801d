/**
 * What to expect of a page at a time: evidence, prior and the time since the last look in; the chance of a change and the expected
 * gain of a look out. Expected over all the rates the page may have, not at the likeliest: a page of which little is known may be
 * a slow one that is worth a look, and the mean knows.
 *
 * Always: 0 ≤ chance ≤ 1 and gain ≥ 0, whatever comes in.
 */
import {
  CHANGED,
  ENTRIES_A_RATE,
  GAIN_SHARE,
  LOG_CHANGED,
  nearestRate,
  RATES,
  rateAt,
  tablePlace,
} from './rate-grid.ts';
import { LONGEST_MS, SHORTEST_MS } from './visit-state.ts';

/** Rates e^−15 times as likely as the likeliest are not worth the time. */
const NEGLIGIBLE = -15;
const LEAST_LOG_MS = Math.log(SHORTEST_MS);
const MOST_LOG_MS = Math.log(LONGEST_MS);

/** Used again for each page: reading it is all that is allowed, and only until the next one. */
export class Outlook {
  /** That it has changed since the last look. */
  chance = 0;
  /** Of a look now, in milliseconds of freshness. */
  gainMs = 0;
  /** The same if it is certain that it has changed: how long the new copy will be fresh. */
  claimedGainMs = 0;
  /** The geometric mean of the rates it may have, changes a millisecond. */
  rate = 0;

  /**
   * The prior has a weight for each of RATES. Sums outwards from the likeliest rate, which is the only peak of the likelihood,
   * until the rest is negligible.
   */
  of(prior: Float32Array, changes: number, changedLogMs: number, quietMs: number, elapsedMs: number): void {
    const hasChanged = changes > 0;
    const meanLogMs = hasChanged ? Math.max(LEAST_LOG_MS, Math.min(changedLogMs / changes, MOST_LOG_MS)) : 0;
    const meanPlace = tablePlace(meanLogMs);
    const meanAt = Math.floor(meanPlace);
    const meanPart = meanPlace - meanAt;
    const place = tablePlace(Math.log(elapsedMs));
    const at = Math.floor(place);
    const part = place - at;
    const peak = hasChanged ? likeliestRate(changes, Math.exp(meanLogMs), quietMs) : 0;
    let best = 0;
    let total = 0;
    let changedSum = 0;
    let gainSum = 0;
    let freshSum = 0;
    let placeSum = 0;
    for (let step = 1; step >= -1; step -= 2) {
      for (let r = step > 0 ? peak : peak - 1; r >= 0 && r < RATES.length; r += step) {
        const rate = RATES[r] as number;
        let log = -rate * quietMs;
        if (hasChanged) {
          const i = meanAt + r * ENTRIES_A_RATE;
          const low = LOG_CHANGED[i] as number;
          log += changes * (low + meanPart * ((LOG_CHANGED[i + 1] as number) - low));
        }
        if (r === peak) best = log;
        if (log - best < NEGLIGIBLE) break;
        const weight = (prior[r] as number) * Math.exp(log - best);
        const i = at + r * ENTRIES_A_RATE;
        const changed = CHANGED[i] as number;
        const gain = GAIN_SHARE[i] as number;
        const changedWeight = weight * (changed + part * ((CHANGED[i + 1] as number) - changed));
        total += weight;
        changedSum += changedWeight;
        gainSum += weight * (gain + part * ((GAIN_SHARE[i + 1] as number) - gain));
        freshSum += changedWeight / rate;
        placeSum += weight * r;
      }
    }
    this.rate = rateAt(placeSum / total);
    const waited = elapsedMs > 0;
    this.chance = waited ? Math.min(1, changedSum / total) : 0;
    this.gainMs = waited ? (elapsedMs * gainSum) / total : 0;
    this.claimedGainMs = waited ? freshSum / changedSum : 1 / this.rate;
  }
}

function likeliestRate(changes: number, meanMs: number, quietMs: number): number {
  return nearestRate(quietMs > 0 ? Math.log1p((changes * meanMs) / quietMs) / meanMs : Number.POSITIVE_INFINITY);
}
