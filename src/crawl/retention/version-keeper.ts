/**
 * Drops old versions by the rule of `--keep`: at the end of a run, and between the rounds of a run with several rounds.
 */
import { systemClock } from '../../core/clock.ts';
import { publish } from '../../core/events.ts';
import type { KeepRule } from '../../core/options/keep-rule.ts';
import type { ArchivePlace, Store } from '../../store/contract.ts';
import type { Controller } from '../controller.ts';

export interface SharedArchive {
  readonly writer: ArchivePlace;
  /** Whether no other worker is at work. Other workers remember the places of payloads. */
  readonly isAlone: () => Promise<boolean>;
}

export class VersionKeeper {
  readonly #store: Store;
  readonly #archiveDir: string;
  readonly #rule: KeepRule;
  readonly #shared: SharedArchive | null;
  /** Totals of the run so far. */
  readonly kept = { dropped: 0, bytesFreed: 0 };

  /** `shared` is set for a worker of a cluster. */
  constructor(store: Store, archiveDir: string, rule: KeepRule, shared: SharedArchive | null = null) {
    this.#shared = shared;
    this.#store = store;
    this.#archiveDir = archiveDir;
    this.#rule = rule;
  }

  /** Waits until the units rest: no unit may have a rewritten file open, or remember its contents. */
  async betweenRounds(controller: Pick<Controller, 'rest' | 'isDraining'>): Promise<void> {
    if (this.#rule.kind === 'all' || controller.isDraining) return;
    await controller.rest();
    await this.#retain(() => controller.isDraining);
  }

  /** Stops if the user does not want to wait. The next run drops the rest. */
  async atTheEnd(controller: Pick<Controller, 'isAborted'>): Promise<void> {
    if (this.#rule.kind !== 'all') await this.#retain(() => controller.isAborted);
  }

  async #retain(isStopped: () => boolean): Promise<void> {
    if (this.#shared !== null && !(await this.#shared.isAlone())) {
      publish('crawl/warning', {
        message: 'old versions are not dropped now (--keep), because other workers are running',
      });
      return;
    }
    const { retain } = await import('./retain.ts');
    const { captures, bytesFreed } = await retain(this.#store, this.#archiveDir, this.#rule, systemClock.now(), {
      isStopped,
      ...(this.#shared && { writer: this.#shared.writer }),
    });
    this.kept.dropped += captures;
    this.kept.bytesFreed += bytesFreed;
  }
}
