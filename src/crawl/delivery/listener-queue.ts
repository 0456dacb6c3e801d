/**
 * Carries changes to one listener. It rests until it is woken, lets changes gather for a moment, and sends batch after batch in
 * order, each again and again with growing waits until it arrives. What it cannot deliver stays in the store; the
 * cursor says from where on.
 */
import type { Clock } from '../../core/clock.ts';
import { publish } from '../../core/events.ts';
import { safeText } from '../../core/safe-text.ts';
import { batchId, type Cursor } from './cursor.ts';
import { cut } from './cut.ts';
import { type CopyIdentity, DeliveryFailure, type Listener } from './listener.ts';
import { type ChangeSource, countWaiting, type ReadBatch, readBatch, readNewest } from './read-batch.ts';
import { type ListenerReport, MAX_COUNTED } from './report.ts';

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 5 * 60_000;
/** For a listener that was told to stop: time to end its processes. */
const STOP_GRACE_MS = 3_000;
const MAX_REASON_CHARS = 300;

export class Courier {
  readonly #store: ChangeSource;
  readonly #listener: Listener;
  readonly #cursor: Cursor;
  readonly #copy: CopyIdentity;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #isAwake = true;
  /** Once finishing: when it gives up. */
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
    // A fault of the store is told by finish; nobody may be listening before.
    this.#ended.catch(() => {});
  }

  wake(): void {
    this.#isAwake = true;
    this.#stir();
  }

  /** Sends what is left, no longer than this. */
  async finish(giveUpAfterMs: number): Promise<ListenerReport> {
    this.#deadlineMs = this.#clock.now() + giveUpAfterMs;
    this.wake();
    const cancel = this.#clock.after(giveUpAfterMs, () => this.stop());
    await this.#ended.finally(cancel);
    const waiting = await countWaiting(this.#store, this.#listener, this.#cursor.arrived, MAX_COUNTED);
    const { name } = this.#listener;
    return { name, delivered: this.#delivered, waiting, failure: this.#failureAtEnd(waiting) };
  }

  /** At once: a delivery that is under way is broken off, and repeated by the next run. */
  stop(): void {
    this.#abort.abort();
    this.#stir();
  }

  #failureAtEnd(waiting: number): string | null {
    const isUntold = this.#listener.showsState === true && !this.#hasShown;
    if (waiting === 0 && !isUntold) return null;
    return this.#lastFailure ?? 'the run ended first';
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      if (this.#isAwake) {
        await this.#gather();
        this.#isAwake = false;
        if (!(await this.#carryAll())) return;
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

  /** Whether everything arrived. */
  async #carryAll(): Promise<boolean> {
    while (!this.#isStopped) {
      const batch = await readBatch(this.#store, this.#listener, this.#cursor.arrived, this.#cursor.until);
      if (batch.changes.length > 0) {
        if (!(await this.#carry(batch))) return false;
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

  async #carry(batch: ReadBatch): Promise<boolean> {
    await this.#cursor.begin(batch.through);
    // Told only when it is on the disk: after a loss of power its number could stand for something else.
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

  /** A listener that does not heed the signal is left behind. */
  async #untilStopped(delivery: Promise<void>): Promise<void> {
    const { signal } = this.#abort;
    let cancel = (): void => {};
    let leave = (): void => {};
    const leftBehind = new Promise<never>((_, reject) => {
      leave = (): void => {
        cancel = this.#clock.after(STOP_GRACE_MS, () => reject(new DeliveryFailure('the run ended first')));
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
    // What was broken off says nothing about the listener; what failed before does.
    if (this.#isStopped) return false;
    const { retryAfterMs, isFinal } = error instanceof DeliveryFailure ? error : NOT_SAID;
    this.#lastFailure = cut(safeText(error instanceof Error ? error.message : String(error)), MAX_REASON_CHARS);
    this.#failures++;
    if (isFinal) return false;
    if (this.#failures === 1 && this.#deadlineMs === null) this.#warn(changes);
    const waitMs = Math.max(retryAfterMs, Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1)));
    const againAtMs = this.#clock.now() + waitMs;
    while (this.#clock.now() < againAtMs) {
      // No use in waiting for an attempt that will not be made.
      if (this.#isStopped || (this.#deadlineMs !== null && againAtMs > this.#deadlineMs)) return false;
      await this.#sleep(againAtMs - this.#clock.now());
    }
    return !this.#isStopped;
  }

  #warn(changes: number): void {
    const what = changes === 1 ? 'a change' : `${changes} changes`;
    const message = `${this.#listener.name} did not take ${what}: ${this.#lastFailure}; it is tried again`;
    publish('crawl/warning', { message });
  }

  /** Until the time has passed or somebody stirs; who sleeps looks again at what they slept for. */
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
