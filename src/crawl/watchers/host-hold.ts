/**
 * A host that the controller itself holds for a short time, to send it requests or to write reported changes. In: the
 * id of the host. Out: the lease, and whether we still hold it.
 *
 * What always holds: if other workers can take over the host, it counts as lost from the moment at which its lease may
 * have expired, and callers are notified at once. Later writes succeed only if no other worker took the host.
 */
import type { Clock } from '../../core/clock.ts';
import { LASTING_LEASE, type Lease } from '../../core/lease-expiry.ts';
import type { HostLease, Store } from '../../store/contract.ts';
import type { ProcessRole } from '../process-role.ts';
import { LeaseMonitor } from '../unit/lease-monitor.ts';

export interface HoldSetup {
  readonly store: Store;
  readonly role: Pick<
    ProcessRole,
    'owner' | 'leaseMs' | 'guard' | 'take' | 'hold' | 'mayCommit' | 'isAtWork' | 'hostIsCovered'
  >;
  readonly clock: Clock;
}

export class HostHold implements Lease {
  readonly #setup: HoldSetup;
  readonly #hostId: number;
  readonly #watch: LeaseMonitor | null;
  readonly #lost = new AbortController();
  readonly #letGo: () => void;

  private constructor(hostId: number, setup: HoldSetup) {
    const { role, clock } = setup;
    this.#setup = setup;
    this.#hostId = hostId;
    const isLost = (): void => this.#lost.abort();
    this.#watch = role.guard && new LeaseMonitor(role.guard, clock, isLost);
    this.#letGo = role.hold(hostId, isLost);
  }

  /** Returns null if another worker has the host, or if the lease would not be certain. */
  static async take(hostId: number, setup: HoldSetup): Promise<{ hold: HostHold; lease: HostLease } | null> {
    const { store, role, clock } = setup;
    const holds: HostHold[] = [];
    const leases = await role.take(
      () => store.lease({ owner: role.owner, hostIds: [hostId], nowMs: clock.now(), leaseMs: role.leaseMs }),
      async (leased) => {
        // Created before the lease is judged, so that no loss is missed.
        holds.push(new HostHold(hostId, setup));
        return leased;
      },
    );
    const [lease] = leases ?? [];
    const [hold] = holds;
    if (lease !== undefined && hold !== undefined) return { hold, lease };
    hold?.end();
    return null;
  }

  /** Aborted when the host may no longer be ours. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  isGood(): boolean {
    return !this.#lost.signal.aborted && (this.#watch ?? LASTING_LEASE).isGood();
  }

  /** Whether the host is still ours. Waits until the lost hosts are known. */
  async isOurs(): Promise<boolean> {
    await this.#setup.role.mayCommit();
    return this.isGood();
  }

  async giveBack(): Promise<void> {
    const { store, role, clock } = this.#setup;
    // The store releases nothing if another worker has the host.
    await store.release(role.owner, [this.#hostId], clock.now());
    this.end();
  }

  /** Frees the local resources, whatever happens to the lease. */
  private end(): void {
    this.#watch?.stop();
    this.#letGo();
  }
}
