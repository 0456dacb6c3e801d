/**
 * The relation of a process to the other workers of the same crawl. A process that is alone has the store for itself.
 * Its leases matter only to the next process after a crash, and it has no other process to inform.
 * cluster/cluster-member.ts is the same for a worker of a cluster.
 */
import type { Clock } from '../core/clock.ts';
import type { LeaseGuard } from '../core/lease-expiry.ts';
import type { HostLease, Store } from '../store/contract.ts';
import { LEASE_MS } from './dispatcher.ts';
import { noteMovedSeed } from './earlier-runs.ts';
import type { RankingTurn } from './ranking/page-rank-keeper.ts';

export interface ProcessRole {
  /** The name of this process on its leases. */
  readonly owner: string;
  /** The duration of a new lease. Active leases are renewed well before they expire. */
  readonly leaseMs: number;
  /**
   * How long results gather before a commit, unless there are many. A commit to a distant
   * store costs about the same for one result as for many.
   */
  readonly gatherMs: number;
  /** Renews the leases from now on. Returns a function that ends this. */
  keepLeases(onFailure: (error: unknown) => void): () => void;
  /** Tells whether the leases are certainly valid at this moment; null if no other process can take over a host. */
  readonly guard: LeaseGuard | null;
  /**
   * Leases hosts and then reads their URLs with `fill`. Null if the leases are not certainly valid
   * by then: no host is held, and the caller may retry later.
   */
  take(
    lease: () => Promise<readonly HostLease[]>,
    fill?: (leases: readonly HostLease[]) => Promise<readonly HostLease[]>,
  ): Promise<readonly HostLease[] | null>;
  /**
   * Holds a host that no unit works on. `onLoss` must end all requests to the host at
   * once. Returns a function that releases the host.
   */
  hold(hostId: number, onLoss: () => void): () => void;
  /** Resolves when all notes of other workers are known here. Call it before more URLs are handed out. */
  catchUp(): Promise<void>;
  /** Resolves when results may be committed. They may not while other workers may hold our hosts. */
  mayCommit(): Promise<void>;
  /** A seed redirects to this URL. Call it before the URL is made known. */
  seedMoved(url: string): Promise<void>;
  /** The lessons about query parameters in the store have changed. */
  lessonsChanged(): Promise<void>;
  /** Whether the process with this name on its leases is working on the same crawl. */
  isAtWork(owner: string): Promise<boolean>;
  /**
   * From now on the watcher of a host reports its changes. Call it while the
   * host is held, so that the next holder knows.
   */
  hostIsCovered(): Promise<void>;
  /** URLs were added that other workers may fetch. */
  workFound(): void;
  /** Decides which worker computes PageRank; null if there is only this process. */
  readonly ranking: RankingTurn | null;
}

export class SoleProcess implements ProcessRole {
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
    await noteMovedSeed(this.#store, url);
  }

  async lessonsChanged(): Promise<void> {}

  async isAtWork(): Promise<boolean> {
    return false;
  }

  async hostIsCovered(): Promise<void> {}

  workFound(): void {}
}
