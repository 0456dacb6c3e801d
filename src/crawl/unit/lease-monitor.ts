/**
 * Watches the leases of a unit's hosts in a cluster. It says at any moment whether a request may begin. It calls
 * `onExpiry` once when the leases have expired, so that requests in progress are aborted. A timer finds the expiry. If
 * the process was suspended, the first call of `isGood` finds it.
 */
import type { Clock } from '../../core/clock.ts';
import type { Lease, LeaseGuard } from '../../core/lease-expiry.ts';

export class LeaseMonitor implements Lease {
  readonly #guard: LeaseGuard;
  readonly #clock: Clock;
  readonly #onExpiry: () => void;
  #isExpired = false;
  #cancel: () => void = () => {};
  /** How often the leases have expired. Work that began before the last expiry was not finished in time. */
  expiries = 0;

  constructor(guard: LeaseGuard, clock: Clock, onExpiry: () => void) {
    this.#guard = guard;
    this.#clock = clock;
    this.#onExpiry = onExpiry;
    this.#arm();
  }

  isGood(): boolean {
    if (this.#isExpired) return false;
    if (this.#guard.isGood()) return true;
    this.#isExpired = true;
    this.expiries++;
    this.#cancel();
    this.#onExpiry();
    return false;
  }

  /** The leases were renewed, and the lost hosts are known. */
  renewed(): void {
    if (!this.#isExpired) return;
    this.#isExpired = false;
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
