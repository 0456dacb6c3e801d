/**
 * The rates that a page may have: from one change in sixteen years to one per minute, four rates per octave. A rate in
 * between is at most a twelfth off, which costs less than a thousandth of freshness.
 *
 * Functions of rate times time are read from tables over the logarithm of the product. The next rate is then a fixed
 * number of entries further, and the whole outlook of a page takes one exponential per rate.
 */

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
