/**
 * A web whose pages have habits: rates that shift, fixed hours of change, or a late birth. All changes are drawn at the
 * beginning, so every contender meets the same changes.
 *
 * In: visits. Out: for each visit, whether the page had changed since the last visit; at the end, the weighted share of
 * the counted time in which the copies were fresh.
 */
import type { Random } from '../../testbed/random.ts';

export interface HabitPage {
  readonly weight: number;
  readonly pattern: number;
  /** The page exists, and is in the copy, since then. */
  readonly bornDays: number;
  /** The freshness of the page counts in this time. */
  readonly countedDays: readonly [from: number, to: number];
  /** The times of all changes, ascending. */
  readonly changeDays: Float64Array;
  /** True if the page changes at fixed hours. Who knows its habits knows the time of the next change. */
  readonly isPunctual: boolean;
  /** Changes per day at this time. */
  rateAt(day: number): number;
}

export class HabitWeb {
  readonly pages: readonly HabitPage[];
  readonly #lookedDays: Float64Array;
  /** The first change after the last visit, as an index. */
  readonly #next: Uint32Array;
  #fresh = 0;

  constructor(pages: readonly HabitPage[]) {
    this.pages = pages;
    this.#lookedDays = Float64Array.from(pages, ({ bornDays }) => bornDays);
    this.#next = Uint32Array.from(pages, ({ changeDays, bornDays }) => changeDays.findIndex((day) => day > bornDays));
  }

  look(page: number, atDays: number): boolean {
    const changed = this.isStale(page, atDays);
    this.#count(page, atDays);
    const { changeDays } = this.pages[page]!;
    while (changeDays[this.#next[page]!]! <= atDays) this.#next[page]!++;
    this.#lookedDays[page] = atDays;
    return changed;
  }

  isStale(page: number, atDays: number): boolean {
    return this.pages[page]!.changeDays[this.#next[page]!]! <= atDays;
  }

  /** The time until the next change after this time. */
  freshDays(page: number, atDays: number): number {
    const { changeDays } = this.pages[page]!;
    let next = this.#next[page]!;
    while (changeDays[next]! <= atDays) next++;
    return changeDays[next]! - atDays;
  }

  /** No page can be visited after this call. */
  freshness(endDays: number): number {
    let counted = 0;
    for (const [page, { weight, countedDays }] of this.pages.entries()) {
      this.#count(page, endDays);
      counted += weight * (countedDays[1] - countedDays[0]);
    }
    return this.#fresh / counted;
  }

  /** Adds the time from the last visit to now. */
  #count(page: number, nowDays: number): void {
    const { changeDays, weight, countedDays } = this.pages[page]!;
    const from = Math.max(this.#lookedDays[page]!, countedDays[0]);
    const to = Math.min(changeDays[this.#next[page]!]!, nowDays, countedDays[1]);
    this.#fresh += weight * Math.max(0, to - from);
  }
}

/** Changes of a Poisson process whose rate is constant between the shifts. The last change is after the end. */
export function poissonChanges(
  random: Random,
  endDays: number,
  rateAt: (day: number) => number,
  shiftDays: readonly number[],
) {
  const changes: number[] = [];
  let day = 0;
  for (const until of [...shiftDays.filter((shift) => shift < endDays), Number.POSITIVE_INFINITY]) {
    const rate = rateAt(day);
    for (day += waiting(random, rate); day < until; day += waiting(random, rate)) {
      changes.push(day);
      if (day > endDays) return Float64Array.from(changes);
    }
    day = until;
  }
  return Float64Array.from(changes);
}

function waiting(random: Random, rate: number): number {
  return -Math.log(1 - random()) / rate;
}

/** Changes at this hour of each of these days of the week. The last change is after the end. */
export function punctualChanges(
  random: Random,
  endDays: number,
  hour: number,
  weekdays: readonly number[],
  jitterHours: number,
) {
  const changes: number[] = [];
  for (let day = 0; ; day++) {
    if (!weekdays.includes(day % 7)) continue;
    changes.push(day + (hour + jitterHours * (random() - 0.5)) / 24);
    if (changes.at(-1)! > endDays) return Float64Array.from(changes);
  }
}
