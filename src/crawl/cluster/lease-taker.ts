/**
 * Decides whether hosts that were just leased may be used: the only place for this decision, for a worker, for a
 * refresh and for the controller's own requests. In: a function that leases hosts. Out: the leases, if they are
 * certainly ours; otherwise they are released and the result is null.
 *
 * What always holds:
 * - Nothing is leased while leases may have expired, and nothing is used if they expired
 *   meanwhile: other workers may have the hosts.
 * - A lease that took so long that it may end before a heartbeat renews it is not used.
 * - Nothing is leased while hosts are given up that this worker may still have (`exclusively`): a unit that
 *   does not know it yet would ask them at the same time as their next worker, and a release in progress
 *   would take them away from that worker.
 * - All notes that existed at the time of the lease are known here: a link must not be left out because this worker did
 *   not know yet that its site belongs to the crawl.
 */
import type { Lease, LeaseGuard } from '../../core/lease-expiry.ts';
import type { HostLease, Store } from '../../store/contract.ts';
import type { ClusterClock } from '../unit/cluster-clock.ts';
import type { Membership } from './membership.ts';
import type { SharedNotes } from './shared-notes.ts';

type Leasing = () => Promise<readonly HostLease[]>;
/** Reads or notes data about hosts after they are leased, which may take time. */
export type Filling = (leases: readonly HostLease[]) => Promise<readonly HostLease[]>;

export interface SureLeasesParts {
  readonly store: Pick<Store, 'release'>;
  readonly membership: Pick<Membership, 'owner' | 'expiries' | 'marginMs'>;
  readonly guard: LeaseGuard;
  readonly clock: ClusterClock;
  readonly notes: SharedNotes;
}

export class LeaseTaker implements Lease {
  readonly #parts: SureLeasesParts;
  readonly #taking = new Set<Promise<unknown>>();
  #exclusive = 0;
  #exclusiveEnd = Promise.withResolvers<void>();

  constructor(parts: SureLeasesParts) {
    this.#parts = parts;
  }

  isGood(): boolean {
    return this.#parts.guard.isGood();
  }

  get guard(): LeaseGuard {
    return this.#parts.guard;
  }

  /** Whether hosts are being leased whose ids are not known here yet. */
  get isTaking(): boolean {
    return this.#taking.size > 0;
  }

  /** Whether `take` can lease without waiting for other tasks of this worker. */
  get mayTake(): boolean {
    return this.isGood() && this.#exclusive === 0;
  }

  /** Returns null if nothing may be used now. */
  async take(lease: Leasing, fill: Filling = async (leases) => leases): Promise<readonly HostLease[] | null> {
    while (this.#exclusive > 0) await this.#exclusiveEnd.promise;
    if (!this.isGood()) return null;
    const taking = this.#take(lease, fill);
    this.#taking.add(taking);
    let taken: Awaited<typeof taking>;
    try {
      taken = await taking;
    } finally {
      this.#taking.delete(taking);
    }
    if (taken.isSure) return taken.leases;
    await this.exclusively(() => this.#release(taken.leases));
    return null;
  }

  async #take(lease: Leasing, fill: Filling): Promise<{ leases: readonly HostLease[]; isSure: boolean }> {
    const { membership, clock } = this.#parts;
    const { expiries } = membership;
    const beganMs = clock.now();
    const leases = await lease();
    if (leases.length === 0) return { leases, isSure: true };
    if (clock.now() - beganMs > membership.marginMs) return { leases, isSure: false };
    const filled = await fill(leases);
    await this.catchUp();
    const isSure = expiries === membership.expiries && this.isGood();
    return { leases: isSure ? filled : leases, isSure };
  }

  /** Nothing is leased until `work` is done. When `work` begins, all leases that were in progress are known here. */
  async exclusively(work: () => Promise<void>): Promise<void> {
    if (this.#exclusive++ === 0) this.#exclusiveEnd = Promise.withResolvers();
    try {
      await Promise.allSettled(this.#taking);
      // By then the callers of `take` have stored their leases where they can be found.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await work();
    } finally {
      if (--this.#exclusive === 0) this.#exclusiveEnd.resolve();
    }
  }

  /** Resolves when all notes up to now are known here. */
  catchUp(): Promise<void> {
    return this.#parts.notes.catchUp();
  }

  async #release(leases: readonly HostLease[]): Promise<void> {
    const { store, membership, clock } = this.#parts;
    const ids = leases.map(({ hostId }) => hostId);
    await store.release(membership.owner, ids, clock.now());
  }
}
