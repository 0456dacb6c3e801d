/**
 * The thread that describes changes, as the controller sees it. It starts with the first change and may die: a page
 * that kills it has no description, and the next change starts another thread.
 */
import { Worker } from 'node:worker_threads';
import type { RefreshOptions } from '../../core/options/refresh-options.ts';
import type { ChangeEntry } from '../../store/contract.ts';
import type { Condition } from '../delivery/when/condition.ts';
import type { BodySizes } from '../place/body-limits.ts';
import type { CrawlPlace } from '../place/crawl-place.ts';

export interface DescriberSetup {
  readonly place: CrawlPlace;
  readonly sizes: BodySizes;
  readonly refresh: RefreshOptions;
}

/** A change, and what to find out about it: its description, or whether it meets one of the conditions. */
export interface DescriberTask extends Pick<ChangeEntry, 'url' | 'atMs'> {
  readonly when: readonly Condition[] | null;
}

/** Null: close the store and end. */
export type ToDescriber = DescriberTask | null;
export type FromDescriber =
  | { readonly change: string | null }
  | { readonly isMet: boolean | null }
  | { readonly failure: string };

/** A page that needs too much memory kills only this thread. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };
const LEAVE_WITHIN_MS = 2_000;

export class DescriberThread {
  readonly #setup: DescriberSetup;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(setup: DescriberSetup) {
    this.#setup = setup;
  }

  /** Null if the archive does not have both versions, or if the comparison killed the thread. */
  async describe({ url, atMs }: ChangeEntry): Promise<string | null> {
    const answer = await this.#inTurn({ url, atMs, when: null });
    return 'change' in answer ? answer.change : null;
  }

  /** Whether the change meets one of the conditions; null if the archive cannot tell. */
  async meets({ url, atMs }: ChangeEntry, when: readonly Condition[]): Promise<boolean | null> {
    const answer = await this.#inTurn({ url, atMs, when });
    return 'isMet' in answer ? answer.isMet : null;
  }

  /** One task at a time, so it is known which one killed the thread. */
  #inTurn(task: DescriberTask): Promise<FromDescriber> {
    const answer = this.#last.then(() => this.#ask(task));
    this.#last = answer.catch(() => {});
    return answer;
  }

  /** Throws if the store or the archive cannot be read at all. */
  async #ask(task: DescriberTask): Promise<FromDescriber> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const { promise, resolve, reject } = Promise.withResolvers<FromDescriber>();
    const onExit = (): void => {
      this.#worker = null;
      resolve({ change: null });
    };
    worker.once('message', resolve).once('error', reject).once('exit', onExit);
    worker.postMessage(task satisfies ToDescriber);
    try {
      const answer = await promise;
      if ('failure' in answer) throw new Error(answer.failure);
      return answer;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      this.#worker = null;
      return { change: null };
    } finally {
      worker.off('message', resolve).off('error', reject).off('exit', onExit);
    }
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    if (worker === null) return;
    const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage(null satisfies ToDescriber);
    const timer = setTimeout(() => void worker.terminate(), LEAVE_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  #start(): Worker {
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? './describer.ts' : './describer.js';
    const worker = new Worker(new URL(entry, import.meta.url), {
      workerData: this.#setup,
      resourceLimits: RESOURCE_LIMITS,
    });
    // Between two changes nobody listens, and an error without a listener ends the process.
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}
