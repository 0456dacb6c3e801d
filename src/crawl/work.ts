/**
 * The work of a run, which the controller and the dispatcher request without knowing its kind. The work of a crawl is
 * the waiting URLs of the frontier. The work of a refresh starts with the pages of a plan (refresh/revisit-work.ts).
 *
 * What always holds: only URLs of hosts that were claimed here are handed
 * out, and no URL is handed out twice at a time.
 */
import type { Clock } from '../core/clock.ts';
import type {
  ClaimedUrl,
  CommitBatch,
  CommitReceipt,
  HostLease,
  HostShare,
  ListShares,
  Store,
} from '../store/contract.ts';

/** The hosts that this process already holds. */
export type Held = Pick<ReadonlyMap<number, unknown>, 'has'>;

/** Shares large hosts with workers that have nothing to do (M5). */
export interface Sharing {
  /** Our hosts with enough URLs for this many shares. */
  crowded(shares: number): Promise<readonly number[]>;
  /** Divides a host that has no URL out. Returns the share that stays here; null if the host stays whole. */
  offer(hostId: number, shares: number): Promise<HostLease | null>;
}

export interface Work {
  /** Claims up to `hosts` free hosts, each with up to `urlsPerHost` of its URLs. */
  claim(hosts: number, urlsPerHost: number, held: Held): Promise<readonly HostLease[]>;
  /** More URLs of a claimed host, without the URLs in `besides`, which are out. */
  more(hostId: number, limit: number, besides: ReadonlySet<number>, share?: HostShare): Promise<readonly ClaimedUrl[]>;
  /** Absent if hosts are not shared with other workers. */
  readonly sharing?: Sharing;
  /** Called when hosts with waiting URLs were released for other workers. */
  handedOver?(): void;
  /** Called before URLs are handed out. `out` is the number of URLs that are out. */
  prepare(out: number): Promise<void>;
  /** The number of URLs that may still be handed out. */
  allowance(out: number): number;
  /** Whether no URL will be allowed any more. */
  readonly isSpent: boolean;
  /** URLs that the units have not begun by this time are given back. */
  readonly endsAtMs: number;
  /** Fields that the work adds to a batch before the commit. */
  before(batch: CommitBatch): Partial<CommitBatch>;
  after(batch: CommitBatch, receipt: CommitReceipt): void;
  /**
   * Called when no URL is out. Returns the time of the next work, or null if
   * the wait is too long. May search for more work.
   */
  nextAtMs(): Promise<number | null>;
}

export class FrontierWork implements Work {
  readonly endsAtMs = Number.POSITIVE_INFINITY;
  readonly #store: Store;
  readonly #owner: string;
  readonly #clock: Clock;
  readonly #leaseMs: () => number;
  readonly #lists: ListShares;
  readonly #patienceMs: number;
  readonly #pagesLeft: () => number;
  readonly #onCommit: () => void;

  readonly sharing?: Sharing;

  constructor(
    store: Store,
    owner: string,
    clock: Clock,
    rules: {
      /** The duration of a lease that begins now. */
      readonly leaseMs: () => number;
      readonly patienceMs: number;
      readonly lists?: ListShares;
      readonly onCommit?: () => void;
      /** The number of pages by which the copy may still grow. */
      readonly pagesLeft?: () => number;
    },
  ) {
    this.#store = store;
    this.#owner = owner;
    this.#clock = clock;
    this.#leaseMs = rules.leaseMs;
    this.#lists = rules.lists ?? [1];
    this.#patienceMs = rules.patienceMs;
    const { sharing } = store;
    if (sharing) {
      this.sharing = {
        crowded: (shares) => sharing.crowdedHosts(owner, shares),
        offer: (hostId, shares) => sharing.offerShares(hostId, owner, shares, clock.now(), rules.leaseMs()),
      };
    }
    this.#onCommit = rules.onCommit ?? (() => {});
    this.#pagesLeft = rules.pagesLeft ?? (() => Number.POSITIVE_INFINITY);
  }

  /** `ring`: in a cluster, the preferred hosts, and the time after which other hosts are claimed too. */
  claim(
    hosts: number,
    urlsPerHost: number,
    _held: Held,
    ring: { readonly slots?: Uint8Array; readonly graceMs?: number } = {},
  ): Promise<readonly HostLease[]> {
    return this.#store.claim({
      owner: this.#owner,
      hosts,
      urlsPerHost,
      nowMs: this.#clock.now(),
      leaseMs: this.#leaseMs(),
      lists: this.#lists,
      ...ring,
    });
  }

  more(hostId: number, limit: number, besides: ReadonlySet<number>, share?: HostShare): Promise<readonly ClaimedUrl[]> {
    return this.#store.claimMore(hostId, { limit, besides, nowMs: this.#clock.now(), lists: this.#lists, share });
  }

  async prepare(): Promise<void> {}

  allowance(out: number): number {
    return this.#pagesLeft() - out;
  }

  get isSpent(): boolean {
    return this.allowance(0) <= 0;
  }

  before(): Partial<CommitBatch> {
    return {};
  }

  after(): void {
    this.#onCommit();
  }

  async nextAtMs(): Promise<number | null> {
    const readyAtMs = await this.#store.nextReadyAtMs();
    return readyAtMs !== null && readyAtMs - this.#clock.now() <= this.#patienceMs ? readyAtMs : null;
  }
}
