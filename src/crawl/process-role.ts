/**
 * How a process stands to the others that work on the same crawl. Alone, it has the store for itself: its leases are of use only to
 * who comes after a crash, and nobody else need be told of anything. A worker of a cluster is in cluster/cluster-member.ts.
 */
import type { Clock } from '../core/clock.ts';
import type { LeaseGuard } from '../core/lease-guard.ts';
import type { HostLease, Store } from '../store/contract.ts';
import { LEASE_MS } from './dispatcher.ts';
import { movedSeeds } from './earlier-runs.ts';
import type { RankingTurn } from './page-rank-keeper.ts';

export interface Standing {
  /** As it stands on the leases of this process. */
  readonly owner: string;
  /** How long a lease is that is taken now. Those that are alive are renewed well before the end of such a time. */
  readonly leaseMs: number;
  /** How long results gather before they are committed, unless there are many: a commit costs a far store much the same with one. */
  readonly gatherMs: number;
  /** Keeps the leases alive from now on. Returns what ends that. */
  keepLeases(onFailure: (error: unknown) => void): () => void;
  /** Whether leases are surely alive at this instant; null where nobody could take a host over. */
  readonly guard: LeaseGuard | null;
  /**
   * Leases hosts, and then reads of them what `fill` wants. Null where they are not surely ours by then: nothing is held, and it may be
   * tried again in a while.
   */
  take(
    lease: () => Promise<readonly HostLease[]>,
    fill?: (leases: readonly HostLease[]) => Promise<readonly HostLease[]>,
  ): Promise<readonly HostLease[] | null>;
  /** A host is ours beside those that units work on; `onLoss` ends at once what asks it. Returns what lets go of it. */
  hold(hostId: number, onLoss: () => void): () => void;
  /** Before more is handed out: resolves when all is known here that others have noted. */
  catchUp(): Promise<void>;
  /** Resolves when results may be committed: not while others may have our hosts. */
  mayCommit(): Promise<void>;
  /** A seed was found to lead there. To be called before the URL is made known. */
  seedMoved(url: string): Promise<void>;
  /** The store has other lessons of query parameters now. */
  lessonsChanged(): Promise<void>;
  /** Whether another process, by what stands on its leases, is at work on the same crawl. */
  isAtWork(owner: string): Promise<boolean>;
  /** A host is left to the word of its watcher from now on. To be called while it is held: who has it next knows. */
  hostIsLed(): Promise<void>;
  /** URLs were made known that others may fetch. */
  workFound(): void;
  /** Whose turn it is to compute PageRank; null where nobody else would. */
  readonly ranking: RankingTurn | null;
}

export class Alone implements Standing {
  readonly owner = `process-${process.pid}`;
  readonly ranking = null;
  readonly leaseMs = LEASE_MS;
  readonly gatherMs = 0;
  readonly guard = null;
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  keepLeases(onFailure: (error: unknown) => void): () => void {
    const timer = setInterval(() => {
      this.#store.renew(this.owner, this.#clock.now() + LEASE_MS).catch(onFailure);
    }, LEASE_MS / 3);
    return () => clearInterval(timer);
  }

  async take(
    lease: () => Promise<readonly HostLease[]>,
    fill: (leases: readonly HostLease[]) => Promise<readonly HostLease[]> = async (leases) => leases,
  ): Promise<readonly HostLease[]> {
    const leases = await lease();
    return leases.length === 0 ? leases : fill(leases);
  }

  hold(): () => void {
    return () => {};
  }

  async catchUp(): Promise<void> {}

  async mayCommit(): Promise<void> {}

  async seedMoved(url: string): Promise<void> {
    await this.#store.setNote('moved-seeds', JSON.stringify([...(await movedSeeds(this.#store)), url]));
  }

  async lessonsChanged(): Promise<void> {}

  async isAtWork(): Promise<boolean> {
    return false;
  }

  async hostIsLed(): Promise<void> {}

  workFound(): void {}
}
