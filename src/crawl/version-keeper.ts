/** Old versions go as the user wants it (`--keep`): at the end of a run, and between the rounds of one that goes on. */
import { systemClock } from '../core/clock.ts';
import type { KeepRule } from '../core/keep-rule.ts';
import type { Store } from '../store/contract.ts';
import type { Controller } from './controller.ts';

export class VersionKeeper {
  readonly #store: Store;
  readonly #archiveDir: string;
  readonly #rule: KeepRule;
  /** So far. */
  readonly kept = { dropped: 0, bytesFreed: 0 };

  constructor(store: Store, archiveDir: string, rule: KeepRule) {
    this.#store = store;
    this.#archiveDir = archiveDir;
    this.#rule = rule;
  }

  /** No unit may have a file open that is rewritten, nor remember what was in it. */
  async betweenRounds(controller: Pick<Controller, 'rest' | 'isDraining'>): Promise<void> {
    if (this.#rule.kind === 'all' || controller.isDraining) return;
    await controller.rest();
    await this.#retain(() => controller.isDraining);
  }

  /** The user may be tired of waiting: what is left is dropped by the next run. */
  async atTheEnd(controller: Pick<Controller, 'isAborted'>): Promise<void> {
    if (this.#rule.kind !== 'all') await this.#retain(() => controller.isAborted);
  }

  async #retain(isStopped: () => boolean): Promise<void> {
    const { retain } = await import('./retain.ts');
    const { captures, bytesFreed } = await retain(this.#store, this.#archiveDir, this.#rule, systemClock.now(), {
      isStopped,
    });
    this.kept.dropped += captures;
    this.kept.bytesFreed += bytesFreed;
  }
}
