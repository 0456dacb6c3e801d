/**
 * Computes the two upper bounds. With known rates and nothing else, the best schedule gives every page the same
 * return from its last visit. This file finds the Lagrange multiplier of that schedule by bisection. With a
 * notice of each change, a visit is worth the time that the page then stays fresh, so the pages with the most
 * weight per change come first.
 */
import { gainOfVisit } from '../../src/frontier/revisit/rate-grid.ts';
import type { WebFacts } from './evolving-web.ts';

const HALVINGS = 100;
/** A page with an interval of more than this many mean intervals between changes need not be visited at all. */
const LONGEST = 60;

/** In: visits per day. Out: weighted freshness. */
export function bestFreshness({ rates, weights }: WebFacts, looksADay: number): number {
  const intervalsAt = (returned: number) => rates.map((rate, page) => intervalFor(rate, returned / weights[page]!));
  let low = 0;
  let high = Math.max(...rates.map((rate, page) => weights[page]! / rate));
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    const looks = intervalsAt(middle).reduce((sum, days) => sum + 1 / days, 0);
    if (looks > looksADay) low = middle;
    else high = middle;
  }
  return intervalsAt(high).reduce((sum, days, page) => sum + weights[page]! * freshShare(rates[page]! * days), 0);
}

/** The interval after which a page of weight 1 has the given return; infinite when it never has. */
function intervalFor(rate: number, returned: number): number {
  if (returned * rate >= 1) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = LONGEST / rate;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (gainOfVisit(rate, middle, 1) < returned) low = middle;
    else high = middle;
  }
  return high;
}

export function freshShare(x: number): number {
  return x === Number.POSITIVE_INFINITY ? 0 : -Math.expm1(-x) / x;
}

/** Every change is reported at once, and visits take no time. */
export function noticedFreshness({ rates, weights }: WebFacts, looksADay: number): number {
  const order = Array.from(rates.keys()).sort((a, b) => weights[b]! / rates[b]! - weights[a]! / rates[a]!);
  let left = looksADay;
  let fresh = 0;
  for (const page of order) {
    const share = Math.min(1, left / rates[page]!);
    fresh += share * weights[page]!;
    left -= share * rates[page]!;
  }
  return fresh;
}
