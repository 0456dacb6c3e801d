/** A crawler unit as the controller sees it: a thread that takes messages, reports, and may die. */
import type { EventLoopUtilization } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { FromUnit, ToUnit, UnitSetup } from './messages.ts';

/** Keeps a unit's heap small, so that memory is for page bodies, and lets one that runs wild fail alone. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 512 };
/**
 * Of a refresh: two outlines of a page live while they are compared, and in a small heap they are copied again and again. A
 * refresh with 3 % of its pages changed takes an eighth less CPU time so, and 25 MB more.
 */
const REFRESH_LIMITS = { ...RESOURCE_LIMITS, maxYoungGenerationSizeMb: 24 };
const REFRESH_SEMI_SPACE_MB = 8;

const LEAVE_WITHIN_MS = 2_000;

export class UnitThread {
  readonly name: string;
  /** The URLs it has been given and has not yet answered for. */
  assigned = 0;
  drained = false;
  readonly #worker: Worker;
  readonly #parsing = new Float64Array(new SharedArrayBuffer(16));
  readonly #gone = Promise.withResolvers<void>();
  #isStarted = false;
  #cause = 'it ended by itself';
  #lastBusy: EventLoopUtilization | undefined;

  /** Begins to load the unit's code at once; `start` tells it what to crawl. */
  constructor(name: string, isRefresh = false) {
    this.name = name;
    // The process was started with a small one for all threads; threads that begin later take this.
    if (isRefresh) setFlagsFromString(`--max-semi-space-size=${REFRESH_SEMI_SPACE_MB}`);
    const entry = `./unit${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
    this.#worker = new Worker(new URL(entry, import.meta.url), {
      resourceLimits: isRefresh ? REFRESH_LIMITS : RESOURCE_LIMITS,
    });
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
      onMessage(this, message);
    });
    this.#worker.on('exit', () => {
      if (!this.drained) onDeath(this, this.#cause);
    });
    this.#isStarted = true;
    const parsing = this.#parsing.buffer as SharedArrayBuffer;
    this.post({ type: 'start', setup: { ...setup, name: this.name, parsing } });
  }

  post(message: ToUnit): void {
    this.#worker.postMessage(message);
  }

  /** The URL whose content it was working on; 0 for none. Tells which page brought a unit down. */
  get parsingId(): number {
    return this.#parsing[0]!;
  }

  /** URLs on their way through its pipeline. */
  get underWay(): number {
    return this.#parsing[1]!;
  }

  /** Of the time since it was last asked, from 0 to 1. */
  busyShare(): number {
    const now = this.#worker.performance.eventLoopUtilization();
    const { utilization } = this.#worker.performance.eventLoopUtilization(now, this.#lastBusy);
    this.#lastBusy = now;
    return utilization;
  }

  /** Ends a thread that does not hear any more; it counts as dead, of this cause. */
  kill(cause: string): void {
    this.#cause = cause;
    void this.#worker.terminate();
  }

  /**
   * A thread that is ended from outside in the middle of a compression takes the process with it (an assertion in Node), so
   * it is asked to go by itself first; one that is too deep in a page to hear that is ended after all.
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
