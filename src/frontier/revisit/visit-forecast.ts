/**
 * The forecast for a page at a given time. In: evidence, prior and the time since the last visit. Out: the chance of a
 * change and the expected gain of a visit. Both are means over all rates that the page may have, not values at the most
 * likely rate: a page with little evidence may be a slow page that is worth a visit, and the mean includes that case.
 *
 * What always holds: 0 ≤ chance ≤ 1 and gain ≥ 0 for any input.
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

/** Rates that are e^−15 times as likely as the most likely rate are skipped to save time. */
const NEGLIGIBLE = -15;
const LEAST_LOG_MS = Math.log(SHORTEST_MS);
const MOST_LOG_MS = Math.log(LONGEST_MS);

/** One object is reused for all pages. Its values are valid only until the next call of `of`. */
export class Outlook {
  /** The chance that the page has changed since the last visit. */
  chance = 0;
  /** The expected gain of a visit now, in milliseconds of freshness. */
  gainMs = 0;
  /** The same gain if the change is certain: how long the new copy will stay fresh. */
  claimedGainMs = 0;
  /** The geometric mean of the possible rates, in changes per millisecond. */
  rate = 0;

  /**
   * The prior has a weight for each entry of RATES. The sum runs outwards from the most likely rate, which is the only
   * peak of the likelihood, and stops when the rest is negligible.
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
