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
import { EditWindow, hasSharedEdit } from './edit-window.ts';
import { type CopyIdentity, DeliveryFailure, type Listener, RUN_ENDED, untilStopped } from './listener.ts';
import type { Hold } from './pace/delivery-pace.ts';
import {
  type ChangeSource,
  countWaiting,
  type DeliveryRules,
  type ReadBatch,
  readBatch,
  readNewest,
} from './read-batch.ts';

/** The result of the delivery to one listener, at the end of a run. */
export interface ListenerReport {
  readonly name: string;
  /** Changes that arrived in this run. */
  readonly delivered: number;
  /** Changes that wait for the next run, counted up to `MAX_COUNTED`. */
  readonly waiting: number;
  /** Why they wait; null if everything was delivered. */
  readonly failure: string | null;
  /** The changes wait for the end of quiet hours or for the next digest, and nothing has failed. */
  readonly isHeld: boolean;
}

export const MAX_COUNTED = 10_000;

const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 5 * 60_000;
/** Time until the next attempt, while another process delivers to the listener. */
const HOLD_AGAIN_MS = 5_000;
/** Other processes of a cluster commit as well, and wake nobody here. */
const LOOK_AGAIN_MS = 60_000;
/** So long an edit of many pages waits for the end of a round. */
const MAX_EDIT_WAIT_MS = 5 * 60_000;
export const HELD_ELSEWHERE = 'another process delivers to it';
const MAX_REASON_CHARS = 300;
/** The clock of the machine may be set while a listener waits, so long waits are checked from time to time. */
const MAX_SLEEP_MS = 60 * 60_000;

export class ListenerQueue {
  readonly #store: ChangeSource;
  readonly #listener: Listener;
  readonly #cursor: Cursor;
  readonly #copy: CopyIdentity;
  readonly #clock: Clock;
  readonly #rules: DeliveryRules;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  #isAwake = true;
  #isRoundOver = false;
  /** Set by `finish`: the time at which the delivery is abandoned. */
  #deadlineMs: number | null = null;
  #stir = (): void => {};
  #delivered = 0;
  #failures = 0;
  #lastFailure: string | null = null;
  #hasShown = false;
  /** Another process delivers to the listener, and knows what is left. */
  #isElsewhere = false;

  constructor(
    store: ChangeSource,
    listener: Listener,
    cursor: Cursor,
    copy: CopyIdentity,
    { clock, rules }: { readonly clock: Clock; readonly rules: DeliveryRules },
  ) {
    this.#store = store;
    this.#rules = rules;
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

  /** A round of the refresh has ended, so an edit of many pages has reached all its pages. */
  endRound(): void {
    this.#isRoundOver = true;
    this.#stir();
  }

  /** Sends the remaining changes, for at most this long. */
  async finish(giveUpAfterMs: number): Promise<ListenerReport> {
    this.#deadlineMs = this.#clock.now() + giveUpAfterMs;
    this.wake();
    const cancel = this.#clock.after(giveUpAfterMs, () => this.stop());
    await this.#ended.finally(cancel);
    const { name } = this.#listener;
    if (this.#isElsewhere)
      return { name, delivered: this.#delivered, waiting: 0, failure: HELD_ELSEWHERE, isHeld: false };
    const waiting = await countWaiting(this.#store, this.#listener, this.#cursor.arrived, MAX_COUNTED);
    const hold = waiting > 0 && this.#lastFailure === null ? this.#hold() : null;
    const failure = hold?.reason ?? this.#failureAtEnd(waiting);
    return { name, delivered: this.#delivered, waiting, failure, isHeld: hold !== null };
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
    try {
      await this.#work();
    } finally {
      await this.#cursor.release();
    }
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) {
      if (!this.#cursor.isHeld) this.#isAwake = true;
      if (!(await this.#cursor.hold())) {
        this.#isElsewhere = true;
        const againAtMs = this.#clock.now() + HOLD_AGAIN_MS;
        if (this.#deadlineMs !== null && againAtMs > this.#deadlineMs) return;
        await this.#sleep(HOLD_AGAIN_MS);
        continue;
      }
      this.#isElsewhere = false;
      const hold = this.#hold();
      if (hold !== null) {
        if (this.#deadlineMs !== null && hold.untilMs > this.#deadlineMs) return;
        await this.#sleep(Math.min(hold.untilMs - this.#clock.now(), MAX_SLEEP_MS));
      } else if (this.#isAwake) {
        await this.#gather();
        this.#isAwake = false;
        if (!(await this.#deliverAll())) return;
      } else if (this.#deadlineMs !== null) return;
      else {
        await this.#sleep(LOOK_AGAIN_MS);
        this.#isAwake = true;
      }
    }
  }

  /** Quiet hours or the time until the next digest; null if changes may be delivered now. */
  #hold(): Hold | null {
    const { pace } = this.#listener;
    return pace === undefined ? null : pace.holdAt(this.#clock.now(), this.#cursor.digestAtMs);
  }

  get #isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  async #gather(): Promise<void> {
    const untilMs = this.#clock.now() + this.#listener.limits.gatherMs;
    while (this.#deadlineMs === null && !this.#isStopped && this.#clock.now() < untilMs) {
      await this.#sleep(untilMs - this.#clock.now());
    }
    await this.#gatherEdits();
  }

  /** An edit of many pages waits for the end of the round, so that one message says on how many pages it is. */
  async #gatherEdits(): Promise<void> {
    const untilMs = this.#clock.now() + MAX_EDIT_WAIT_MS;
    const mayWait = (): boolean =>
      this.#deadlineMs === null && !this.#isStopped && !this.#isRoundOver && this.#clock.now() < untilMs;
    const isShared = mayWait() && this.#rules.joinsEdits && (await hasSharedEdit(this.#store, this.#cursor.arrived));
    while (isShared && mayWait()) await this.#sleep(untilMs - this.#clock.now());
    this.#isRoundOver = false;
  }

  /** Returns whether everything arrived. */
  async #deliverAll(): Promise<boolean> {
    const deliveredBefore = this.#delivered;
    let window: EditWindow | null = null;
    while (!this.#isStopped) {
      if (this.#hold() !== null || !this.#cursor.isHeld) {
        // Quiet hours have begun, and the rest is delivered after them. Or another process has taken over.
        this.#isAwake = true;
        return true;
      }
      if (window === null || this.#cursor.arrived >= window.through) {
        if (!(await this.#cursor.openWindow())) break;
        window = new EditWindow(this.#store, this.#cursor.window);
      }
      const { arrived, until } = this.#cursor;
      const range = { after: arrived, until, window, rules: this.#rules };
      const batch = await readBatch(this.#store, this.#listener, range);
      if (batch.changes.length > 0) {
        if (!(await this.#deliverBatch(batch))) return false;
      } else {
        await this.#cursor.arrive(batch.through);
        // The next changes wait for their descriptions.
        if (batch.isEnd && this.#cursor.arrived < window.through) break;
      }
    }
    if (this.#isStopped) return false;
    if (this.#listener.pace?.hasDigest && this.#delivered > deliveredBefore) {
      await this.#cursor.endDigest(this.#clock.now());
    }
    if (this.#hasShown || this.#listener.showsState !== true) return true;
    const nothing = { changes: [], through: this.#cursor.arrived, isEnd: true };
    return this.#send(nothing);
  }

  async #deliverBatch(batch: ReadBatch): Promise<boolean> {
    await this.#cursor.begin(batch.through);
    // A change is sent only after it is on disk: after a power failure its number could belong to another change.
    await this.#store.sync();
    // Another process has taken over, and delivers this batch.
    if (!this.#cursor.isHeld) return true;
    if (!(await this.#send(batch))) return false;
    this.#delivered += batch.changes.length;
    await this.#cursor.arrive(batch.through);
    return true;
  }

  async #send({ changes, through }: ReadBatch): Promise<boolean> {
    const id = batchId(this.#copy, this.#listener, this.#cursor.arrived, through);
    const newest = (limit: number) => readNewest(this.#store, this.#listener, limit, this.#rules);
    const batch = { id, copy: this.#copy, changes, newest };
    for (;;) {
      try {
        const { signal } = this.#abort;
        await untilStopped(this.#listener.deliver(batch, signal), signal, this.#clock);
        this.#failures = 0;
        this.#lastFailure = null;
        this.#hasShown = true;
        return true;
      } catch (error) {
        if (!(await this.#mayTryAgain(error, changes.length))) return false;
      }
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
    const triedAtMs = this.#clock.now() + waitMs;
    const againAtMs = this.#listener.pace?.holdAt(triedAtMs, this.#cursor.digestAtMs)?.untilMs ?? triedAtMs;
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
  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, () => this.#stir());
      this.#stir = (): void => {
        this.#stir = (): void => {};
        cancel();
        resolve();
      };
    });
  }
}

const NOT_SAID = { retryAfterMs: 0, isFinal: false } as const;
