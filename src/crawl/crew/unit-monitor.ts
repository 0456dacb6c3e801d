/**
 * Ends a unit that is stuck in one page: what a page makes us compute is bounded everywhere, and this is for what was overlooked.
 * The unit counts as dead then, and the page as what it died of (W12).
 */
import type { Clock } from '../core/clock.ts';
import type { UnitThread } from './unit-thread.ts';

/** The heaviest page that is allowed takes some seconds on an idle machine. */
const LONGEST_MS = 120_000;

export class UnitWatch {
  readonly #clock: Clock;
  readonly #longestMs: number;
  readonly #since = new Map<UnitThread, { readonly id: number; readonly atMs: number }>();

  constructor(clock: Clock, longestMs = LONGEST_MS) {
    this.#clock = clock;
    this.#longestMs = longestMs;
  }

  /** To be called now and then. Returns the units that were ended. */
  look(units: readonly UnitThread[]): readonly UnitThread[] {
    const nowMs = this.#clock.now();
    return units.filter((unit) => {
      const id = unit.parsingId;
      const before = this.#since.get(unit);
      if (id === 0 || before?.id !== id || before.atMs > nowMs) {
        this.#since.set(unit, { id, atMs: nowMs });
        return false;
      }
      if (nowMs - before.atMs < this.#longestMs) return false;
      this.#since.delete(unit);
      unit.kill(`it was busy with one page for more than ${Math.round(this.#longestMs / 1_000)} seconds`);
      return true;
    });
  }
}
