/**
 * The work of a refresh: pages of a plan, and what they turn out to link to that is new. A plan comes in steps (refresh-plan.ts);
 * the next is asked for when all of one is done.
 *
 * Always: the plan is in memory alone. What was looked at is in the store with its time, so after a crash the next plan goes on
 * from there, and nothing has to be undone.
 */
import type { Clock } from '../core/clock.ts';
import type { ClaimedUrl, CommitBatch, CommitReceipt, HostLease, Store } from '../store/contract.ts';
import { LEASE_MS } from './dispatcher.ts';
import { HostPlan } from './host-plan.ts';
import type { RefreshCounter } from './refresh-counter.ts';
import type { RefreshPlan } from './refresh-plan.ts';
import type { Held, Work } from './work.ts';

const NOBODY: ReadonlySet<number> = new Set();

export interface RevisitRules {
  /** Requests a round; 0 is no limit. */
  readonly budget: number;
  /** No request is begun after this time. */
  readonly endsAtMs: number;
  readonly patienceMs: number;
  /** From the beginning of one round to that of the next; null for one round. */
  readonly everyMs: number | null;
}

export class RevisitWork implements Work {
  readonly #store: Store;
  readonly #owner: string;
  readonly #clock: Clock;
  /** Where new URLs wait; spent when the copy has as many pages as the crawl was allowed. */
  readonly #frontier: Work;
  readonly #plan: RefreshPlan;
  readonly #counter: RefreshCounter;
  readonly #rules: RevisitRules;
  readonly #onRound: () => Promise<void>;
  readonly #onCommit: () => void;
  readonly #hosts = new Map<number, HostPlan>();
  #roundBeganMs: number;
  #requestsBefore = 0;
  #isBetweenRounds = false;

  constructor(
    store: Store,
    owner: string,
    clock: Clock,
    frontier: Work,
    plan: RefreshPlan,
    counter: RefreshCounter,
    rules: RevisitRules,
    onRound: () => Promise<void>,
    onCommit: () => void,
  ) {
    this.#store = store;
    this.#owner = owner;
    this.#clock = clock;
    this.#frontier = frontier;
    this.#plan = plan;
    this.#counter = counter;
    this.#rules = rules;
    this.#onRound = onRound;
    this.#onCommit = onCommit;
    this.#roundBeganMs = clock.now();
  }

  async claim(hosts: number, urlsPerHost: number, held: Held): Promise<readonly HostLease[]> {
    const nowMs = this.#clock.now();
    const leases: HostLease[] = [];
    const wanted: number[] = [];
    for (const plan of this.#hosts.values()) {
      if (wanted.length >= hosts) break;
      if (plan.left > 0 && plan.notBeforeMs <= nowMs && !held.has(plan.hostId)) wanted.push(plan.hostId);
    }
    for (const lease of await this.#lease(wanted, nowMs)) {
      leases.push({ ...lease, urls: await this.#take(this.#hosts.get(lease.hostId)!, urlsPerHost, NOBODY) });
    }
    const room = hosts - leases.length;
    const fresh = room > 0 && !this.#frontier.isSpent ? await this.#frontier.claim(room, urlsPerHost, held) : [];
    return [...leases, ...fresh];
  }

  /** One that asked to be left alone is given back at once, and its pages wait for that time. */
  async #lease(hostIds: readonly number[], nowMs: number): Promise<readonly HostLease[]> {
    if (hostIds.length === 0) return [];
    const leases = await this.#store.lease({ owner: this.#owner, hostIds, nowMs, leaseMs: LEASE_MS });
    const granted = new Set(leases.map(({ hostId }) => hostId));
    for (const id of hostIds) if (!granted.has(id)) this.#hosts.get(id)!.notBeforeMs = nowMs + LEASE_MS;
    const blocked = leases.filter(({ manners }) => manners.blockedUntilMs > nowMs);
    for (const { hostId, manners } of blocked) this.#hosts.get(hostId)!.notBeforeMs = manners.blockedUntilMs;
    if (blocked.length > 0) {
      await this.#store.release(
        this.#owner,
        blocked.map(({ hostId }) => hostId),
        nowMs,
      );
    }
    return leases.filter((lease) => !blocked.includes(lease));
  }

  async more(hostId: number, limit: number, besides: ReadonlySet<number>): Promise<readonly ClaimedUrl[]> {
    const plan = this.#hosts.get(hostId);
    const planned = plan ? await this.#take(plan, limit, besides) : [];
    const room = limit - planned.length;
    return room > 0 && !this.#frontier.isSpent
      ? [...planned, ...(await this.#frontier.more(hostId, room, besides))]
      : planned;
  }

  async #take(plan: HostPlan, limit: number, besides: ReadonlySet<number>): Promise<readonly ClaimedUrl[]> {
    const ids = plan.next(limit, besides);
    if (ids.length === 0) return [];
    const urls = await this.#store.revisits(ids);
    if (urls.length < ids.length) {
      const found = new Set(urls.map(({ id }) => id));
      // They have left the copy since the plan was made.
      for (const id of ids) if (!found.has(id)) plan.isDone(id);
    }
    return urls;
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
    let left = 0;
    for (const plan of this.#hosts.values()) left += plan.left;
    return left;
  }

  before({ results }: CommitBatch): Partial<CommitBatch> {
    return { visits: this.#plan.observe(results), tellNew: true };
  }

  after({ results }: CommitBatch, receipt: CommitReceipt): void {
    for (const { id, hostId, revisit } of results) if (revisit) this.#hosts.get(hostId)?.isDone(id);
    this.#counter.add(results, receipt);
    this.#onCommit();
  }

  async nextAtMs(): Promise<number | null> {
    const nowMs = this.#clock.now();
    if (!this.#isBetweenRounds) {
      if (this.allowance(0) > 0) {
        const waiting = await this.#nextOfStep(nowMs);
        if (waiting !== null) return waiting;
        if (await this.#nextStep(nowMs)) return nowMs;
      }
      this.#isBetweenRounds = true;
      if (this.#rules.everyMs !== null) await this.#onRound();
    }
    return this.#nextRound(nowMs);
  }

  /** When something of the step under way can be done: what is further away than our patience is left for another day. */
  async #nextOfStep(nowMs: number): Promise<number | null> {
    const newAtMs = this.#frontier.isSpent ? null : await this.#frontier.nextAtMs();
    let atMs = newAtMs ?? Number.POSITIVE_INFINITY;
    for (const plan of this.#hosts.values()) if (plan.left > 0) atMs = Math.min(atMs, plan.notBeforeMs);
    return atMs <= nowMs + this.#rules.patienceMs ? atMs : null;
  }

  async #nextStep(nowMs: number): Promise<boolean> {
    const used = this.#counter.requests - this.#requestsBefore;
    const room = this.#rules.budget === 0 ? Number.POSITIVE_INFINITY : this.#rules.budget - used;
    const step = await this.#plan.next(nowMs, room);
    if (step === null) return false;
    for (const { id, hostId } of step) {
      let plan = this.#hosts.get(hostId);
      if (plan === undefined) {
        plan = new HostPlan(hostId);
        this.#hosts.set(hostId, plan);
      }
      plan.add(id);
    }
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
    this.#plan.beginRound();
    return nowMs;
  }
}
