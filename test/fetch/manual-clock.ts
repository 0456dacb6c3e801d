import type { Clock } from '../../src/core/clock.ts';

/** A clock that the test moves. */
export class ManualClock implements Clock {
  #nowMs = 1_000_000;
  #timers: { readonly atMs: number; readonly callback: () => void }[] = [];

  now = (): number => this.#nowMs;

  after(ms: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    const due = this.#timers.filter((timer) => timer.atMs <= this.#nowMs);
    this.#timers = this.#timers.filter((timer) => timer.atMs > this.#nowMs);
    for (const timer of due) timer.callback();
  }

  get pending(): number {
    return this.#timers.length;
  }
}
