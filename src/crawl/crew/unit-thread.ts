/** A crawler unit as the controller sees it: a thread that takes messages, reports, and may die. */
import type { EventLoopUtilization } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { FromUnit, ToUnit, UnitResponse, UnitSetup } from '../unit/messages.ts';

/** A unit that uses too much memory fails alone. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };
/**
 * The process starts with a small young generation, which is right for the controller. A unit makes many short-lived
 * objects for each page, and a small heap copies or marks them again and again. With these values, the crawl of a
 * real site takes an eighth less CPU time (docs/benchmarks.md). They hold for threads that start later.
 */
const UNIT_HEAP_FLAGS = ['--max-semi-space-size=8', '--initial-old-space-size=64'];

const LEAVE_WITHIN_MS = 2_000;

export class UnitThread {
  readonly name: string;
  /** URLs that the unit holds and has not settled. */
  assigned = 0;
  drained = false;
  readonly #worker: Worker;
  readonly #parsing = new Float64Array(new SharedArrayBuffer(16));
  readonly #gone = Promise.withResolvers<void>();
  #isStarted = false;
  #cause = 'it ended unexpectedly';
  #lastBusy: EventLoopUtilization | undefined;

  /** Begins to load the code of the unit at once. `start` tells the unit what to crawl. */
  constructor(name: string) {
    this.name = name;
    for (const flag of UNIT_HEAP_FLAGS) setFlagsFromString(flag);
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? '../unit/unit.ts' : './unit.js';
    this.#worker = new Worker(new URL(entry, import.meta.url), { resourceLimits: RESOURCE_LIMITS });
    this.#worker.on('error', (error) => {
      this.#cause = String((error as Error).message ?? error);
    });
    this.#worker.on('exit', () => this.#gone.resolve());
  }

  start(
    setup: Omit<UnitSetup, 'parsing' | 'name'>,
    onMessage: (unit: UnitThread, message: FromUnit) => void,
    onDeath: (unit: UnitThread, cause: string) => void,
  ): void {
    this.#worker.on('message', (message: FromUnit) => {
      if (message.type === 'drained') this.drained = true;
      if (message.type !== 'response') onMessage(this, message);
    });
    // A thread whose code cannot be loaded may have ended before this call.
    void this.#gone.promise.then(() => {
      if (!this.drained) onDeath(this, this.#cause);
    });
    this.#isStarted = true;
    const parsing = this.#parsing.buffer as SharedArrayBuffer;
    this.post({ type: 'start', setup: { ...setup, name: this.name, parsing } });
  }

  /** For the requests of the controller. A unit responds to them also before `start`. */
  onResponse(listener: (response: UnitResponse) => void): void {
    this.#isStarted = true;
    this.#worker.on('message', (message: FromUnit) => {
      if (message.type === 'response') listener(message);
    });
  }

  /** Whether the process waits for the thread when it has nothing else to do. */
  keepProcess(isKept: boolean): void {
    if (isKept) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Resolves when the thread has ended. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  post(message: ToUnit): void {
    this.#worker.postMessage(message);
  }

  /** The URL whose content the unit is processing; 0 for none. It tells which page killed a unit. */
  get parsingId(): number {
    return this.#parsing[0]!;
  }

  /** URLs in the pipeline of the unit. */
  get underWay(): number {
    return this.#parsing[1]!;
  }

  /** The busy share, from 0 to 1, of the time since the last call. */
  busyShare(): number {
    const now = this.#worker.performance.eventLoopUtilization();
    const { utilization } = this.#worker.performance.eventLoopUtilization(now, this.#lastBusy);
    this.#lastBusy = now;
    return utilization;
  }

  /** Ends a thread that no longer responds. It counts as dead of this cause. */
  kill(cause: string): void {
    this.#cause = cause;
    void this.#worker.terminate();
  }

  /**
   * Terminating a thread during a compression crashes the process (an assertion in Node). So the thread is first asked
   * to exit by itself. A thread that is too busy with a page to notice is terminated after a timeout.
   */
  async end(): Promise<void> {
    this.drained = true;
    if (this.#isStarted) {
      this.post({ type: 'leave' });
      const { promise: patienceIsOver, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LEAVE_WITHIN_MS);
      await Promise.race([this.#gone.promise, patienceIsOver]);
      clearTimeout(timer);
    }
    await this.#worker.terminate();
  }
}
