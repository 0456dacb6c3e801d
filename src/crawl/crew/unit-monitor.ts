/**
 * Ends a unit that is stuck in one page. The computation for a page is limited everywhere; this is for cases that were
 * overlooked. The unit then counts as dead, and the page as its cause of death (W12).
 */
import type { Clock } from '../../core/clock.ts';
import type { UnitThread } from './unit-thread.ts';

/** The heaviest allowed page takes some seconds on an idle machine. */
const MAX_PAGE_MS = 120_000;

export class UnitMonitor {
  readonly #clock: Clock;
  readonly #maxPageMs: number;
  readonly #since = new Map<UnitThread, { readonly id: number; readonly atMs: number }>();

  constructor(clock: Clock, maxPageMs = MAX_PAGE_MS) {
    this.#clock = clock;
    this.#maxPageMs = maxPageMs;
  }

  /** Call it regularly. Returns the units that were ended. */
  check(units: readonly UnitThread[]): readonly UnitThread[] {
    const nowMs = this.#clock.now();
    return units.filter((unit) => {
      const id = unit.parsingId;
      const before = this.#since.get(unit);
      if (id === 0 || before?.id !== id || before.atMs > nowMs) {
        this.#since.set(unit, { id, atMs: nowMs });
        return false;
      }
      if (nowMs - before.atMs < this.#maxPageMs) return false;
      this.#since.delete(unit);
      unit.kill(`it was busy with one page for more than ${Math.round(this.#maxPageMs / 1_000)} seconds`);
      return true;
    });
  }
}

/** Units that keep dying show a bug in the program that a restart does not fix. */
const MAX_DEATHS = 10;
/** A refresh may run for months, and one bad page a week is no reason to end it. */
const WITHIN_MS = 10 * 60_000;

/** Counts the deaths of units. The number of a death makes the name of the replacement unique. */
export class UnitDeaths {
  readonly #clock: Clock;
  #last = 0;
  #atMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(): number {
    const nowMs = this.#clock.now();
    // A time far in the future is from before the clock was set back.
    this.#atMs = [...this.#atMs.filter((atMs) => Math.abs(nowMs - atMs) < WITHIN_MS), nowMs];
    return ++this.#last;
  }

  get areTooMany(): boolean {
    return this.#atMs.length > MAX_DEATHS;
  }
}
