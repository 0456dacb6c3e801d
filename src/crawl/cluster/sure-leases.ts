/**
 * Whether hosts that were just leased may be worked on: the one place that decides it, for a worker, for a refresh and for what the
 * controller asks a host itself. In: whatever leases hosts. Out: those leases, if they are surely ours; or nothing, and they are given back.
 *
 * Always:
 * - Nothing is leased while leases may have lapsed, and nothing is used if they did meanwhile: others may have it all by now.
 * - Nor is what took so long to lease that it may end before a beat renews it.
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
  #underWay = 0;

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
    return this.#underWay > 0;
  }

  /** Null where nothing may be used now. */
  async take(lease: Leasing, fill: Filling = async (leases) => leases): Promise<readonly HostLease[] | null> {
    const { membership, clock } = this.#parts;
    if (!this.isGood()) return null;
    const { lapses } = membership;
    const beganMs = clock.now();
    this.#underWay++;
    try {
      const leases = await lease();
      if (leases.length === 0) return leases;
      if (clock.now() - beganMs <= membership.marginMs) {
        const filled = await fill(leases);
        await this.catchUp();
        if (lapses === membership.lapses && this.isGood()) return filled;
      }
      await this.#giveBack(leases);
      return null;
    } finally {
      this.#underWay--;
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
