/**
 * A host that the controller itself has for a while, to ask it something or to write down what was told of it. In: its id. Out: the lease,
 * and whether it is still ours.
 *
 * Always: where other workers can take the host over, it counts as lost from the instant its lease may have run out, and whoever asks it
 * hears so at once; what is written after that is written only if nobody took it.
 */
import type { Clock } from '../../core/clock.ts';
import { LASTING_LEASE, type Lease } from '../../core/lease-guard.ts';
import type { HostLease, Store } from '../../store/contract.ts';
import { LeaseWatch } from '../lease-watch.ts';
import type { Standing } from '../standing.ts';

export interface HoldSetup {
  readonly store: Store;
  readonly standing: Pick<
    Standing,
    'owner' | 'leaseMs' | 'guard' | 'take' | 'hold' | 'mayCommit' | 'isAtWork' | 'hostIsLed'
  >;
  readonly clock: Clock;
}

export class HostHold implements Lease {
  readonly #setup: HoldSetup;
  readonly #hostId: number;
  readonly #watch: LeaseWatch | null;
  readonly #lost = new AbortController();
  readonly #letGo: () => void;

  private constructor(hostId: number, setup: HoldSetup) {
    const { standing, clock } = setup;
    this.#setup = setup;
    this.#hostId = hostId;
    const isLost = (): void => this.#lost.abort();
    this.#watch = standing.guard && new LeaseWatch(standing.guard, clock, isLost);
    this.#letGo = standing.hold(hostId, isLost);
  }

  /** Null where the host is another's, or would not be surely ours. */
  static async take(hostId: number, setup: HoldSetup): Promise<{ hold: HostHold; lease: HostLease } | null> {
    const { store, standing, clock } = setup;
    const holds: HostHold[] = [];
    const leases = await standing.take(
      () => store.lease({ owner: standing.owner, hostIds: [hostId], nowMs: clock.now(), leaseMs: standing.leaseMs }),
      async (leased) => {
        // Before it is judged whether it is ours, so that no loss is missed.
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

  /** Aborted when the host may be no longer ours. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  isGood(): boolean {
    return !this.#lost.signal.aborted && (this.#watch ?? LASTING_LEASE).isGood();
  }

  /** Whether it is ours still, when it is known what was lost. */
  async isOurs(): Promise<boolean> {
    await this.#setup.standing.mayCommit();
    return this.isGood();
  }

  async giveBack(): Promise<void> {
    const { store, standing, clock } = this.#setup;
    // Of a host that another has, the store gives nothing back.
    await store.release(standing.owner, [this.#hostId], clock.now());
    this.end();
  }

  /** Whatever becomes of the lease. */
  private end(): void {
    this.#watch?.stop();
    this.#letGo();
  }
}
