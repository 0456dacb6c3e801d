/**
 * Runs one follower beside a crawl or refresh, or alone. It sleeps until it is woken, reads batch after batch, and
 * moves its position after each. A failed batch is repeated with growing delays. While another process holds the
 * follower, this one waits.
 */
import type { Clock } from '../core/clock.ts';
import type { Follower, PositionStore } from './follower.ts';
import { HeldPosition } from './held-position.ts';

export interface FollowerReport {
  readonly name: string;
  /** Items that were followed in this run. */
  readonly followed: number;
  /** Whether the follower has reached the end. */
  readonly isDone: boolean;
  /** Why it has not; null if it has, or if there was no time. */
  readonly failure: string | null;
}

export const HELD_ELSEWHERE = 'another process works on it';

/** The time that a follower has to end after it was stopped. */
const GRACE_MS = 3_000;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const HOLD_AGAIN_MS = 5_000;
/** Other processes of a cluster commit as well, and wake nobody here. */
const LOOK_AGAIN_MS = 60_000;

export class FollowerQueue<Item> {
  readonly #follower: Follower<Item>;
  readonly #held: HeldPosition;
  readonly #clock: Clock;
  readonly #abort = new AbortController();
  readonly #ended: Promise<void>;
  readonly #onMove: () => void;
  #isAwake = true;
  #deadlineMs: number | null = null;
  #stir = (): void => {};
  #followed = 0;
  #failures = 0;
  #failure: string | null = null;
  #isDone = false;
  #restUntilMs = 0;

  /** `onMove` is called after each move of the position. */
  constructor(store: PositionStore, follower: Follower<Item>, clock: Clock, onMove: () => void = () => {}) {
    this.#follower = follower;
    this.#held = new HeldPosition(follower.positions ?? store, follower, clock);
    this.#clock = clock;
    this.#onMove = onMove;
    this.#ended = this.#run();
    this.#ended.catch(() => {});
  }

  /** The position that this process knows; null at the beginning, and before the position is held. */
  get position(): string | null {
    return this.#held.position;
  }

  /** Call this when there may be new items. It is cheap enough to call after each commit. */
  wake(): void {
    this.#isAwake = true;
    this.#stir();
  }

  /** Called after the last commit: follows the remaining items, for at most this long. Throws errors of the store. */
  async finish(giveUpAfterMs: number): Promise<FollowerReport> {
    this.#deadlineMs = this.#clock.now() + giveUpAfterMs;
    this.wake();
    const cancel = this.#clock.after(giveUpAfterMs, () => this.stop());
    await this.#ended.finally(cancel);
    const { name } = this.#follower;
    const isDone = this.#isDone && this.#failure === null;
    return { name, followed: this.#followed, isDone, failure: isDone ? null : this.#failure };
  }

  /** Stops at once. The batch in progress is repeated by the next run. */
  stop(): void {
    this.#abort.abort();
    this.#stir();
  }

  /** Resolves when nothing uses the store any more. */
  get ended(): Promise<void> {
    return this.#ended.catch(() => {});
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isStopped) {
        if (!this.#held.isHeld) {
          // Whoever held it before may have left anything.
          this.#isAwake = true;
          if (await this.#held.hold()) continue;
          this.#failure = HELD_ELSEWHERE;
          if (!(await this.#pause(HOLD_AGAIN_MS))) return;
        } else if (this.#isAwake) {
          await this.#rest();
          this.#isAwake = false;
          if (!(await this.#followAll())) return;
          this.#restUntilMs = this.#clock.now() + (this.#follower.restMs ?? 0);
        } else if (this.#deadlineMs !== null) return;
        else {
          await this.#sleep(LOOK_AGAIN_MS);
          this.#isAwake = true;
        }
      }
    } finally {
      await this.#held.release();
    }
  }

  /** Returns false if this run must not go on. */
  async #followAll(): Promise<boolean> {
    const { source, batchItems } = this.#follower;
    this.#isDone = false;
    while (!this.#isStopped) {
      const { items, position, isEnd } = await source.read(this.#held.position, batchItems);
      if (position !== this.#held.position) {
        const results = items.length === 0 ? {} : await this.#attempt(items);
        if (results === null) return false;
        // Another process has taken over. It follows these items as well.
        if (!(await this.#held.move(position, results))) return true;
        this.#followed += items.length;
        this.#onMove();
      }
      this.#failure = null;
      if (isEnd) {
        this.#isDone = true;
        return true;
      }
    }
    return false;
  }

  /** The results of a batch; null if there is no time for another attempt. */
  async #attempt(items: readonly Item[]) {
    const { signal } = this.#abort;
    for (;;) {
      try {
        const results = await this.#withGrace(this.#follower.follow(items, signal));
        this.#failures = 0;
        // A follower that was stopped may have left items out.
        return signal.aborted ? null : results;
      } catch (error) {
        if (this.#isStopped) return null;
        this.#failure = error instanceof Error ? error.message : String(error);
        const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++);
        const { lastTries = Number.POSITIVE_INFINITY } = this.#follower;
        if (this.#deadlineMs !== null && this.#failures >= lastTries) return null;
        if (!(await this.#pause(waitMs))) return null;
      }
    }
  }

  /** A follower that does not listen to the signal keeps nobody waiting: its late results are dropped. */
  async #withGrace<Results>(work: Promise<Results>): Promise<Results | null> {
    const { signal } = this.#abort;
    const { promise: late, resolve } = Promise.withResolvers<null>();
    let cancel = (): void => {};
    const onAbort = (): void => {
      cancel = this.#clock.after(GRACE_MS, () => resolve(null));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([work, late]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      cancel();
      work.catch(() => {});
    }
  }

  get #isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Nobody rests at the end of a run. */
  async #rest(): Promise<void> {
    while (!this.#isStopped && this.#deadlineMs === null && this.#clock.now() < this.#restUntilMs) {
      await this.#sleep(this.#restUntilMs - this.#clock.now());
    }
  }

  /** Returns false if the time is over before the pause is. */
  async #pause(ms: number): Promise<boolean> {
    const endMs = this.#clock.now() + ms;
    while (this.#clock.now() < endMs) {
      if (this.#isStopped || (this.#deadlineMs !== null && endMs > this.#deadlineMs)) return false;
      await this.#sleep(endMs - this.#clock.now());
    }
    return !this.#isStopped;
  }

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
