import type { Clock } from '../core/clock.ts';

/** Something that may have waited too long. It judges by itself, so that four kinds of time-out need one timer. */
export interface Timed {
  expire(nowMs: number): void;
}

/**
 * One coarse timer for every request in flight. A timer of its own for each request costs more than the request's
 * time-out is worth; looking through the few hundred that are open, a few times a second, costs nothing.
 *
 * What always holds: the timer runs only while something is timed, so it never keeps an idle process alive.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #timed = new Set<Timed>();
  readonly #companions = new Set<Timed>();
  #cancel: (() => void) | null = null;

  constructor(clock: Clock, tickMs: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
  }

  add(timed: Timed): void {
    this.#timed.add(timed);
    if (this.#cancel === null) this.#arm();
  }

  delete(timed: Timed): void {
    this.#timed.delete(timed);
  }

  /** Asked at every tick as well, but not worth a tick of its own: idle connections. */
  accompany(timed: Timed): void {
    this.#companions.add(timed);
  }

  leave(timed: Timed): void {
    this.#companions.delete(timed);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#timed.clear();
    this.#companions.clear();
  }

  #arm(): void {
    this.#cancel = this.#clock.after(this.#tickMs, () => {
      // After the poll phase: when the thread was busy, answers that already lie in the socket are read first and
      // are not taken for late ones.
      setImmediate(() => this.#tick());
    });
  }

  #tick(): void {
    if (this.#cancel === null) return;
    this.#cancel = null;
    const nowMs = this.#clock.now();
    for (const timed of this.#timed) timed.expire(nowMs);
    for (const timed of this.#companions) timed.expire(nowMs);
    if (this.#timed.size > 0 && this.#cancel === null) this.#arm();
  }
}
