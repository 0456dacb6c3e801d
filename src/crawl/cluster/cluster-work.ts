/**
 * The work of one worker of a cluster: what waits in the frontier that all workers share. Hosts of its own slots of the ring come first; of
 * those of others it takes what nobody has got to for a while, so an idle worker is never idle next to work (W12); and it takes no
 * more than it can serve (appetite.ts).
 *
 * Always:
 * - Only hosts that are surely ours are handed out, with all that others noted before (sure-leases.ts).
 * - It is over only when nothing waits, or not for as long as the crawl is patient, and nobody holds a host at which more may be found.
 */
import type { Cluster } from '../../store/cluster.ts';
import type { ClaimedUrl, CommitBatch, CommitReceipt, HostLease, HostShare, Store } from '../../store/contract.ts';
import type { Held, Sharing, Work } from '../work.ts';
import type { Appetite } from './appetite.ts';
import type { ClusterClock } from './cluster-clock.ts';
import type { Membership } from './membership.ts';
import type { PageTickets } from './page-tickets.ts';
import type { SharedNotes } from './shared-notes.ts';
import type { SureLeases } from './sure-leases.ts';

/** Waiting for others lasts no longer: a call may never come. */
const LONGEST_WAIT_MS = 1_000;
const SHORTEST_WAIT_MS = 50;
/** After nothing was to be had, and nothing was found since. */
const ASK_AGAIN_MS = 250;
/** Hosts of others are taken when they have been ready for so long; longer than a busy worker takes from one claim to the next. */
const GRACE_MS = 2_000;
/** And by one that has nothing to do. */
const IDLE_GRACE_MS = 250;
/** After hosts were handed over they are left to those they are meant for. */
const GENEROUS_MS = 1_000;

export interface ClusterWorkParts {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly membership: Membership;
  readonly leases: SureLeases;
  readonly notes: Pick<SharedNotes, 'ledHosts'>;
  readonly clock: ClusterClock;
  /** Null without a limit. */
  readonly tickets: PageTickets | null;
  /** What waits, as one process alone sees it. */
  readonly frontier: Work & { claim: ClaimWithin };
  /** What it could serve besides what it has. */
  readonly appetite: () => Appetite;
  /** It waits for more when the crawl is done. */
  readonly stays: boolean;
}

/** As FrontierWork claims, with what the ring says. */
export type ClaimWithin = (
  hosts: number,
  urlsPerHost: number,
  held: Held,
  ring?: { readonly slots: Uint8Array; readonly graceMs: number },
) => Promise<readonly HostLease[]>;

export class ClusterWork implements Work {
  readonly endsAtMs = Number.POSITIVE_INFINITY;
  readonly #parts: ClusterWorkParts;
  #askAgainAtMs = 0;
  #isFull = false;
  #out = 0;
  #generousUntilMs = 0;
  /** The last claim brought less than was asked for. */
  #isShort = false;

  constructor(parts: ClusterWorkParts) {
    this.#parts = parts;
  }

  /** Hosts are being claimed whose names are not known here yet. */
  get isClaiming(): boolean {
    return this.#parts.leases.isTaking;
  }

  /** Something may be ready that was not a moment ago. */
  expect(): void {
    this.#askAgainAtMs = 0;
  }

  /** Hosts that it could serve and does not find, if it is in need of them. */
  get hostsWanted(): number {
    const { hosts, isHungry } = this.#parts.appetite();
    return this.#isShort && isHungry ? hosts : 0;
  }

  /** Hosts are to go to others, and then have gone. */
  handsOver(): void {
    this.#generousUntilMs = this.#parts.clock.now() + GENEROUS_MS;
  }

  handedOver(): void {
    this.handsOver();
    this.#parts.membership.wakeOthers();
  }

  async prepare(out: number): Promise<void> {
    const { tickets, store, leases } = this.#parts;
    this.#out = out;
    // Who may be taken for dead gets none, which says nothing of how many there are.
    if (tickets === null || !leases.isGood()) return;
    await tickets.refill(out);
    if (!tickets.areGone || out > 0) return;
    // Otherwise others have them, and may give them back, or die with them.
    const { states } = await store.counts();
    this.#isFull = states.fetched + states.duplicate >= tickets.limit;
  }

  async claim(hosts: number, urlsPerHost: number, held: Held): Promise<readonly HostLease[]> {
    const { frontier, membership, clock, leases } = this.#parts;
    const nowMs = clock.now();
    if (nowMs < Math.max(this.#askAgainAtMs, this.#generousUntilMs) || !leases.mayTake) return [];
    const wanted = Math.min(hosts, this.#parts.appetite().hosts);
    if (wanted === 0) return [];
    this.#askAgainAtMs = nowMs + ASK_AGAIN_MS;
    const taken = await leases.take(async () => {
      const { slots } = membership;
      const claimed = await frontier.claim(wanted, urlsPerHost, held, { slots, graceMs: this.#graceMs });
      this.#isShort = claimed.length < wanted;
      // There may be more.
      if (claimed.length > 0) this.#askAgainAtMs = 0;
      return claimed;
    });
    return taken ?? [];
  }

  get #graceMs(): number {
    if (this.#parts.membership.others.length === 0) return 0;
    return this.#out === 0 ? IDLE_GRACE_MS : GRACE_MS;
  }

  get sharing(): Sharing | undefined {
    return this.#parts.frontier.sharing;
  }

  async more(
    hostId: number,
    limit: number,
    besides: ReadonlySet<number>,
    share?: HostShare,
  ): Promise<readonly ClaimedUrl[]> {
    const urls = await this.#parts.frontier.more(hostId, limit, besides, share);
    if (urls.length > 0) await this.#parts.leases.catchUp();
    return urls;
  }

  allowance(out: number): number {
    return this.#parts.tickets === null ? Number.POSITIVE_INFINITY : this.#parts.tickets.left - out;
  }

  get isSpent(): boolean {
    const { tickets } = this.#parts;
    return tickets?.areGone === true && tickets.left <= 0 && this.#isFull;
  }

  /** A refresh beside us would take a page that no report told of for one that the watcher has an eye on. */
  before({ results }: CommitBatch): Partial<CommitBatch> {
    const { ledHosts } = this.#parts.notes;
    if (ledHosts.size === 0) return {};
    const untold = results.filter(
      ({ hostId, state }) => ledHosts.has(hostId) && state !== 'waiting' && state !== 'skipped',
    );
    if (untold.length === 0) return {};
    return { marks: untold.map(({ id, hostId }) => ({ id, hostId, mark: 'untold' })) };
  }

  after(_batch: CommitBatch, receipt: CommitReceipt): void {
    this.#parts.tickets?.use(receipt);
    if (receipt.discovered > 0 || receipt.released.size > 0) this.expect();
  }

  async nextAtMs(): Promise<number | null> {
    const { cluster, frontier, clock, stays, tickets } = this.#parts;
    // First who holds what: whoever gives a host back has made known before what was found there.
    const isAnyHeld = await cluster.isAnyHeld();
    const nextAtMs = await frontier.nextAtMs();
    const nowMs = clock.now();
    // And once more: what somebody took in between looks like a host that is not ready for as long as its lease.
    if (nextAtMs === null && !isAnyHeld && !stays && !(await cluster.isAnyHeld())) return null;
    // What is ready may be kept for others, or they may have all rights to pages: asking is of no use before something can have changed.
    const leastMs = tickets?.areGone ? LONGEST_WAIT_MS : Math.max(SHORTEST_WAIT_MS, this.#askAgainAtMs - nowMs);
    const waitMs = Math.max(leastMs, (nextAtMs ?? Number.POSITIVE_INFINITY) - nowMs);
    return nowMs + Math.min(LONGEST_WAIT_MS, waitMs);
  }
}
