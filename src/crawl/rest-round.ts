/** The units are asked to let go of the archive's files, and waited for; one that has ended has none. */
import type { UnitThread } from './unit-thread.ts';

export class RestRound {
  /** Units that were asked and have not answered. */
  #asked = new Set<UnitThread>();
  #rested = Promise.withResolvers<void>();

  ask(units: readonly UnitThread[]): Promise<void> {
    this.#asked = new Set(units);
    this.#rested = Promise.withResolvers<void>();
    for (const unit of units) unit.post({ type: 'rest' });
    return this.#rested.promise;
  }

  isDone(unit: UnitThread): void {
    this.#asked.delete(unit);
    if (this.#asked.size === 0) this.#rested.resolve();
  }
}
