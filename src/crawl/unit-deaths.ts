import type { Clock } from '../core/clock.ts';

/** A unit that keeps dying is a fault of ours that restarting does not mend. */
const MAX_DEATHS = 10;
/** A refresh may go on for months, and a bad page a week is no reason to end it. */
const WITHIN_MS = 10 * 60_000;

/** The deaths of units: each has a number, which gives the heir a name of its own, and of late there may be too many. */
export class UnitDeaths {
  readonly #clock: Clock;
  #last = 0;
  #atMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(): number {
    const nowMs = this.#clock.now();
    // A time that is far ahead is of before the clock was put back.
    this.#atMs = [...this.#atMs.filter((atMs) => Math.abs(nowMs - atMs) < WITHIN_MS), nowMs];
    return ++this.#last;
  }

  get areTooMany(): boolean {
    return this.#atMs.length > MAX_DEATHS;
  }
}
