/**
 * The position of a follower, held with a lease. In: the name of the follower. Out: its position, and moves of it.
 *
 * What always holds: only the owner of the lease moves the position. The lease is renewed while this object is open. An
 * owner that was suspended until its lease ended, and has lost it, learns this with its next move, which does nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { FollowerResults, PositionStore } from './follower.ts';

const LEASE_MS = 60_000;
const RENEW_MS = LEASE_MS / 3;

export class HeldPosition {
  readonly #store: PositionStore;
  readonly #clock: Clock;
  readonly #follower: { readonly name: string; readonly version: number };
  readonly #owner = randomUUID();
  #position: string | null = null;
  #isHeld = false;
  #cancelRenewal = (): void => {};

  constructor(store: PositionStore, follower: { readonly name: string; readonly version: number }, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#follower = follower;
  }

  /** Null at the beginning. */
  get position(): string | null {
    return this.#position;
  }

  /** Whether this object holds the lease, as far as it knows. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Takes the lease and reads the position. Returns false while another owner has it. */
  async hold(): Promise<boolean> {
    if (this.#isHeld) return true;
    const record = await this.#lease();
    if (record === null) return false;
    this.#position = record.position;
    this.#isHeld = true;
    this.#renewLater();
    return true;
  }

  /** Returns false if another owner has the lease now. */
  async move(position: string | null, results: FollowerResults = {}): Promise<boolean> {
    if (!this.#isHeld) return false;
    const { name } = this.#follower;
    const isMoved = await this.#store.moveFollower({ name, owner: this.#owner, position, ...results });
    if (isMoved) this.#position = position;
    else this.#lose();
    return isMoved;
  }

  async release(): Promise<void> {
    this.#cancelRenewal();
    if (!this.#isHeld) return;
    this.#lose();
    await this.#store.releaseFollower(this.#follower.name, this.#owner);
  }

  #lease() {
    const { name, version } = this.#follower;
    return this.#store.holdFollower({ name, version, owner: this.#owner, nowMs: this.#clock.now(), leaseMs: LEASE_MS });
  }

  #renewLater(): void {
    this.#cancelRenewal = this.#clock.after(RENEW_MS, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    // A failure of the store is reported by the next move. Until then the lease may end, which is harmless.
    const record = await this.#lease().catch(() => undefined);
    if (!this.#isHeld) return;
    if (record === null) this.#lose();
    else this.#renewLater();
  }

  #lose(): void {
    this.#isHeld = false;
    this.#cancelRenewal();
  }
}
