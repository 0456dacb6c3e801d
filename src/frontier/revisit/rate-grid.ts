/**
 * The rates that a page may have: from one change in sixteen years to one per minute, four rates per octave. A rate in
 * between is at most a twelfth off, which costs less than a thousandth of freshness.
 *
 * Functions of rate times time are read from tables over the logarithm of the product. The next rate is then a fixed
 * number of entries further, and the whole outlook of a page takes one exponential per rate.
 */
import { gainShare } from './gain.ts';

const SLOWEST = 1 / (16 * 365 * 86_400_000);
const RATES_AN_OCTAVE = 4;
const OCTAVES = 23;
/** The distance between neighbouring rates, in natural logarithms. */
const RATE_STEP = Math.LN2 / RATES_AN_OCTAVE;

/** In changes per millisecond, ascending. */
export const RATES = Float64Array.from({ length: OCTAVES * RATES_AN_OCTAVE + 1 }, (_, i) => rateAt(i));

/** The index may be a fraction, between two rates. */
export function rateAt(index: number): number {
  return SLOWEST * Math.exp(index * RATE_STEP);
}

/** The index of the nearest rate. Accepts any number, including infinity and 0. */
export function nearestRate(rate: number): number {
  const index = Math.round(Math.log(rate / SLOWEST) / RATE_STEP);
  return Math.min(RATES.length - 1, Math.max(0, index));
}

/** Table entries between two rates. With linear interpolation the table is exact to within 1e-5 where it matters. */
export const ENTRIES_A_RATE = 8;
const ENTRY = RATE_STEP / ENTRIES_A_RATE;
/** The range of rate times time for times from a second to a century: e^−21 to e^18. */
const LEAST_LOG = -21;
const MOST_LOG = 18;

class RateTable {
  readonly values: Float64Array;

  constructor(of: (product: number) => number) {
    const entries = Math.ceil((MOST_LOG - LEAST_LOG) / ENTRY) + (RATES.length + 1) * ENTRIES_A_RATE;
    this.values = Float64Array.from({ length: entries }, (_, i) => of(Math.exp(LEAST_LOG + i * ENTRY)));
  }
}

/**
 * The position of the slowest rate times a time in every table. The fraction is for the
 * interpolation with the next entry.
 */
export function tablePlace(logMs: number): number {
  const place = (logMs + Math.log(SLOWEST) - LEAST_LOG) / ENTRY;
  return Math.min((MOST_LOG - LEAST_LOG) / ENTRY, Math.max(0, place));
}

export const CHANGED = new RateTable((x) => -Math.expm1(-x)).values;
export const LOG_CHANGED = new RateTable((x) => Math.log(-Math.expm1(-x))).values;
export const GAIN_SHARE = new RateTable(gainShare).values;
