/**
 * Freshness where pages have habits: the schedule as users have it (also with its longest interval), as a share of the
 * same schedule with a policy that knows the habits.
 */
import { type Policy, policyNamed } from '../../src/frontier/revisit/policy.ts';
import { Schedule } from '../../src/frontier/revisit/schedule.ts';
import { type Random, seededRandom } from '../../testbed/random.ts';
import { DAY_MS } from './evolving-web.ts';
import { type HabitPage, HabitWeb, poissonChanges, punctualChanges } from './habit-web.ts';

const PAGES = 300;
export const WARM_UP_LOOKS = 40;
export const COUNTED_LOOKS = 30;
const ROUNDS_A_LOOK = 60;
/** New pages are counted while they have this many mean visits. */
const NEW_LOOKS = 5;
const JITTER_HOURS = 0.25;
/** A rate shifts by this factor, and the page counts while it has so many mean visits. */
const SHIFT = 5;
const SHIFTED_LOOKS = 10;

export interface HabitRow {
  readonly name: string;
  /** Visits per page and day. */
  readonly budget: number;
  readonly pages: (random: Random, endDays: number) => HabitPage[];
}

export const HABIT_ROWS: readonly HabitRow[] = [
  ...[0.2, 0.5, 1].map((budget) => ({
    name: `rates shift fivefold, budget ${budget}`,
    budget,
    pages: (random: Random, endDays: number) => byImportance(everyPage(() => shiftingPage(random, endDays, budget))),
  })),
  ...[0.5, 1].map((budget) => ({
    name: `every day, budget ${budget}`,
    budget,
    pages: (random: Random, endDays: number) => everyPage(() => punctualPage(random, endDays, [0, 1, 2, 3, 4, 5, 6])),
  })),
  {
    name: 'workdays, budget 1',
    budget: 5 / 7,
    pages: (random, endDays) => everyPage(() => punctualPage(random, endDays, [0, 1, 2, 3, 4])),
  },
  ...[1, 2].map((budget) => ({
    name: `once a week, budget ${budget}`,
    budget: budget / 7,
    pages: (random: Random, endDays: number) =>
      everyPage(() => punctualPage(random, endDays, [Math.floor(7 * random())])),
  })),
  {
    name: 'a third every day, a third weekly, a third at random, budget 0.5',
    budget: 0.5 * ((1 + 1 / 7 + 1) / 3),
    pages: (random, endDays) =>
      everyPage((i) => {
        if (i % 3 === 0) return punctualPage(random, endDays, [0, 1, 2, 3, 4, 5, 6]);
        if (i % 3 === 1) return punctualPage(random, endDays, [Math.floor(7 * random())]);
        return steadyPage(random, endDays, Math.exp(normal(random) - 0.5));
      }),
  },
  ...[1, 2].map((sigma) => ({
    name: `a change in ten days, σ ${sigma}, Zipf, budget 0.2`,
    budget: 0.02,
    pages: (random: Random, endDays: number) =>
      byImportance(
        everyPage(() => steadyPage(random, endDays, 0.1 * Math.exp(sigma * normal(random) - sigma ** 2 / 2))),
      ),
  })),
  ...[0.2, 1].map((budget) => ({
    name: `new pages, budget ${budget}`,
    budget,
    pages: (random: Random, endDays: number) => newPages(random, endDays, budget),
  })),
];

export const KNOWN_HABITS = 'known habits';
const NO_FLOOR = 'adaptive without a floor';
const NO_PATTERNS = 'adaptive without patterns';
export const HABIT_CONTENDERS = [KNOWN_HABITS, 'adaptive', 'uniform', NO_FLOOR, NO_PATTERNS] as const;
export type HabitContender = (typeof HABIT_CONTENDERS)[number];

export interface HabitRun {
  readonly row: string;
  readonly contender: HabitContender;
  readonly seed: number;
  readonly fresh: number;
}

export function runHabits(row: HabitRow, contender: HabitContender, seed: number): HabitRun {
  const daysALook = 1 / row.budget;
  const endDays = (WARM_UP_LOOKS + COUNTED_LOOKS) * daysALook;
  const web = new HabitWeb(row.pages(seededRandom(seed, 3), endDays));
  const schedule = new Schedule();
  const rounds = (WARM_UP_LOOKS + COUNTED_LOOKS) * ROUNDS_A_LOOK;
  let known = 0;
  let looks = 0;
  let allowed = 0;
  let learnAt = PAGES / 8;
  // The first day is a Monday in January 2025, so that times are as large as real ones.
  const startMs = Date.UTC(2025, 0, 6);
  const clock = { days: 0 };
  // The longest interval is that of the schedule, which is what users have.
  const floor = contender === KNOWN_HABITS || contender === NO_FLOOR ? { maxIntervalMs: Number.POSITIVE_INFINITY } : {};
  const policy = contender === KNOWN_HABITS ? knownHabits(web, clock) : policyNamed(contender.split(' ')[0]!);
  for (let round = 1; round <= rounds; round++) {
    clock.days = (round * daysALook) / ROUNDS_A_LOOK;
    const nowMs = startMs + clock.days * DAY_MS;
    for (; known < web.pages.length && web.pages[known]!.bornDays <= clock.days; known++) {
      const { weight, bornDays, pattern } = web.pages[known]!;
      const group = contender === NO_PATTERNS ? 0 : pattern;
      schedule.add({ id: known, host: 1, pattern: group, weight, checkedAtMs: startMs + bornDays * DAY_MS });
    }
    // The budget grows with the pages.
    allowed += known / ROUNDS_A_LOOK;
    for (const { id } of schedule.plan({ nowMs, budget: Math.floor(allowed), policy, ...floor })) {
      schedule.observe(id, nowMs, web.look(id, clock.days));
      allowed--;
      looks++;
    }
    if (policy.name !== 'adaptive' || looks < learnAt) continue;
    schedule.learnPriors();
    learnAt = Math.min(looks * 1.25, looks + PAGES);
  }
  return { row: row.name, contender, seed, fresh: Number(web.freshness(endDays).toFixed(4)) };
}

/** For Poisson pages the gain with the current rate, otherwise the time that a new copy will stay fresh. */
function knownHabits(web: HabitWeb, clock: { readonly days: number }): Policy {
  return {
    name: KNOWN_HABITS,
    value({ id, elapsedMs, weight }) {
      const page = web.pages[id]!;
      if (page.isPunctual) return web.isStale(id, clock.days) ? weight * web.freshDays(id, clock.days) * DAY_MS : -1;
      const elapsedDays = elapsedMs / DAY_MS;
      const expected = (elapsedDays * (page.rateAt(clock.days) + page.rateAt(clock.days - elapsedDays))) / 2;
      const rate = page.rateAt(clock.days) / DAY_MS;
      return (weight / rate) * (1 - (1 + expected) * Math.exp(-expected));
    },
  };
}

function everyPage(make: (index: number) => HabitPage): HabitPage[] {
  return Array.from({ length: PAGES }, (_, i) => make(i));
}

/** Weights by Zipf's law, which do not depend on the habits. */
function byImportance(pages: HabitPage[]): HabitPage[] {
  return pages.map((page, i) => ({ ...page, weight: 1 / (i + 1) }));
}

function countedOf(endDays: number): readonly [number, number] {
  return [(endDays * WARM_UP_LOOKS) / (WARM_UP_LOOKS + COUNTED_LOOKS), endDays];
}

function steadyPage(random: Random, endDays: number, rate: number, bornDays = 0): HabitPage {
  const rateAt = () => rate;
  const changeDays = poissonChanges(random, endDays, rateAt, []);
  return { weight: 1, pattern: 0, bornDays, countedDays: countedOf(endDays), changeDays, isPunctual: false, rateAt };
}

/** The rate shifts once, after the warm-up. Only the time after the shift counts. */
function shiftingPage(random: Random, endDays: number, budget: number): HabitPage {
  const [fromDays] = countedOf(endDays);
  const lengthDays = SHIFTED_LOOKS / budget;
  const shift = fromDays + random() * (endDays - fromDays - lengthDays);
  // The mean of both rates over all pages is 1.
  const slow = Math.exp(normal(random) - 0.5) / ((1 + SHIFT) / 2);
  const startsFast = random() < 0.5;
  const rateAt = (day: number) => (day >= shift === startsFast ? slow : slow * SHIFT);
  const changeDays = poissonChanges(random, endDays, rateAt, [shift]);
  return { ...steadyPage(random, endDays, slow), changeDays, rateAt, countedDays: [shift, shift + lengthDays] };
}

function punctualPage(random: Random, endDays: number, weekdays: readonly number[]): HabitPage {
  const changeDays = punctualChanges(random, endDays, 24 * random(), weekdays, JITTER_HOURS);
  return { ...steadyPage(random, endDays, weekdays.length / 7), changeDays, isPunctual: true };
}

/** Half of the pages are there from the start; the others come one after the other, and only they count. */
function newPages(random: Random, endDays: number, budget: number): HabitPage[] {
  const patterns = Array.from({ length: 6 }, () => Math.exp(2 * normal(random)));
  const pages = everyPage((i) => {
    const pattern = Math.floor(patterns.length * random());
    const fromDays = countedOf(endDays)[0];
    const bornDays = i < PAGES / 2 ? 0 : fromDays + (endDays - fromDays - NEW_LOOKS / budget) * ((2 * i) / PAGES - 1);
    const counted = [bornDays, i < PAGES / 2 ? bornDays : bornDays + NEW_LOOKS / budget] as const;
    const page = steadyPage(random, endDays, patterns[pattern]! * Math.exp(normal(random) / 2), bornDays);
    return { ...page, pattern: pattern + 1, countedDays: counted };
  });
  return pages;
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
