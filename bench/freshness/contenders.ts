/**
 * The contenders that visit the web: the real schedule with the real policies, and with two policies of the benchmark
 * that know the rates. All contenders have the same budget and start with a fresh copy.
 */

import { type Policy, policyNamed } from '../../src/frontier/revisit/policy.ts';
import { gainOfVisit } from '../../src/frontier/revisit/rate-grid.ts';
import { Schedule } from '../../src/frontier/revisit/schedule.ts';
import { DAY_MS, EvolvingWeb, type Freshness, type WebFacts } from './evolving-web.ts';

export const KNOWN = 'known rates';
export const OURS = 'adaptive';
export const CONTENDERS = [KNOWN, OURS, 'uniform', 'proportional', 'nutch'] as const;
/** These policies differ from the others only where pages have different weights. */
export const WEIGHING = ['rank', 'nutch by weight'] as const;
export type Contender = (typeof CONTENDERS)[number] | (typeof WEIGHING)[number];

export interface Course {
  /** Visits per day of all pages together. */
  readonly looksADay: number;
  readonly looksARound: number;
  /** Length in mean visits per page. */
  readonly lengthLooks: number;
  readonly spanLooks: number;
  readonly seed: number;
  readonly maxIntervalMs: number;
}

export interface CourseResult extends Freshness {
  /** Visits made, as a share of the allowed visits. */
  readonly usedShare: number;
}

function policyOf(contender: Contender, { rates }: WebFacts): Policy {
  const rateOf = (id: number) => rates[id]! / DAY_MS;
  const nutch = policyNamed('nutch');
  switch (contender) {
    case KNOWN:
      return { name: KNOWN, value: ({ id, elapsedMs, weight }) => gainOfVisit(rateOf(id), elapsedMs, weight) };
    case 'proportional':
      return { name: contender, value: ({ id, elapsedMs }) => elapsedMs * rateOf(id) };
    case 'nutch by weight':
      return { ...nutch, value: (page) => nutch.value(page) * page.weight };
    default:
      return policyNamed(contender);
  }
}

/** Learning again is worth its cost only when there is much more data. */
const LEARN_AT_GROWTH = 1.25;

export function runCourse(contender: Contender, facts: WebFacts, course: Course): CourseResult {
  const { looksADay, looksARound, lengthLooks, spanLooks, seed, maxIntervalMs } = course;
  const pages = facts.rates.length;
  const daysALook = pages / looksADay;
  const web = new EvolvingWeb(facts, seed, spanLooks * daysALook);
  const schedule = new Schedule();
  const policy = policyOf(contender, facts);
  // A policy that needs a first interval gets the right one on average.
  const start = { host: 1, checkedAtMs: 0, intervalMs: daysALook * DAY_MS };
  for (let id = 0; id < pages; id++) schedule.add({ ...start, id, weight: facts.weights[id]! });
  const rounds = Math.round((lengthLooks * pages) / looksARound);
  let looks = 0;
  let learnAt = pages / 8;
  for (let round = 1; round <= rounds; round++) {
    const atDays = (round * looksARound) / looksADay;
    const nowMs = atDays * DAY_MS;
    for (const { id } of schedule.plan({ nowMs, budget: looksARound, policy, maxIntervalMs })) {
      schedule.observe(id, nowMs, web.look(id, atDays));
      looks++;
    }
    if (contender !== OURS || looks < learnAt) continue;
    schedule.learnPriors();
    learnAt = Math.min(looks * LEARN_AT_GROWTH, looks + pages);
  }
  return { ...web.freshness(lengthLooks * daysALook), usedShare: looks / (rounds * looksARound) };
}
