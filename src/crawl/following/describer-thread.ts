/**
 * The thread that describes changes, as the controller sees it. It starts with the first change and may die: a page
 * that kills it has no description, and the next change starts another thread.
 *
 * It has the lowest priority, so it takes only the CPU time that a crawl leaves. On a busy machine this may be nearly
 * nothing. When somebody waits for the descriptions, another thread with the priority of the process takes over: a
 * thread cannot raise its own priority.
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

/** What the thread gets when it starts. */
export interface DescriberStart extends DescriberSetup {
  readonly isHurried: boolean;
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
/** Enough for most runs on an idle machine, where another thread would only cost time. */
const HURRY_AFTER_MS = 1_000;

export class DescriberThread {
  readonly #setup: DescriberSetup;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isHurried: boolean;
  #hurryTimer: NodeJS.Timeout | undefined;
  /** Asks the new thread for the task that the former thread has not finished. */
  #onHurry = (): void => {};
  #formerIsGone: Promise<void> = Promise.resolve();

  constructor(setup: DescriberSetup, isHurried = false) {
    this.#setup = setup;
    this.#isHurried = isHurried;
  }

  /** Somebody waits for the descriptions from now on. */
  hurrySoon(): void {
    if (!this.#isHurried) this.#hurryTimer ??= setTimeout(() => this.#hurry(), HURRY_AFTER_MS).unref();
  }

  #hurry(): void {
    this.#isHurried = true;
    const former = this.#worker;
    this.#worker = null;
    if (former !== null) this.#formerIsGone = leave(former);
    this.#onHurry();
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
    const { promise, resolve, reject } = Promise.withResolvers<FromDescriber | 'hurry'>();
    const onExit = (): void => {
      this.#worker = null;
      resolve({ change: null });
    };
    this.#onHurry = () => resolve('hurry');
    worker.once('message', resolve).once('error', reject).once('exit', onExit);
    worker.postMessage(task satisfies ToDescriber);
    try {
      const answer = await promise;
      if (answer === 'hurry') return this.#ask(task);
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
    clearTimeout(this.#hurryTimer);
    const worker = this.#worker;
    this.#worker = null;
    await Promise.all([this.#formerIsGone, worker && leave(worker)]);
  }

  #start(): Worker {
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? './describer.ts' : './describer.js';
    const worker = new Worker(new URL(entry, import.meta.url), {
      workerData: { ...this.#setup, isHurried: this.#isHurried } satisfies DescriberStart,
      resourceLimits: RESOURCE_LIMITS,
    });
    // Between two changes nobody listens, and an error without a listener ends the process.
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}

async function leave(worker: Worker): Promise<void> {
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  worker.postMessage(null satisfies ToDescriber);
  const timer = setTimeout(() => void worker.terminate(), LEAVE_WITHIN_MS);
  await gone;
  clearTimeout(timer);
}
