/**
 * A unit's eye on the leases of its hosts, where others can take them over: says at any instant whether a request may begin, and
 * tells once when they have lapsed, so that what is under way is ended. It wakes by itself when they would lapse, and is found
 * lapsed by whoever asks first after the process stood still.
 */
import type { Clock } from '../core/clock.ts';
import type { Lease, LeaseGuard } from '../core/lease-guard.ts';

export class LeaseWatch implements Lease {
  readonly #guard: LeaseGuard;
  readonly #clock: Clock;
  readonly #onLapse: () => void;
  #isLapsed = false;
  #cancel: () => void = () => {};
  /** How often they have lapsed: whoever began before the last time has not finished in time. */
  lapses = 0;

  constructor(guard: LeaseGuard, clock: Clock, onLapse: () => void) {
    this.#guard = guard;
    this.#clock = clock;
    this.#onLapse = onLapse;
    this.#arm();
  }

  isGood(): boolean {
    if (this.#isLapsed) return false;
    if (this.#guard.isGood()) return true;
    this.#isLapsed = true;
    this.lapses++;
    this.#cancel();
    this.#onLapse();
    return false;
  }

  /** They were renewed, and what was lost among them is known. */
  renewed(): void {
    if (!this.#isLapsed) return;
    this.#isLapsed = false;
    this.#arm();
  }

  stop(): void {
    this.#cancel();
  }

  #arm(): void {
    this.#cancel = this.#clock.after(Math.max(0, this.#guard.remainingMs()), () => {
      if (this.isGood()) this.#arm();
    });
  }
}
