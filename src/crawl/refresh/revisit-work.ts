/**
 * The work of a refresh: pages of a plan, and what they turn out to link to that is new. A plan comes in steps (refresh-plan.ts);
 * the next is asked for when all of one is done.
 *
 * Always: the plan is in memory alone. What was looked at is in the store with its time, so after a crash the next plan goes on
 * from there, and nothing has to be undone.
 */
import type { Clock } from '../core/clock.ts';
import type { ClaimedUrl, CommitBatch, CommitReceipt, HostLease, HostShare, Store } from '../store/contract.ts';
import type { HostPlan } from './host-plan.ts';
import { PlannedHosts } from './planned-hosts.ts';
import type { RefreshCounter } from './refresh-counter.ts';
import type { RefreshPlan } from './refresh-plan.ts';
import type { Standing } from './standing.ts';
import type { Held, Work } from './work.ts';

const NOBODY: ReadonlySet<number> = new Set();
/** After hosts could not be had, because others may have them. */
const ASK_AGAIN_MS = 250;

export interface RevisitRules {
  /** Requests a round; 0 is no limit. */
  readonly budget: number;
  /** No request is begun after this time. */
  readonly endsAtMs: number;
  readonly patienceMs: number;
  /** From the beginning of one round to that of the next; null for one round. */
  readonly everyMs: number | null;
  /** Whether new pages are fetched, and how many more the copy may take. */
  readonly takesNew: boolean;
  readonly pagesLeft: () => Promise<number>;
}

export class RevisitWork implements Work {
  readonly #store: Store;
  readonly #standing: Pick<Standing, 'owner' | 'leaseMs' | 'guard' | 'take' | 'catchUp'>;
  readonly #clock: Clock;
  /** Where new URLs wait; spent when the copy has as many pages as the crawl was allowed. */
  readonly #frontier: Work;
  readonly #plan: RefreshPlan;
  readonly #counter: RefreshCounter;
  readonly #rules: RevisitRules;
  readonly #onRound: () => Promise<void>;
  readonly #onCommit: () => void;
  readonly #hosts: PlannedHosts;
  /** New URLs that are out, with their hosts. */
  readonly #newOut = new Map<number, number>();
  /** How many more pages the copy may take; null when it has to be asked for. */
  #pagesLeft: number | null = null;
  #hasPlan = false;
  #roundBeganMs: number;
  #requestsBefore = 0;
  #isBetweenRounds = false;
  #askAgainAtMs = 0;

  constructor(
    store: Store,
    standing: Pick<Standing, 'owner' | 'leaseMs' | 'guard' | 'take' | 'catchUp'>,
    clock: Clock,
    frontier: Work,
    plan: RefreshPlan,
    counter: RefreshCounter,
    rules: RevisitRules,
    onRound: () => Promise<void>,
    onCommit: () => void,
  ) {
    this.#store = store;
    this.#standing = standing;
    this.#clock = clock;
    this.#frontier = frontier;
    this.#plan = plan;
    this.#counter = counter;
    this.#rules = rules;
    this.#hosts = new PlannedHosts(store, standing, rules.patienceMs);
    this.#onRound = onRound;
    this.#onCommit = onCommit;
    this.#roundBeganMs = clock.now();
  }

  async prepare(): Promise<void> {}

  async claim(hosts: number, urlsPerHost: number, held: Held): Promise<readonly HostLease[]> {
    // Of hosts that were lost, or not surely ours in the end, nothing is out.
    for (const [id, hostId] of this.#newOut) if (!held.has(hostId)) this.#newOut.delete(id);
    const room = await this.#roomForNew();
    const isPlanned = new Set<number>();
    const leases = await this.#standing.take(
      async () => {
        // The time of this instant: a lease that counts from before a long wait would be over when it begins.
        const planned = await this.#hosts.lease(hosts, held, this.#clock.now());
        for (const { hostId } of planned) isPlanned.add(hostId);
        const most = Math.min(hosts - planned.length, room);
        const found = most > 0 ? await this.#frontier.claim(most, Math.min(urlsPerHost, room), held) : [];
        return [...planned, ...found];
      },
      (leased) => this.#withUrls(leased, isPlanned, urlsPerHost, room),
    );
    if (leases === null) this.#askAgainAtMs = this.#clock.now() + ASK_AGAIN_MS;
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
   * How many new URLs may go out: what the plan leaves of the budget, and what the copy may still grow by. None before there is a
   * plan, and none where only some pages are wanted.
   */
  async #roomForNew(): Promise<number> {
    if (!this.#hasPlan || !this.#rules.takesNew) return 0;
    this.#pagesLeft ??= await this.#rules.pagesLeft();
    return Math.min(this.#pagesLeft - this.#newOut.size, this.allowance(this.left + this.#newOut.size));
  }

  /** `room` may be for several hosts: what is claimed beyond it stays where it waits. */
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
    const found = room <= 0 ? [] : await this.#frontier.more(hostId, room, besides, share);
    const urls = [...planned, ...this.#handOut(hostId, found, room)];
    if (urls.length > 0) await this.#standing.catchUp();
    return urls;
  }

  /** Several refreshes may have planned the same pages: each is looked at by the first that has its host. */
  async #open(plan: HostPlan, limit: number, besides: ReadonlySet<number>): Promise<readonly number[]> {
    for (;;) {
      const ids = plan.next(limit, besides);
      if (ids.length === 0 || this.#standing.guard === null) return ids;
      const untouched = await this.#plan.untouched(ids, this.#clock.now());
      for (const id of ids) if (!untouched.has(id)) this.#hosts.isDone(plan.hostId, id);
      this.#counter.lookedByOthers += ids.length - untouched.size;
      if (untouched.size > 0) return ids.filter((id) => untouched.has(id));
    }
  }

  async #take(plan: HostPlan, limit: number, besides: ReadonlySet<number>): Promise<readonly ClaimedUrl[]> {
    const ids = await this.#open(plan, limit, besides);
    if (ids.length === 0) return [];
    const urls = await this.#store.revisits(ids, plan.hostId);
    if (urls.length < ids.length) {
      const found = new Set(urls.map(({ id }) => id));
      // They have left the copy since the plan was made.
      for (const id of ids) if (!found.has(id)) this.#hosts.isDone(plan.hostId, id);
    }
    return urls.map((url) => (this.#plan.isToldGone(url.id, plan.hostId) ? missedBefore(url) : url));
  }

  allowance(out: number): number {
    if (this.#clock.now() >= this.#rules.endsAtMs) return 0;
    if (this.#rules.budget === 0) return Number.POSITIVE_INFINITY;
    return this.#rules.budget - (this.#counter.requests - this.#requestsBefore) - out;
  }

  get isSpent(): boolean {
    if (this.#clock.now() >= this.#rules.endsAtMs) return true;
    return this.#rules.everyMs === null && this.allowance(0) <= 0;
  }

  get endsAtMs(): number {
    return this.#rules.endsAtMs;
  }

  /** Pages that were planned and not looked at. */
  get left(): number {
    return this.#hosts.left;
  }

  before({ results }: CommitBatch): Partial<CommitBatch> {
    const marks = this.#plan.marks(results);
    return { visits: this.#plan.observe(results), tellNew: true, ...(marks.length > 0 ? { marks } : {}) };
  }

  after({ results }: CommitBatch, receipt: CommitReceipt): void {
    for (const { id, hostId } of results) {
      this.#newOut.delete(id);
      // Whatever became of it: the store may have refused a result, and asking again for ever would not mend that.
      this.#hosts.isDone(hostId, id);
    }
    this.#pagesLeft = null;
    this.#counter.add(results, receipt);
    this.#onCommit();
  }

  async nextAtMs(): Promise<number | null> {
    const nowMs = this.#clock.now();
    if (!this.#isBetweenRounds) {
      if (this.allowance(0) > 0) {
        const atMs = await this.#nextOfStep();
        if (atMs <= nowMs) return Math.max(atMs, this.#askAgainAtMs);
        // What has to wait does not hold up the rest.
        if (await this.#nextStep(nowMs)) return nowMs;
        const heldMs = this.#plan.heldUntilMs(this.#rules.patienceMs);
        const soonestMs = atMs <= nowMs + this.#rules.patienceMs ? Math.min(atMs, heldMs) : heldMs;
        if (soonestMs < Number.POSITIVE_INFINITY) return soonestMs;
      }
      this.#isBetweenRounds = true;
      if (this.#rules.everyMs !== null) await this.#onRound();
    }
    return this.#nextRound(nowMs);
  }

  /** When something of the step under way can be done; what is further away than our patience is left for another day. */
  async #nextOfStep(): Promise<number> {
    const newAtMs = (await this.#roomForNew()) > 0 ? await this.#frontier.nextAtMs() : null;
    return Math.min(newAtMs ?? Number.POSITIVE_INFINITY, this.#hosts.nextAtMs);
  }

  async #nextStep(nowMs: number): Promise<boolean> {
    const used = this.#counter.requests - this.#requestsBefore;
    const room = this.#rules.budget === 0 ? Number.POSITIVE_INFINITY : this.#rules.budget - used;
    const step = await this.#plan.next(nowMs, room);
    this.#hasPlan = true;
    if (step === null) return false;
    this.#hosts.add(step);
    this.#counter.planned += step.length;
    return true;
  }

  /** By the clock on the wall, which may have been put back or forward: never further away than one interval. */
  #nextRound(nowMs: number): number | null {
    const { everyMs } = this.#rules;
    if (everyMs === null) return null;
    if (this.#roundBeganMs > nowMs) this.#roundBeganMs = nowMs;
    const atMs = this.#roundBeganMs + everyMs;
    if (atMs > nowMs) return Math.min(atMs, this.#rules.endsAtMs);
    this.#roundBeganMs = nowMs;
    this.#requestsBefore = this.#counter.requests;
    this.#isBetweenRounds = false;
    this.#hosts.clear();
    this.#hasPlan = false;
    this.#plan.beginRound();
    return nowMs;
  }
}

/** As if it had been missing at the look before. */
function missedBefore(url: ClaimedUrl): ClaimedUrl {
  return { ...url, earlier: { ...url.earlier!, trouble: 'not-found' } };
}
