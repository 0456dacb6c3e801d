/**
 * A web that changes by itself under a simulated clock. Its pages have change rates and weights. The changes of each
 * page are a Poisson process with its own seed, so every contender meets the same changes. The web knows how long each
 * copy has been fresh.
 *
 * In: visits. Out: for each visit, whether the page had changed since the last visit; at the end, the weighted
 * freshness over time, twice: the real one, and the expected one given the times of the visits. The behaviour of a page
 * after a visit does not depend on anything before, and no contender knows it until the next visit. So both values have
 * the same mean, and the expected one has far less noise.
 */
import { type Random, seededRandom } from '../../testbed/random.ts';

export const DAY_MS = 86_400_000;
export const IMPORTANCES = ['equal', 'zipf'] as const;
export type Importance = (typeof IMPORTANCES)[number];

export interface WebKind {
  readonly pages: number;
  /** Standard deviation of the logarithm of the rates. */
  readonly sigma: number;
  readonly importance: Importance;
  readonly seed: number;
}

/** Rates and weights: the only input of the optimum. */
export interface WebFacts {
  /** Changes per day; their mean is 1. */
  readonly rates: Float64Array;
  /** The weights add up to 1 and do not depend on the rates. */
  readonly weights: Float64Array;
}

export function factsOf({ pages, sigma, importance, seed }: WebKind): WebFacts {
  const random = seededRandom(seed, 1);
  const rates = Float64Array.from({ length: pages }, () => Math.exp(sigma * normal(random)));
  const ranks = Float64Array.from({ length: pages }, (_, i) => i + 1);
  for (let i = pages - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [ranks[i], ranks[j]] = [ranks[j]!, ranks[i]!];
  }
  const weights = ranks.map((rank) => (importance === 'zipf' ? 1 / rank : 1));
  return { rates: scaled(rates, pages), weights: scaled(weights, 1) };
}

/** Weighted freshness of each span. */
export interface Freshness {
  readonly real: readonly number[];
  readonly expected: readonly number[];
}

export class EvolvingWeb {
  readonly facts: WebFacts;
  readonly #spanDays: number;
  readonly #random: Random[];
  readonly #nextChangeDays: Float64Array;
  readonly #lookedDays: Float64Array;
  readonly #fresh: number[] = [];
  readonly #expected: number[] = [];

  /** Freshness is reported for each span of this many days. All copies are fresh at the beginning. */
  constructor(facts: WebFacts, seed: number, spanDays: number) {
    this.facts = facts;
    this.#spanDays = spanDays;
    this.#random = Array.from(facts.rates, (_, page) => seededRandom(seed, 2, page));
    this.#nextChangeDays = facts.rates.map((rate, page) => waiting(rate, this.#random[page]!));
    this.#lookedDays = new Float64Array(facts.rates.length);
  }

  look(page: number, atDays: number): boolean {
    const changedDays = this.#nextChangeDays[page]!;
    this.#count(page, atDays);
    this.#lookedDays[page] = atDays;
    if (changedDays > atDays) return false;
    let nextDays = changedDays;
    while (nextDays <= atDays) nextDays += waiting(this.facts.rates[page]!, this.#random[page]!);
    this.#nextChangeDays[page] = nextDays;
    return true;
  }

  /** No page can be visited after this call. */
  freshness(endDays: number): Freshness {
    for (let page = 0; page < this.#lookedDays.length; page++) this.#count(page, endDays);
    const ofSpan = (days: number) => days / this.#spanDays;
    return { real: this.#fresh.map(ofSpan), expected: this.#expected.map(ofSpan) };
  }

  /** Adds the time from the last visit to now. */
  #count(page: number, nowDays: number): void {
    const looked = this.#lookedDays[page]!;
    const rate = this.facts.rates[page]!;
    const weight = this.facts.weights[page]!;
    for (let from = looked; from < nowDays; ) {
      const span = Math.floor(from / this.#spanDays + 1e-9);
      const to = Math.min(nowDays, (span + 1) * this.#spanDays);
      while (this.#fresh.length <= span) {
        this.#fresh.push(0);
        this.#expected.push(0);
      }
      this.#fresh[span]! += weight * Math.max(0, Math.min(to, this.#nextChangeDays[page]!) - from);
      this.#expected[span]! += (weight * (Math.exp(-rate * (from - looked)) - Math.exp(-rate * (to - looked)))) / rate;
      from = to;
    }
  }
}

function waiting(rate: number, random: Random): number {
  return -Math.log(1 - random()) / rate;
}

/** Box-Muller method. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function scaled(values: Float64Array, total: number): Float64Array {
  const sum = values.reduce((all, each) => all + each, 0);
  return values.map((each) => (each * total) / sum);
}
