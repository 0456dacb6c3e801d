/**
 * Tells every thread, without a message, whether our leases of hosts are certainly valid. In: the duration of the
 * leases, from the code that renewed them. Out: yes or no, at any moment.
 *
 * What always holds: the guard never says yes after the time it was last given, however long the process was suspended.
 * It uses two clocks: the monotonic clock, which stops while the machine sleeps, and the wall clock, which does not.
 * The clock with less remaining time decides. If the wall clock is set forward, the guard says no until the next
 * renewal; this costs a little time and is safe.
 */
import { monotonicMs } from './clock.ts';

/** A gate checks the lease before it asks a host. */
export interface Lease {
  isGood(): boolean;
}

/** The lease of a process that is the only user of its store. */
export const LASTING_LEASE: Lease = { isGood: () => true };

export interface LocalTime {
  monotonicMs(): number;
  wallMs(): number;
}

const LOCAL_TIME: LocalTime = { monotonicMs, wallMs: Date.now };

const EVEN = 0;
const WALL = 1;

export class LeaseGuard implements Lease {
  readonly memory: SharedArrayBuffer;
  readonly #untilMs: Float64Array;
  readonly #time: LocalTime;

  constructor(memory = new SharedArrayBuffer(16), time: LocalTime = LOCAL_TIME) {
    this.memory = memory;
    this.#untilMs = new Float64Array(memory);
    this.#time = time;
  }

  isGood(): boolean {
    return this.remainingMs() > 0;
  }

  remainingMs(): number {
    const evenMs = this.#untilMs[EVEN]! - this.#time.monotonicMs();
    return Math.min(evenMs, this.#untilMs[WALL]! - this.#time.wallMs());
  }

  /**
   * The leases are valid for `forMs`, counted from `sinceMs` of the monotonic clock: the time when the renewal was
   * requested, not the time when the answer arrived.
   */
  extend(sinceMs: number, forMs: number): void {
    const untilMs = sinceMs + forMs;
    // Answers may arrive out of order.
    if (untilMs <= this.#untilMs[EVEN]!) return;
    this.#untilMs[EVEN] = untilMs;
    this.#untilMs[WALL] = this.#time.wallMs() + untilMs - this.#time.monotonicMs();
  }

  end(): void {
    this.#untilMs.fill(0);
  }
}
