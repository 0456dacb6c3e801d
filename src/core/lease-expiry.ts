/**
 * Whether our leases of hosts are surely alive, known to every thread without a message. In: how long they are good, from whoever
 * renewed them. Out: yes or no, at any instant.
 *
 * What always holds: it says yes no longer than it was last told, however long the process stood still meanwhile. It goes by the
 * clock that runs evenly, which stands still while the machine sleeps, and by the one on the wall, which does not, and believes
 * the later of both. A wall clock that is put forward closes it until it is told anew, which costs a little time and no promise.
 */
import { monotonicMs } from './clock.ts';

/** What a gate asks before a host is. */
export interface Lease {
  isGood(): boolean;
}

/** Of a process that has its store for itself. */
export const LASTING_LEASE: Lease = { isGood: () => true };

export interface LocalTime {
  monotonicMs(): number;
  wallMs(): number;
}

export const LOCAL_TIME: LocalTime = { monotonicMs, wallMs: Date.now };

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

  /** The leases are good for so long, counted from `sinceMs` of the even clock: when the renewal was asked for, not when it came. */
  extend(sinceMs: number, forMs: number): void {
    const untilMs = sinceMs + forMs;
    // Answers may overtake each other.
    if (untilMs <= this.#untilMs[EVEN]!) return;
    this.#untilMs[EVEN] = untilMs;
    this.#untilMs[WALL] = this.#time.wallMs() + untilMs - this.#time.monotonicMs();
  }

  /** They are good no more. */
  end(): void {
    this.#untilMs.fill(0);
  }
}
