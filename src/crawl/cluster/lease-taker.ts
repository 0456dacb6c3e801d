/**
 * Whether hosts that were just leased may be worked on: the one place that decides it, for a worker, for a refresh and for what the
 * controller asks a host itself. In: whatever leases hosts. Out: those leases, if they are surely ours; or nothing, and they are given back.
 *
 * Always:
 * - Nothing is leased while leases may have lapsed, and nothing is used if they did meanwhile: others may have it all by now.
 * - Nor is what took so long to lease that it may end before a beat renews it.
 * - Nothing is leased while hosts are given up that this worker may still have (`apart`): a unit that has not heard of it yet would ask
 *   them beside the one that gets them, and a release that is under way would take them from it.
 * - All notes are known here that were there when it was leased: a link must not be left out because this worker had not heard yet that
 *   its site belongs to the crawl.
 */
import type { Lease, LeaseGuard } from '../../core/lease-guard.ts';
import type { HostLease, Store } from '../../store/contract.ts';
import type { ClusterClock } from './cluster-clock.ts';
import type { Membership } from './membership.ts';
import type { SharedNotes } from './shared-notes.ts';

type Leasing = () => Promise<readonly HostLease[]>;
/** What is to be read or noted of hosts once they are leased, which may take its time. */
export type Filling = (leases: readonly HostLease[]) => Promise<readonly HostLease[]>;

export interface SureLeasesParts {
  readonly store: Pick<Store, 'release'>;
  readonly membership: Pick<Membership, 'owner' | 'lapses' | 'marginMs'>;
  readonly guard: LeaseGuard;
  readonly clock: ClusterClock;
  readonly notes: SharedNotes;
}

export class SureLeases implements Lease {
  readonly #parts: SureLeasesParts;
  readonly #taking = new Set<Promise<unknown>>();
  #apart = 0;
  #together = Promise.withResolvers<void>();

  constructor(parts: SureLeasesParts) {
    this.#parts = parts;
  }

  isGood(): boolean {
    return this.#parts.guard.isGood();
  }

  get guard(): LeaseGuard {
    return this.#parts.guard;
  }

  /** Hosts are being leased whose names are not known here yet. */
  get isTaking(): boolean {
    return this.#taking.size > 0;
  }

  /** Without having to wait for others of this worker. */
  get mayTake(): boolean {
    return this.isGood() && this.#apart === 0;
  }

  /** Null where nothing may be used now. */
  async take(lease: Leasing, fill: Filling = async (leases) => leases): Promise<readonly HostLease[] | null> {
    while (this.#apart > 0) await this.#together.promise;
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
    await this.apart(() => this.#giveBack(taken.leases));
    return null;
  }

  async #take(lease: Leasing, fill: Filling): Promise<{ leases: readonly HostLease[]; isSure: boolean }> {
    const { membership, clock } = this.#parts;
    const { lapses } = membership;
    const beganMs = clock.now();
    const leases = await lease();
    if (leases.length === 0) return { leases, isSure: true };
    if (clock.now() - beganMs > membership.marginMs) return { leases, isSure: false };
    const filled = await fill(leases);
    await this.catchUp();
    const isSure = lapses === membership.lapses && this.isGood();
    return { leases: isSure ? filled : leases, isSure };
  }

  /** Nothing is leased until `work` is done, and when it begins all is known here that was being leased before. */
  async apart(work: () => Promise<void>): Promise<void> {
    if (this.#apart++ === 0) this.#together = Promise.withResolvers();
    try {
      await Promise.allSettled(this.#taking);
      // By then whoever took them has put them where they are looked for.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await work();
    } finally {
      if (--this.#apart === 0) this.#together.resolve();
    }
  }

  /** Resolves when all is known here that was noted until now. */
  catchUp(): Promise<void> {
    return this.#parts.notes.catchUp();
  }

  async #giveBack(leases: readonly HostLease[]): Promise<void> {
    const { store, membership, clock } = this.#parts;
    const ids = leases.map(({ hostId }) => hostId);
    await store.release(membership.owner, ids, clock.now());
  }
}
