/**
 * How many requests a unit has under way: as many as keep its thread busy, and no more (W12). While the thread waits for
 * the web, more requests make it quicker; once it is busy all the time, they only wait in line with their answers in
 * memory, and each that grows old there costs the garbage collector more.
 *
 * In: which part of the time the thread was busy. Out: a limit between `LEAST` and the window.
 */
const LOOK_EVERY_MS = 50;
const LEAST = 16;
const BUSY = 0.95;
const GROWTH = 1.5;
const DECLINE = 0.9;

export class FlightCap {
  #most: number;
  readonly #busyShare: () => number;
  #limit: number;
  #nextLookMs = 0;

  /** `busyShare`: of the time since it was last called, from 0 to 1. */
  constructor(most: number, busyShare: () => number) {
    this.#most = most;
    this.#busyShare = busyShare;
    this.#limit = Math.min(most, 2 * LEAST);
  }

  /** The most there may be from now on. */
  allow(most: number): void {
    this.#most = most;
    this.#limit = Math.min(this.#limit, most);
  }

  limit(nowMs: number): number {
    // A clock that was set back must not stop it.
    if (nowMs < this.#nextLookMs && this.#nextLookMs - nowMs <= LOOK_EVERY_MS) return this.#limit;
    this.#nextLookMs = nowMs + LOOK_EVERY_MS;
    const wanted = this.#busyShare() >= BUSY ? this.#limit * DECLINE : this.#limit * GROWTH;
    this.#limit = Math.min(this.#most, Math.max(LEAST, Math.floor(wanted)));
    return this.#limit;
  }

  /** When the limit may be another, for a unit that is held back by it; Infinity where it cannot be more. */
  nextLookMs(): number {
    return this.#limit < this.#most ? this.#nextLookMs : Number.POSITIVE_INFINITY;
  }
}

/** Of this thread. */
export function busyShareOfThread(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
