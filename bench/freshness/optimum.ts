/**
 * The two bounds. With rates known and nothing else, no schedule has a higher freshness than the one that gives every page the same
 * return from the last look it gets; solved here for the Lagrange multiplier by halving intervals. With a notice of each
 * change, a look is worth the time the page then stays fresh, so the pages with the most weight for their changes come first.
 */
import { gainOfLook } from '../../src/frontier/revisit/gain.ts';
import type { WebFacts } from './evolving-web.ts';

const HALVINGS = 100;
/** Beyond this many mean intervals between changes a page may as well not be looked at. */
const LONGEST = 60;

/** Looks a day in, weighted freshness out. */
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

/** The interval after which a page of weight 1 returns so much; infinite if it never does. */
function intervalFor(rate: number, returned: number): number {
  if (returned * rate >= 1) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = LONGEST / rate;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (gainOfLook(rate, middle, 1) < returned) low = middle;
    else high = middle;
  }
  return high;
}

export function freshShare(x: number): number {
  return x === Number.POSITIVE_INFINITY ? 0 : -Math.expm1(-x) / x;
}

/** Every change is told at once, and looks take no time. */
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
