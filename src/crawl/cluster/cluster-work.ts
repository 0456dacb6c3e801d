/**
 * The work of one worker of a cluster: the waiting URLs in the frontier that all workers share. Hosts in its own slots
 * of the ring come first. It takes hosts of other workers only if they have been ready for a while, so no worker is
 * idle while there is work (W12). It takes no more hosts than it can serve (host-demand.ts).
 *
 * What always holds:
 * - Only hosts that are certainly ours are handed out, after all earlier notes of other
 *   workers were read (lease-taker.ts).
 * - The work is over only when nothing waits, or when nothing becomes ready within the patience of the crawl, and no
 *   worker holds a host where more URLs may be found.
 */
import type { Cluster } from '../../store/cluster.ts';
import type { ClaimedUrl, CommitBatch, CommitReceipt, HostLease, HostShare, Store } from '../../store/contract.ts';
import type { ClusterClock } from '../unit/cluster-clock.ts';
import type { Held, Sharing, Work } from '../work.ts';
import type { HostDemand } from './host-demand.ts';
import type { LeaseTaker } from './lease-taker.ts';
import type { Membership } from './membership.ts';
import type { PageTickets } from './page-tickets.ts';
import type { SharedNotes } from './shared-notes.ts';

/** The longest wait for other workers, because a wake-up call may never come. */
const MAX_WAIT_MS = 1_000;
const MIN_WAIT_MS = 50;
/** The pause after a claim that returned nothing, if nothing was found since. */
const ASK_AGAIN_MS = 250;
/**
 * Hosts of other workers are taken after they have been ready for this long: longer than a
 * busy worker needs between two claims.
 */
const GRACE_MS = 2_000;
/** The same for a worker that has nothing to do. */
const IDLE_GRACE_MS = 250;
/** After a handover the hosts are left to the workers they are meant for, for this long. */
const GENEROUS_MS = 1_000;

export interface ClusterWorkParts {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly membership: Membership;
  readonly leases: LeaseTaker;
  readonly notes: Pick<SharedNotes, 'ledHosts'>;
  readonly clock: ClusterClock;
  /** Null if there is no limit. */
  readonly tickets: PageTickets | null;
  /** The waiting URLs as a single process sees them. */
  readonly frontier: Work & { claim: ClaimWithin };
  /** How many more hosts the worker could serve. */
  readonly hostDemand: () => HostDemand;
  /** Whether the worker waits for more when the crawl is done. */
  readonly stays: boolean;
}

/** The claim of FrontierWork, with the data of the ring. */
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
  /** Whether the last claim returned fewer hosts than requested. */
  #isShort = false;

  constructor(parts: ClusterWorkParts) {
    this.#parts = parts;
  }

  /** Whether hosts are being claimed whose ids are not known here yet. */
  get isClaiming(): boolean {
    return this.#parts.leases.isTaking;
  }

  /** Called when hosts may have become ready. */
  expect(): void {
    this.#askAgainAtMs = 0;
  }

  /** Hosts that the worker could serve and does not find, if it is short of work. */
  get hostsWanted(): number {
    const { hosts, isShort } = this.#parts.hostDemand();
    return this.#isShort && isShort ? hosts : 0;
  }

  /** Called when hosts are to be handed over; `handedOver` is called afterwards. */
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
    // A worker that may count as dead gets no tickets, which says nothing about how many there are.
    if (tickets === null || !leases.isGood()) return;
    await tickets.refill(out);
    if (!tickets.areGone || out > 0) return;
    // If the limit is not reached yet, other workers have the tickets, and may return them or die with them.
    const { states } = await store.counts();
    this.#isFull = states.fetched + states.duplicate >= tickets.limit;
  }

  async claim(hosts: number, urlsPerHost: number, held: Held): Promise<readonly HostLease[]> {
    const { frontier, membership, clock, leases } = this.#parts;
    const nowMs = clock.now();
    if (nowMs < Math.max(this.#askAgainAtMs, this.#generousUntilMs) || !leases.mayTake) return [];
    const wanted = Math.min(hosts, this.#parts.hostDemand().hosts);
    if (wanted === 0) return [];
    this.#askAgainAtMs = nowMs + ASK_AGAIN_MS;
    const taken = await leases.take(async () => {
      const { slots } = membership;
      const claimed = await frontier.claim(wanted, urlsPerHost, held, { slots, graceMs: this.#graceMs });
      this.#isShort = claimed.length < wanted;
      // There may be more hosts.
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

  /**
   * Marks new pages of hosts with a watcher as not reported. Otherwise a refresh that runs at the same time
   * would assume that the watcher covers them.
   */
  before({ results }: CommitBatch): Partial<CommitBatch> {
    const { ledHosts } = this.#parts.notes;
    if (ledHosts.size === 0) return {};
    const unreported = results.filter(
      ({ hostId, state }) => ledHosts.has(hostId) && state !== 'waiting' && state !== 'skipped',
    );
    if (unreported.length === 0) return {};
    return { marks: unreported.map(({ id, hostId }) => ({ id, hostId, mark: 'untold' })) };
  }

  after(_batch: CommitBatch, receipt: CommitReceipt): void {
    this.#parts.tickets?.use(receipt);
    if (receipt.discovered > 0 || receipt.released.size > 0) this.expect();
  }

  async nextAtMs(): Promise<number | null> {
    const { cluster, frontier, clock, stays, tickets } = this.#parts;
    // The holders are read first: a worker makes its found URLs known before it releases a host.
    const isAnyHeld = await cluster.isAnyHeld();
    const nextAtMs = await frontier.nextAtMs();
    const nowMs = clock.now();
    // And read once more: a host that was claimed between the two reads looks like a host
    // that is not ready until its lease ends.
    if (nextAtMs === null && !isAnyHeld && !stays && !(await cluster.isAnyHeld())) return null;
    // Ready hosts may be reserved for other workers, or other workers may have all tickets.
    // Asking again before a change is useless.
    const leastMs = tickets?.areGone ? MAX_WAIT_MS : Math.max(MIN_WAIT_MS, this.#askAgainAtMs - nowMs);
    const waitMs = Math.max(leastMs, (nextAtMs ?? Number.POSITIVE_INFINITY) - nowMs);
    return nowMs + Math.min(MAX_WAIT_MS, waitMs);
  }
}
