/**
 * What was committed reaches the disk about once a second: first the archives of all units, then the state that points into
 * them. A loss of power costs about that much of the crawl; the end of the process costs none of what was committed.
 */
import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/contract.ts';
import type { UnitThread } from './unit-thread.ts';

const EVERY_MS = 1_000;

export class SyncRounds {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  /** Units that were asked and have not answered. */
  readonly #asked = new Set<UnitThread>();
  #round = Promise.withResolvers<void>();
  #atMs = 0;

  constructor(store: Store, clock: Clock, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** After a commit: asks the units, if it is time. */
  nowAndThen(units: readonly UnitThread[]): void {
    const nowMs = this.#clock.now();
    if (this.#asked.size > 0 || Math.abs(nowMs - this.#atMs) < EVERY_MS) return;
    this.#atMs = nowMs;
    this.#ask(units);
  }

  /** At the end of a run: resolves when the archives of these units, and then the state, are on the disk. */
  async last(units: readonly UnitThread[]): Promise<void> {
    if (this.#asked.size > 0) await this.#round.promise;
    this.#ask(units);
    if (this.#asked.size === 0) return this.#store.sync();
    return this.#round.promise;
  }

  #ask(units: readonly UnitThread[]): void {
    this.#round = Promise.withResolvers<void>();
    // Failures reach `onFailure`; only `last` waits for the round.
    this.#round.promise.catch(this.#onFailure);
    // A unit that has drained has synced its archive, and answers no more.
    for (const unit of units.filter(({ drained }) => !drained)) {
      this.#asked.add(unit);
      unit.post({ type: 'sync' });
    }
  }

  /** The unit's archive is on the disk, or the unit is no more; after the last of them the state follows. */
  isDone(unit: UnitThread): void {
    if (!this.#asked.delete(unit) || this.#asked.size > 0) return;
    this.#store.sync().then(this.#round.resolve, this.#round.reject);
  }
}
