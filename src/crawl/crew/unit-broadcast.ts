/** Sends a message to all units and waits for their answers. A unit that has ended need not answer. */
import type { ToUnit } from '../unit/messages.ts';
import type { UnitThread } from './unit-thread.ts';

export class UnitBroadcast {
  /** Units that were asked and have not answered. */
  #asked = new Set<UnitThread>();
  #answered = Promise.withResolvers<void>();

  ask(units: readonly UnitThread[], message: ToUnit): Promise<void> {
    this.#asked = new Set(units.filter(({ drained }) => !drained));
    this.#answered = Promise.withResolvers<void>();
    for (const unit of this.#asked) unit.post(message);
    if (this.#asked.size === 0) this.#answered.resolve();
    return this.#answered.promise;
  }

  confirm(unit: UnitThread): void {
    this.#asked.delete(unit);
    if (this.#asked.size === 0) this.#answered.resolve();
  }
}
