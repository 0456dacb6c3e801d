/**
 * What there is to do: the controller and its dispatcher ask for it and know no more of it. Of a crawl it is what waits in the
 * frontier; of a refresh, pages of a plan first (revisit-work.ts).
 *
 * Always: only URLs of hosts that were claimed here are handed out, and none that is out already.
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

/** The hosts that are worked on already. */
export type Held = Pick<ReadonlyMap<number, unknown>, 'has'>;

/** Large hosts are shared with workers that have nothing to do (M5). */
export interface Sharing {
  /** Hosts of ours with enough for so many. */
  crowded(shares: number): Promise<readonly number[]>;
  /** Nothing of the host is out. Returns what is left of it here; null where it stays whole. */
  offer(hostId: number, shares: number): Promise<HostLease | null>;
}

export interface Work {
  /** Up to `hosts` hosts that nobody has, each with up to `urlsPerHost` of its URLs. */
  claim(hosts: number, urlsPerHost: number, held: Held): Promise<readonly HostLease[]>;
  /** More of a host that was claimed; `besides` are out. */
  more(hostId: number, limit: number, besides: ReadonlySet<number>, share?: HostShare): Promise<readonly ClaimedUrl[]>;
  /** Absent where hosts are not shared with other workers. */
  readonly sharing?: Sharing;
  /** Hosts went back at which something waits for others. */
  handedOver?(): void;
  /** Before anything is handed out, with so many out. */
  prepare(out: number): Promise<void>;
  /** How many URLs may still be handed out. */
  allowance(out: number): number;
  /** No more will ever be allowed. */
  readonly isSpent: boolean;
  /** What the units have not begun by then is given back. */
  readonly endsAtMs: number;
  /** What the work has to say about a batch, before it is committed. */
  before(batch: CommitBatch): Partial<CommitBatch>;
  after(batch: CommitBatch, receipt: CommitReceipt): void;
  /** Nothing is out: when there may be something to do, or null where that is too long to wait for. May look for more. */
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

  readonly sharing?: Sharing;

  constructor(
    store: Store,
    owner: string,
    clock: Clock,
    rules: {
      /** Of a lease that begins now. */
      readonly leaseMs: () => number;
      readonly patienceMs: number;
      readonly lists?: ListShares;
      /** How many pages the copy may still grow by. */
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
    this.#pagesLeft = rules.pagesLeft ?? (() => Number.POSITIVE_INFINITY);
  }

  /** `ring`: in a cluster, which hosts are preferred, and when others are taken. */
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
    return this.#store.claimMore(hostId, limit, besides, this.#clock.now(), this.#lists, share);
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

  after(): void {}

  async nextAtMs(): Promise<number | null> {
    const readyAtMs = await this.#store.nextReadyAtMs();
    return readyAtMs !== null && readyAtMs - this.#clock.now() <= this.#patienceMs ? readyAtMs : null;
  }
}
