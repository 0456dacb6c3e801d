/**
 * Writes committed data to the disk about once a second: first the archives of all units, then the state that points
 * into them. A power failure loses about one second of the crawl. The end of the process loses nothing that was
 * committed.
 */
import type { Clock } from '../../core/clock.ts';
import type { CommitStore } from '../../store/contract.ts';
import { UnitBroadcast } from './unit-broadcast.ts';
import type { UnitThread } from './unit-thread.ts';

const EVERY_MS = 1_000;

export class ArchiveSync {
  readonly #store: Pick<CommitStore, 'sync'>;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  /** A unit that has drained has synced its archive and is not asked. */
  readonly #units = new UnitBroadcast();
  /** The sync in progress. */
  #round: Promise<void> | null = null;
  #atMs = 0;

  constructor(store: Pick<CommitStore, 'sync'>, clock: Clock, onFailure: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Called after a commit. Asks the units if it is time. */
  nowAndThen(units: readonly UnitThread[]): void {
    const nowMs = this.#clock.now();
    if (this.#round !== null || Math.abs(nowMs - this.#atMs) < EVERY_MS) return;
    this.#atMs = nowMs;
    this.#begin(units).catch(this.#onFailure);
  }

  /** Called at the end of a run. Resolves when the archives of these units, and then the state, are on the disk. */
  async last(units: readonly UnitThread[]): Promise<void> {
    await this.#round;
    await this.#begin(units);
  }

  /** The archive of the unit is on the disk, or the unit has ended. */
  confirm(unit: UnitThread): void {
    this.#units.confirm(unit);
  }

  #begin(units: readonly UnitThread[]): Promise<void> {
    const round = this.#units
      .ask(units, { type: 'sync' })
      .then(() => this.#store.sync())
      .finally(() => {
        this.#round = null;
      });
    this.#round = round;
    return round;
  }
}
