import type { Clock } from '../core/clock.ts';

/** Something that may time out. It checks its own timeouts, so that four kinds of timeout need only one timer. */
export interface Timed {
  expire(nowMs: number): void;
}

/**
 * One coarse timer for all requests in flight. A separate timer for each request costs more than a precise timeout is
 * worth. Checking the few hundred open requests a few times per second costs nothing.
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

  /** Also checked at every tick, but does not keep the timer running. Used for idle connections. */
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
      // Runs after the poll phase. If the thread was busy, responses that are already in the
      // socket are read first and are not treated as late.
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
