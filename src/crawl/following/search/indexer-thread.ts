/**
 * The thread that writes the search index, as the controller sees it. In: ids of touched pages. Out: the figures of the
 * index after each batch.
 *
 * Beside a crawl, the thread has the lowest priority, and on a busy machine it gets nearly no time. When the crawl has
 * ended and the index has not, a thread with the priority of the process takes over, with another one to help it.
 *
 * What always holds: a thread that fails, dies or is stopped has committed nothing of its batch, or all of it. A page
 * that ends the thread twice is left out and noted, and the batch goes on without it.
 */
import { type ResourceLimits, Worker } from 'node:worker_threads';
import { type ErrorCode, OrbweaverError } from '../../../core/errors.ts';
import {
  type FromIndexer,
  type HeavyPages,
  HURRY,
  type IndexerSetup,
  type IndexFigures,
  STOP,
  type ToIndexer,
} from './indexer-messages.ts';

/** A page that needs too much memory kills only this thread. */
export const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };
const LEAVE_WITHIN_MS = 2_000;
/** Enough for small runs on an idle machine, where other threads would only cost time. */
const HURRY_AFTER_MS = 1_000;

export class IndexerThread {
  #setup: IndexerSetup;
  readonly #limits: ResourceLimits;
  readonly #current: Float64Array;
  readonly #stop: Int32Array;
  #worker: Worker | null = null;
  /** Pages that ended the thread twice, and the one that did it once. */
  readonly #skip = new Set<number>();
  #suspect = 0;
  #hurryTimer: NodeJS.Timeout | undefined;
  /** How many threads there have been. */
  starts = 0;

  constructor(setup: Omit<IndexerSetup, 'current' | 'stop' | 'early'>, limits: ResourceLimits = RESOURCE_LIMITS) {
    this.#limits = limits;
    this.#setup = { ...setup, current: new SharedArrayBuffer(16), stop: new SharedArrayBuffer(4), early: [] };
    this.#current = new Float64Array(this.#setup.current);
    this.#stop = new Int32Array(this.#setup.stop);
  }

  /** Opens the index. Throws an OrbweaverError if it cannot be opened. */
  async open(): Promise<IndexFigures> {
    await this.end();
    const answer = await this.#start();
    if (answer === null || !('done' in answer)) throw this.#asError(answer);
    return answer.done;
  }

  /** Null if it was stopped. */
  async index(ids: readonly number[], position: string): Promise<IndexFigures | null> {
    for (let left = ids; ; left = left.slice(this.#current[1])) {
      const heavy: HeavyPages = { skip: [...this.#skip], suspect: this.#suspect };
      const answer = await this.#ask({ task: 'index', ids: left, position, heavy });
      if (answer !== null) {
        if ('done' in answer) this.#suspect = 0;
        if ('stopped' in answer && Atomics.load(this.#stop, 0) === HURRY) {
          this.#setup = { ...this.#setup, early: answer.stopped };
          continue;
        }
        return this.#figuresOf(answer);
      }
      const guilty = this.#current[0]!;
      if (guilty === 0) throw this.#asError(null);
      if (guilty === this.#suspect) this.#skip.add(guilty);
      this.#suspect = guilty;
    }
  }

  async retry(): Promise<IndexFigures | null> {
    return this.#figuresOf(await this.#ask({ task: 'retry' }));
  }

  async clear(): Promise<IndexFigures | null> {
    return this.#figuresOf(await this.#ask({ task: 'clear' }));
  }

  async settle(): Promise<void> {
    this.#figuresOf(await this.#ask({ task: 'settle' }));
  }

  /** The batch in progress ends soon, and nothing of it counts. */
  stop(): void {
    clearTimeout(this.#hurryTimer);
    Atomics.store(this.#stop, 0, STOP);
  }

  /** Somebody waits for the index from now on. */
  hurrySoon(afterMs = HURRY_AFTER_MS): void {
    if (!this.#setup.isAwaited) this.#hurryTimer ??= setTimeout(() => this.#hurry(), afterMs).unref();
  }

  #hurry(): void {
    this.#setup = { ...this.#setup, isAwaited: true };
    Atomics.compareExchange(this.#stop, 0, 0, HURRY);
  }

  async end(): Promise<void> {
    clearTimeout(this.#hurryTimer);
    const worker = this.#worker;
    this.#worker = null;
    if (worker === null) return;
    const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage({ task: 'close' } satisfies ToIndexer);
    const timer = setTimeout(() => void worker.terminate(), LEAVE_WITHIN_MS);
    await gone;
    clearTimeout(timer);
  }

  #figuresOf(answer: FromIndexer | null): IndexFigures | null {
    if (answer !== null && 'done' in answer) return answer.done;
    if (answer !== null && 'stopped' in answer) return null;
    throw this.#asError(answer);
  }

  #asError(answer: FromIndexer | null): OrbweaverError {
    if (answer === null || !('failure' in answer)) {
      return new OrbweaverError('ERR_STORE', `the thread of the search index in ${this.#setup.place.dir} has ended`);
    }
    return new OrbweaverError(answer.code as ErrorCode, answer.failure);
  }

  /** Null if the thread died. */
  async #ask(task: ToIndexer): Promise<FromIndexer | null> {
    if (this.#worker === null) {
      const opened = await this.#start();
      if (opened === null || !('done' in opened)) return opened;
    }
    const worker = this.#worker!;
    this.#current.fill(0);
    const answer = this.#answerOf(worker);
    worker.postMessage(task);
    return answer;
  }

  async #answerOf(worker: Worker): Promise<FromIndexer | null> {
    const { promise, resolve } = Promise.withResolvers<FromIndexer | null>();
    const onEnd = (): void => resolve(null);
    worker.once('message', resolve).once('error', onEnd).once('exit', onEnd);
    const answer = await promise;
    worker.off('message', resolve).off('error', onEnd).off('exit', onEnd);
    if (answer === null || !('done' in answer)) {
      await this.#gone(worker);
      if (this.#worker === worker) this.#worker = null;
    }
    return answer;
  }

  /** A thread holds the index until it has ended. */
  async #gone(worker: Worker): Promise<void> {
    const exit = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    if (worker.threadId === -1) return;
    const timer = setTimeout(() => void worker.terminate(), LEAVE_WITHIN_MS);
    await exit;
    clearTimeout(timer);
  }

  #start(): Promise<FromIndexer | null> {
    this.starts++;
    Atomics.store(this.#stop, 0, 0);
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? './indexer.ts' : './indexer.js';
    const worker = new Worker(new URL(entry, import.meta.url), {
      workerData: this.#setup,
      resourceLimits: this.#limits,
    });
    // Between two batches nobody listens, and an error without a listener ends the process.
    worker.on('error', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    this.#worker = worker;
    return this.#answerOf(worker);
  }
}
