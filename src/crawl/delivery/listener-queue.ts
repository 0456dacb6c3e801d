/**
 * Delivers changes to one listener. It sleeps until it is woken, waits a moment for more changes, and sends batch after
 * batch in order. A failed batch is retried with growing delays until it arrives. Undelivered changes stay in the
 * store, and the cursor marks where to continue.
 */
import type { Clock } from '../../core/clock.ts';
import { publish } from '../../core/events.ts';
import { safeText } from '../../core/safe-text.ts';
import { cut } from '../../core/text/truncate-text.ts';
import { batchId, type Cursor } from './cursor.ts';
import { type CopyIdentity, DeliveryFailure, type Listener, RUN_ENDED } from './listener.ts';
import { type ChangeSource, countWaiting, type ReadBatch, readBatch, readNewest } from './read-batch.ts';

/** The result of the delivery to one listener, at the end of a run. */
export interface ListenerReport {
  readonly name: string;
  /** Changes that arrived in this run. */
  readonly delivered: number;
  /** Changes that wait for the next run, counted up to `MAX_COUNTED`. */
  readonly waiting: number;
  /** Why they wait; null if everything was delivered. */
  readonly failure: string | null;
}

export const MAX_COUNTED = 10_000;

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 5 * 60_000;
/** Time that a listener has to end its processes after the stop signal. */
const STOP_GRACE_MS = 3_000;
const MAX_REASON_CHARS = 300;

export class ListenerQueue {
  readonly #store: ChangeSource;
  readonly #listener: Listener;
  readonly #cursor: Cursor;
  readonly #copy: CopyIdentity;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #isAwake = true;
  /** Set by `finish`: the time at which the delivery is abandoned. */
  #deadlineMs: number | null = null;
  #stir = (): void => {};
  #delivered = 0;
  #failures = 0;
  #lastFailure: string | null = null;
  #hasShown = false;

  constructor(store: ChangeSource, listener: Listener, cursor: Cursor, copy: CopyIdentity, clock: Clock) {
    this.#store = store;
    this.#listener = listener;
    this.#cursor = cursor;
    this.#copy = copy;
    this.#clock = clock;
    this.#ended = this.#run();
    // `finish` reports an error of the store. Before that, nobody may be awaiting the promise.
    this.#ended.catch(() => {});
  }

  wake(): void {
    this.#isAwake = true;
    this.#stir();
  }

  /** Sends the remaining changes, for at most this long. */
  async finish(giveUpAfterMs: number): Promise<ListenerReport> {
    this.#deadlineMs = this.#clock.now() + giveUpAfterMs;
    this.wake();
    const cancel = this.#clock.after(giveUpAfterMs, () => this.stop());
    await this.#ended.finally(cancel);
    const waiting = await countWaiting(this.#store, this.#listener, this.#cursor.arrived, MAX_COUNTED);
    const { name } = this.#listener;
    return { name, delivered: this.#delivered, waiting, failure: this.#failureAtEnd(waiting) };
  }

  /** Stops at once. A delivery in progress is aborted, and the next run repeats it. */
  stop(): void {
    this.#abort.abort();
    this.#stir();
  }

  /** Resolves when the delivery has ended. `finish` reports an error of the store. */
  get ended(): Promise<void> {
    return this.#ended.catch(() => {});
  }

  #failureAtEnd(waiting: number): string | null {
    const isPending = this.#listener.showsState === true && !this.#hasShown;
    if (waiting === 0 && !isPending) return null;
    return this.#lastFailure ?? RUN_ENDED;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      if (this.#isAwake) {
        await this.#gather();
        this.#isAwake = false;
        if (!(await this.#deliverAll())) return;
      } else if (this.#deadlineMs !== null) return;
      else await this.#sleep(null);
    }
  }

  get #isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  async #gather(): Promise<void> {
    const untilMs = this.#clock.now() + this.#listener.limits.gatherMs;
    while (this.#deadlineMs === null && !this.#isStopped && this.#clock.now() < untilMs) {
      await this.#sleep(untilMs - this.#clock.now());
    }
  }

  /** Returns whether everything arrived. */
  async #deliverAll(): Promise<boolean> {
    while (!this.#isStopped) {
      const batch = await readBatch(this.#store, this.#listener, this.#cursor.arrived, this.#cursor.until);
      if (batch.changes.length > 0) {
        if (!(await this.#deliverBatch(batch))) return false;
      } else {
        await this.#cursor.arrive(batch.through);
        if (batch.isEnd) break;
      }
    }
    if (this.#isStopped) return false;
    if (this.#hasShown || this.#listener.showsState !== true) return true;
    const nothing = { changes: [], through: this.#cursor.arrived, isEnd: true };
    return this.#send(nothing);
  }

  async #deliverBatch(batch: ReadBatch): Promise<boolean> {
    await this.#cursor.begin(batch.through);
    // A change is sent only after it is on disk: after a power failure its number could belong to another change.
    await this.#store.sync();
    if (!(await this.#send(batch))) return false;
    this.#delivered += batch.changes.length;
    await this.#cursor.arrive(batch.through);
    return true;
  }

  async #send({ changes, through }: ReadBatch): Promise<boolean> {
    const id = batchId(this.#copy, this.#listener, this.#cursor.arrived, through);
    const newest = (limit: number) => readNewest(this.#store, this.#listener, limit);
    const batch = { id, copy: this.#copy, changes, newest };
    for (;;) {
      try {
        await this.#untilStopped(this.#listener.deliver(batch, this.#abort.signal));
        this.#failures = 0;
        this.#lastFailure = null;
        this.#hasShown = true;
        return true;
      } catch (error) {
        if (!(await this.#mayTryAgain(error, changes.length))) return false;
      }
    }
  }

  /** A listener that ignores the abort signal is no longer awaited. */
  async #untilStopped(delivery: Promise<void>): Promise<void> {
    const { signal } = this.#abort;
    let cancel = (): void => {};
    let leave = (): void => {};
    const leftBehind = new Promise<never>((_, reject) => {
      leave = (): void => {
        cancel = this.#clock.after(STOP_GRACE_MS, () => reject(new DeliveryFailure(RUN_ENDED)));
      };
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      await Promise.race([delivery, leftBehind]);
    } finally {
      signal.removeEventListener('abort', leave);
      cancel();
    }
  }

  async #mayTryAgain(error: unknown, changes: number): Promise<boolean> {
    // An aborted delivery says nothing about the listener, so the reason of the last real failure is kept.
    if (this.#isStopped) return false;
    const { retryAfterMs, isFinal } = error instanceof DeliveryFailure ? error : NOT_SAID;
    this.#lastFailure = cut(safeText(error instanceof Error ? error.message : String(error)), MAX_REASON_CHARS);
    this.#failures++;
    if (isFinal) return false;
    if (this.#failures === 1 && this.#deadlineMs === null) this.#warn(changes);
    const waitMs = Math.max(retryAfterMs, Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1)));
    const againAtMs = this.#clock.now() + waitMs;
    while (this.#clock.now() < againAtMs) {
      // The next attempt would be after the deadline, so there is no point in waiting.
      if (this.#isStopped || (this.#deadlineMs !== null && againAtMs > this.#deadlineMs)) return false;
      await this.#sleep(againAtMs - this.#clock.now());
    }
    return !this.#isStopped;
  }

  #warn(changes: number): void {
    const what = changes === 1 ? 'a change was' : `${changes} changes were`;
    const message = `${this.#listener.name}: ${what} not delivered: ${this.#lastFailure}; the delivery is retried`;
    publish('crawl/warning', { message });
  }

  /** Sleeps until the time has passed or `#stir` is called. The caller checks its condition again. */
  #sleep(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const cancel = ms === null ? (): void => {} : this.#clock.after(ms, () => this.#stir());
      this.#stir = (): void => {
        this.#stir = (): void => {};
        cancel();
        resolve();
      };
    });
  }
}

const NOT_SAID = { retryAfterMs: 0, isFinal: false } as const;
