/**
 * The work of a refresh: the pages of a plan, and the new URLs that they link to. A plan comes in steps
 * (refresh-plan.ts). The next step is requested when the current one is done.
 *
 * What always holds: the plan is only in memory. Visited pages are in the store with their times, so after a crash the
 * next plan continues from there, and nothing has to be undone.
 */
import type { Clock } from '../../core/clock.ts';
import type { ClaimedUrl, CommitBatch, CommitReceipt, HostLease, HostShare, Store } from '../../store/contract.ts';
import type { ProcessRole } from '../process-role.ts';
import type { Held, Work } from '../work.ts';
import type { HostPlan } from './host-plan.ts';
import { PlannedHosts } from './planned-hosts.ts';
import type { RefreshCounter } from './refresh-counter.ts';
import type { RefreshPlan } from './refresh-plan.ts';

const NOBODY: ReadonlySet<number> = new Set();
/** The pause after hosts could not be leased, because other workers may have them. */
const ASK_AGAIN_MS = 250;

export interface RevisitRules {
  /** Requests per round; 0 means no limit. */
  readonly budget: number;
  /** No request starts after this time. */
  readonly endsAtMs: number;
  readonly patienceMs: number;
  /** From the start of one round to the start of the next; null for a single round. */
  readonly everyMs: number | null;
  /** Whether new pages are fetched, and how many more pages the copy may take. */
  readonly takesNew: boolean;
  readonly pagesLeft: () => Promise<number>;
}

export interface RevisitParts {
  readonly store: Store;
  readonly role: Pick<ProcessRole, 'owner' | 'leaseMs' | 'guard' | 'take' | 'catchUp'>;
  readonly clock: Clock;
  /** The work of new URLs. It is spent when the copy has as many pages as the crawl was allowed. */
  readonly frontier: Work;
  readonly plan: RefreshPlan;
  readonly counter: RefreshCounter;
  readonly rules: RevisitRules;
  /** Called at the end of a round, while the units can still send requests. A round that is cut off may not call it. */
  readonly onRound: () => Promise<void>;
  readonly onCommit: () => void;
}

export class RevisitWork implements Work {
  readonly #parts: RevisitParts;
  readonly #hosts: PlannedHosts;
  /** New URLs in progress, with their hosts. */
  readonly #newOut = new Map<number, number>();
  /** How many more pages the copy may take; null if this must be computed again. */
  #pagesLeft: number | null = null;
  #hasPlan = false;
  #roundBeganMs: number;
  #requestsBefore = 0;
  #isBetweenRounds = false;
  #askAgainAtMs = 0;

  constructor(parts: RevisitParts) {
    this.#parts = parts;
    this.#hosts = new PlannedHosts(parts.store, parts.role, parts.rules.patienceMs);
    this.#roundBeganMs = parts.clock.now();
  }

  async prepare(): Promise<void> {}

  async claim(hosts: number, urlsPerHost: number, held: Held): Promise<readonly HostLease[]> {
    // Nothing is in progress for hosts that were lost, or that turned out not to be certainly ours.
    for (const [id, hostId] of this.#newOut) if (!held.has(hostId)) this.#newOut.delete(id);
    const room = await this.#roomForNew();
    const isPlanned = new Set<number>();
    const leases = await this.#parts.role.take(
      async () => {
        // The current time: a lease that counts from before a long wait would be over when it begins.
        const planned = await this.#hosts.lease(hosts, held, this.#parts.clock.now());
        for (const { hostId } of planned) isPlanned.add(hostId);
        const most = Math.min(hosts - planned.length, room);
        const found = most > 0 ? await this.#parts.frontier.claim(most, Math.min(urlsPerHost, room), held) : [];
        return [...planned, ...found];
      },
      (leased) => this.#withUrls(leased, isPlanned, urlsPerHost, room),
    );
    if (leases === null) this.#askAgainAtMs = this.#parts.clock.now() + ASK_AGAIN_MS;
    return leases ?? [];
  }

  async #withUrls(
    leases: readonly HostLease[],
    isPlanned: ReadonlySet<number>,
    urlsPerHost: number,
    room: number,
  ): Promise<readonly HostLease[]> {
    const filled: HostLease[] = [];
    const outBefore = this.#newOut.size;
    for (const lease of leases) {
      const { hostId } = lease;
      const urls = isPlanned.has(hostId)
        ? await this.#take(this.#hosts.get(hostId)!, urlsPerHost, NOBODY)
        : this.#handOut(hostId, lease.urls, room - (this.#newOut.size - outBefore));
      filled.push({ ...lease, urls });
    }
    return filled;
  }

  /**
   * How many new URLs may be handed out: the part of the budget that the plan leaves, limited by the remaining size of
   * the copy. None before there is a plan, and none if only some pages are wanted.
   */
  async #roomForNew(): Promise<number> {
    if (!this.#hasPlan || !this.#parts.rules.takesNew) return 0;
    this.#pagesLeft ??= await this.#parts.rules.pagesLeft();
    return Math.min(this.#pagesLeft - this.#newOut.size, this.allowance(this.left + this.#newOut.size));
  }

  /** `room` may be for several hosts: URLs claimed beyond it keep waiting. */
  #handOut(hostId: number, urls: readonly ClaimedUrl[], room: number): readonly ClaimedUrl[] {
    const some = urls.slice(0, Math.max(0, room));
    for (const { id } of some) this.#newOut.set(id, hostId);
    return some;
  }

  async more(
    hostId: number,
    limit: number,
    besides: ReadonlySet<number>,
    share?: HostShare,
  ): Promise<readonly ClaimedUrl[]> {
    const plan = this.#hosts.get(hostId);
    const planned = plan ? await this.#take(plan, limit, besides) : [];
    const room = Math.min(limit - planned.length, await this.#roomForNew());
    const found = room <= 0 ? [] : await this.#parts.frontier.more(hostId, room, besides, share);
    const urls = [...planned, ...this.#handOut(hostId, found, room)];
    if (urls.length > 0) await this.#parts.role.catchUp();
    return urls;
  }

  /** Several refreshes may have planned the same pages: the first one that has the host visits them. */
  async #open(plan: HostPlan, limit: number, besides: ReadonlySet<number>): Promise<readonly number[]> {
    for (;;) {
      const ids = plan.next(limit, besides);
      if (ids.length === 0 || this.#parts.role.guard === null) return ids;
      const untouched = await this.#parts.plan.untouched(ids, this.#parts.clock.now());
      for (const id of ids) if (!untouched.has(id)) this.#hosts.markDone(plan.hostId, id);
      this.#parts.counter.visitedByOthers += ids.length - untouched.size;
      if (untouched.size > 0) return ids.filter((id) => untouched.has(id));
    }
  }

  async #take(plan: HostPlan, limit: number, besides: ReadonlySet<number>): Promise<readonly ClaimedUrl[]> {
    const ids = await this.#open(plan, limit, besides);
    if (ids.length === 0) return [];
    const urls = await this.#parts.store.revisits(ids);
    if (urls.length < ids.length) {
      const found = new Set(urls.map(({ id }) => id));
      // These pages have left the copy since the plan was made.
      for (const id of ids) if (!found.has(id)) this.#hosts.markDone(plan.hostId, id);
    }
    return urls.map((url) => (this.#parts.plan.isReportedGone(url.id, plan.hostId) ? missedBefore(url) : url));
  }

  allowance(out: number): number {
    if (this.#parts.clock.now() >= this.#parts.rules.endsAtMs) return 0;
    if (this.#parts.rules.budget === 0) return Number.POSITIVE_INFINITY;
    return this.#parts.rules.budget - (this.#parts.counter.requests - this.#requestsBefore) - out;
  }

  get isSpent(): boolean {
    if (this.#parts.clock.now() >= this.#parts.rules.endsAtMs) return true;
    return this.#parts.rules.everyMs === null && this.allowance(0) <= 0;
  }

  get endsAtMs(): number {
    return this.#parts.rules.endsAtMs;
  }

  /** Pages that were planned and not visited. */
  get left(): number {
    return this.#hosts.left;
  }

  before({ results }: CommitBatch): Partial<CommitBatch> {
    const marks = this.#parts.plan.marks(results);
    return { visits: this.#parts.plan.observe(results), tellNew: true, ...(marks.length > 0 ? { marks } : {}) };
  }

  after({ results }: CommitBatch, receipt: CommitReceipt): void {
    for (const { id, hostId } of results) {
      this.#newOut.delete(id);
      // Done in every case: the store may have refused a result, and endless retries would not help.
      this.#hosts.markDone(hostId, id);
    }
    this.#pagesLeft = null;
    this.#parts.counter.add(results, receipt);
    this.#parts.onCommit();
  }

  async nextAtMs(): Promise<number | null> {
    const nowMs = this.#parts.clock.now();
    if (!this.#isBetweenRounds) {
      if (this.allowance(0) > 0) {
        const atMs = await this.#nextOfStep();
        if (atMs <= nowMs) return Math.max(atMs, this.#askAgainAtMs);
        // Pages that have to wait do not block the next step.
        if (await this.#nextStep(nowMs)) return nowMs;
        const heldMs = this.#parts.plan.heldUntilMs(this.#parts.rules.patienceMs);
        const soonestMs = atMs <= nowMs + this.#parts.rules.patienceMs ? Math.min(atMs, heldMs) : heldMs;
        if (soonestMs < Number.POSITIVE_INFINITY) return soonestMs;
      }
      this.#isBetweenRounds = true;
      await this.#parts.onRound();
    }
    return this.#nextRound(nowMs);
  }

  /** When the current step can continue. Times beyond our patience are left for another run. */
  async #nextOfStep(): Promise<number> {
    const newAtMs = (await this.#roomForNew()) > 0 ? await this.#parts.frontier.nextAtMs() : null;
    return Math.min(newAtMs ?? Number.POSITIVE_INFINITY, this.#hosts.nextAtMs);
  }

  async #nextStep(nowMs: number): Promise<boolean> {
    const used = this.#parts.counter.requests - this.#requestsBefore;
    const room = this.#parts.rules.budget === 0 ? Number.POSITIVE_INFINITY : this.#parts.rules.budget - used;
    const step = await this.#parts.plan.next(nowMs, room);
    this.#hasPlan = true;
    if (step === null) return false;
    this.#hosts.add(step);
    this.#parts.counter.planned += step.length;
    return true;
  }

  /**
   * Uses the wall clock, which may have been set back or forward: the next round is never
   * further away than one interval.
   */
  #nextRound(nowMs: number): number | null {
    const { everyMs } = this.#parts.rules;
    if (everyMs === null) return null;
    if (this.#roundBeganMs > nowMs) this.#roundBeganMs = nowMs;
    const atMs = this.#roundBeganMs + everyMs;
    if (atMs > nowMs) return Math.min(atMs, this.#parts.rules.endsAtMs);
    this.#roundBeganMs = nowMs;
    this.#requestsBefore = this.#parts.counter.requests;
    this.#isBetweenRounds = false;
    this.#hosts.clear();
    this.#hasPlan = false;
    this.#parts.plan.beginRound();
    return nowMs;
  }
}

/** The URL as if it had been missing at the visit before. */
function missedBefore(url: ClaimedUrl): ClaimedUrl {
  return { ...url, earlier: { ...url.earlier!, trouble: 'not-found' } };
}
