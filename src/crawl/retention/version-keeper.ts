/** Old versions go as the user wants it (`--keep`): at the end of a run, and between the rounds of one that goes on. */
import { systemClock } from '../core/clock.ts';
import { publish } from '../core/events.ts';
import type { KeepRule } from '../core/keep-rule.ts';
import type { ArchivePlace, Store } from '../store/contract.ts';
import type { Controller } from './controller.ts';

export interface SharedArchive {
  readonly writer: ArchivePlace;
  /** Whether nobody else is at work: others remember where payloads lie. */
  readonly isAlone: () => Promise<boolean>;
}

export class VersionKeeper {
  readonly #store: Store;
  readonly #archiveDir: string;
  readonly #rule: KeepRule;
  readonly #shared: SharedArchive | null;
  /** So far. */
  readonly kept = { dropped: 0, bytesFreed: 0 };

  /** `shared`: of a worker of a cluster. */
  constructor(store: Store, archiveDir: string, rule: KeepRule, shared: SharedArchive | null = null) {
    this.#shared = shared;
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
    if (this.#shared !== null && !(await this.#shared.isAlone())) {
      publish('crawl/warning', { message: 'old versions are dropped (--keep) when no other worker is at work' });
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
