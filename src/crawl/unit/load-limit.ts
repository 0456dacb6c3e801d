/**
 * Limits the requests that a unit has in progress to as many as keep its thread busy (W12). While the thread waits for
 * the web, more requests make it faster. Once the thread is always busy, more requests only queue with their answers in
 * memory, and old answers cost the garbage collector more.
 *
 * In: the share of time in which the thread was busy. Out: a limit between `MIN` and the window.
 */
const UPDATE_EVERY_MS = 50;
const MIN = 16;
const BUSY = 0.95;
const GROWTH = 1.5;
const DECLINE = 0.9;

export class RequestLimit {
  #max: number;
  readonly #busyShare: () => number;
  #limit: number;
  #nextUpdateMs = 0;

  /** `busyShare` returns the busy share, from 0 to 1, of the time since its last call. */
  constructor(max: number, busyShare: () => number) {
    this.#max = max;
    this.#busyShare = busyShare;
    this.#limit = Math.min(max, 2 * MIN);
  }

  /** Sets the largest limit from now on. */
  allow(max: number): void {
    this.#max = max;
    this.#limit = Math.min(this.#limit, max);
  }

  limit(nowMs: number): number {
    // A clock that was set back must not freeze the limit.
    if (nowMs < this.#nextUpdateMs && this.#nextUpdateMs - nowMs <= UPDATE_EVERY_MS) return this.#limit;
    this.#nextUpdateMs = nowMs + UPDATE_EVERY_MS;
    const wanted = this.#busyShare() >= BUSY ? this.#limit * DECLINE : this.#limit * GROWTH;
    this.#limit = Math.min(this.#max, Math.max(MIN, Math.floor(wanted)));
    return this.#limit;
  }

  /** The time at which the limit may change; Infinity if the limit cannot grow. */
  nextUpdateMs(): number {
    return this.#limit < this.#max ? this.#nextUpdateMs : Number.POSITIVE_INFINITY;
  }
}

/** Measures this thread. */
export function busyShareOfThread(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
