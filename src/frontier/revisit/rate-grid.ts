/**
 * The rates a page may have: from one change in sixteen years to one a minute, four to an octave. What is in between is at
 * most a twelfth off, which costs less than a thousandth of freshness.
 *
 * Functions of a rate times a time are read from tables over the logarithm of the product, so that moving on by one rate is moving on by
 * a fixed number of entries: a page's whole outlook takes one exponential a rate.
 */
import { gainShare } from './gain.ts';

const SLOWEST = 1 / (16 * 365 * 86_400_000);
const RATES_AN_OCTAVE = 4;
const OCTAVES = 23;
/** Between two neighbours, in natural logarithms. */
export const RATE_STEP = Math.LN2 / RATES_AN_OCTAVE;

/** Changes a millisecond, ascending. */
export const RATES = Float64Array.from({ length: OCTAVES * RATES_AN_OCTAVE + 1 }, (_, i) => rateAt(i));

/** Also between two of them. */
export function rateAt(index: number): number {
  return SLOWEST * Math.exp(index * RATE_STEP);
}

/** The nearest one; any number, infinite and 0 too. */
export function nearestRate(rate: number): number {
  const index = Math.round(Math.log(rate / SLOWEST) / RATE_STEP);
  return Math.min(RATES.length - 1, Math.max(0, index));
}

/** Entries of a table between two rates: read with a straight line between them, it is within 1e-5 where it matters. */
export const ENTRIES_A_RATE = 8;
const ENTRY = RATE_STEP / ENTRIES_A_RATE;
/** Rates times times from a second to a century: e^−21 to e^18. */
const LEAST_LOG = -21;
const MOST_LOG = 18;

export class RateTable {
  readonly values: Float64Array;

  constructor(of: (product: number) => number) {
    const entries = Math.ceil((MOST_LOG - LEAST_LOG) / ENTRY) + (RATES.length + 1) * ENTRIES_A_RATE;
    this.values = Float64Array.from({ length: entries }, (_, i) => of(Math.exp(LEAST_LOG + i * ENTRY)));
  }
}

/** Where the product of the slowest rate and a time stands in every table; the fraction is for the line to the next entry. */
export function tablePlace(logMs: number): number {
  const place = (logMs + Math.log(SLOWEST) - LEAST_LOG) / ENTRY;
  return Math.min((MOST_LOG - LEAST_LOG) / ENTRY, Math.max(0, place));
}

export const CHANGED = new RateTable((x) => -Math.expm1(-x)).values;
export const LOG_CHANGED = new RateTable((x) => Math.log(-Math.expm1(-x))).values;
export const GAIN_SHARE = new RateTable(gainShare).values;
