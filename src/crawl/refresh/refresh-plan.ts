/**
 * What a refresh looks at, in steps: first what watchers tell of, and a sample of what they are silent about; the hosts of those that
 * prove true are left out of the rest. Then what tells of other pages (sitemaps, feeds), then, where it is not known yet whether
 * that can be believed, what they say has changed and a sample of what they say has not; then all that is worth it by the policy.
 *
 * A source is believed while it proves true for its host: of the pages it was silent about, hardly any had changed. What a believed
 * source is silent about is left out, but for a few, so that the day it stops telling the truth is noticed.
 */
import type { RefreshOptions } from '../core/refresh-options.ts';
import { type Policy, policyNamed } from '../frontier/revisit/policy.ts';
import { Schedule } from '../frontier/revisit/schedule.ts';
import type { MarkUpdate, SourceRecord, Store, UrlResult, VisitRecord, VisitUpdate } from '../store/contract.ts';
import { DueVisits } from './due-visits.ts';
import { inStretches } from './in-stretches.ts';
import { PageWeights } from './page-weights.ts';
import { SourceProof } from './source-proof.ts';
import { isBelieved, isClaimed, isProven, missShare } from './source-trust.ts';
import type { LedPages } from './watchers/led-pages.ts';
import type { Watchers } from './watchers/watchers.ts';
import { withAudit } from './watchers/with-audit.ts';

export interface PlannedPage {
  readonly id: number;
  readonly hostId: number;
}

/** Of the pages a believed source is silent about, one in so many is looked at all the same, others each time. */
const AUDITED_OF = 64;
const WATCH_DUE = 0.2;
/** Of a budget: what tells of others must not take it all. */
const SOURCES_SHARE = 0.5;
/** Policies that leave out no page. */
const TAKES_ALL: ReadonlySet<string> = new Set(['adaptive', 'uniform', 'rank']);

const STEPS = ['watchers', 'after-watchers', 'sources', 'proof', 'rest', 'over'] as const;

export class RefreshPlan {
  readonly #store: Store;
  readonly #options: RefreshOptions;
  readonly #policy: Policy;
  readonly #weights: PageWeights;
  readonly #due: DueVisits;
  readonly #rereadBeforeMs: number;
  readonly #watchers: Watchers | null;
  #schedule = new Schedule();
  /** Of the earlier steps of a round: looking twice tells nothing, and a page missing twice in a row would be gone. */
  readonly #planned = new Set<number>();
  #step = 0;
  /** Whether any page is told of by a source, or may be. */
  #hasClaims = true;
  /** Pages fetched for the first time since then are as new as can be. */
  #beganMs = Number.POSITIVE_INFINITY;
  /** What tells of other pages, and the hosts where one was answered for in this round: only then its silence means something. */
  readonly #sourceIds = new Set<number>();
  readonly #answeredHosts = new Set<number>();
  /** How many pages of a host this round has planned. */
  readonly #ofHost = new Map<number, number>();
  /** Pages that this round could look at. */
  considered = 0;
  /** Pages that watchers told of and that no budget was left for. */
  #toldLeft = 0;

  /** Pages last looked at before `rereadBeforeMs` are worth a look whatever a source says: their links are to be read anew. */
  constructor(store: Store, options: RefreshOptions, rereadBeforeMs = 0, watchers: Watchers | null = null) {
    this.#store = store;
    this.#options = options;
    this.#policy = policyNamed(options.policy, { topLevels: options.topLevels });
    this.#weights = new PageWeights(store, options);
    this.#due = new DueVisits(store, options, rereadBeforeMs);
    this.#rereadBeforeMs = rereadBeforeMs;
    this.#watchers = watchers;
  }

  /** Pages that failed and wait for their time. */
  get setAside(): number {
    return this.#due.setAside;
  }

  beginRound(): void {
    this.#step = 0;
    this.#beganMs = Number.POSITIVE_INFINITY;
    this.#toldLeft = 0;
    this.#due.only = null;
    this.#due.led = null;
    for (const set of [this.#planned, this.#sourceIds, this.#answeredHosts, this.#ofHost]) set.clear();
  }

  /** The pages of the next step, best first; null when there is none. */
  async next(nowMs: number, room: number): Promise<readonly PlannedPage[] | null> {
    this.#beganMs = Math.min(this.#beganMs, nowMs);
    return this.#due.readingOnce(async () => {
      for (;;) {
        while (STEPS[this.#step] !== 'over') {
          const step = STEPS[this.#step++]!;
          const planned = await this.#planOf(step, nowMs, room);
          if (planned.length > 0) return planned;
        }
        const freed = (await this.#watchers?.retryHeld(nowMs)) ?? null;
        if (freed === null || freed.size === 0) return null;
        // The steps once more, for these hosts alone.
        this.#due.only = freed;
        this.#step = 0;
      }
    });
  }

  /** Of these planned pages those that no other refresh has been at since. */
  untouched(ids: readonly number[], nowMs: number): Promise<ReadonlySet<number>> {
    return this.#due.untouched(ids, nowMs, this.#beganMs);
  }

  /** When a site that another crawler has may be asked for again, as long as we have the patience. */
  heldUntilMs(patienceMs: number): number {
    return this.#watchers?.heldUntilMs(this.#beganMs + patienceMs) ?? Number.POSITIVE_INFINITY;
  }

  /** Pages of sites that another crawler has. */
  get heldPages(): number {
    return this.#watchers?.heldPages ?? 0;
  }

  #planOf(step: (typeof STEPS)[number], nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    if (step === 'watchers' || step === 'after-watchers') return this.#toldPages(step === 'watchers', nowMs, room);
    if (step === 'rest') return this.#bestOfAll(nowMs, room);
    if (!this.#options.sources) return Promise.resolve([]);
    if (step === 'sources') return this.#sourcePages(nowMs, room);
    // The policy of those who want what is told of, and nothing else.
    return this.#options.policy === 'watcher' ? Promise.resolve([]) : this.#proof(nowMs, room);
  }

  /** What watchers tell of and a sample of the rest; and then what came of that. */
  async #toldPages(isFirst: boolean, nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    const watchers = this.#watchers;
    if (watchers === null) return [];
    if (isFirst) await watchers.begin();
    const wanted = (ids: readonly number[]) => this.#due.wanted(ids);
    const { told, silent } = isFirst
      ? await watchers.firstLooks(wanted)
      : { told: await watchers.settle(wanted), silent: [] };
    if (!isFirst) this.#due.led = watchers.ledPages;
    const dueOf = async (ids: readonly number[]) =>
      (await this.#due.among(ids, nowMs, this.#beganMs)).filter(({ id }) => !this.#planned.has(id));
    const due = withAudit(
      await dueOf(told),
      await dueOf(silent),
      room,
      this.#options.hostBudget || Number.POSITIVE_INFINITY,
    );
    const planned = this.#withinBudgets(due, room);
    if (planned.length > 0) this.#remember(planned);
    this.#toldLeft += due.length - planned.length;
    this.considered = this.#planned.size + this.#toldLeft;
    return planned;
  }

  /** Whatever --only says: their silence about a page is believed only where they were asked. The longest unasked first. */
  async #sourcePages(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    const found: VisitRecord[] = [];
    this.#hasClaims = false;
    for await (const visit of this.#due.all(nowMs, this.#beganMs, false)) {
      if (visit.claimedMs > 0) this.#hasClaims = true;
      if (visit.isSource && visit.state === 'page') found.push(visit);
    }
    if (found.length > 0) this.#hasClaims = true;
    found.sort((a, b) => a.checkedAtMs - b.checkedAtMs);
    const planned = this.#withinBudgets(found, Math.max(1, Math.floor(room * SOURCES_SHARE)));
    for (const { id } of planned) this.#sourceIds.add(id);
    this.#remember(planned);
    return planned;
  }

  /** The first of these, as far as the budgets of all and of each host go. */
  #withinBudgets(visits: readonly VisitRecord[], room: number): VisitRecord[] {
    const { hostBudget } = this.#options;
    const taken: VisitRecord[] = [];
    for (const visit of visits) {
      if (taken.length >= room) break;
      const ofHost = this.#ofHost.get(visit.hostId) ?? 0;
      if (hostBudget > 0 && ofHost >= hostBudget) continue;
      this.#ofHost.set(visit.hostId, ofHost + 1);
      taken.push(visit);
    }
    return taken;
  }

  /** Of hosts whose sources are not known well enough: what they say has changed, and a sample of what they say has not. */
  async #proof(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    if (!this.#hasClaims) return [];
    const sources = await this.#sources();
    const proof = new SourceProof();
    for await (const visit of this.#due.all(nowMs, this.#beganMs)) {
      const { id, hostId, claimedMs, isSource } = visit;
      if (claimedMs === 0 || isSource || this.#planned.has(id) || isProven(sources.get(hostId))) continue;
      proof.offer(visit);
    }
    const planned = this.#withinBudgets(proof.pages, room);
    this.#remember(planned);
    return planned;
  }

  /** Looks at these pages are to add to what is known of them, and the schedule of all is not made yet. */
  #remember(visits: readonly VisitRecord[]): void {
    this.#schedule = new Schedule();
    for (const visit of visits.toSorted((a, b) => a.id - b.id)) this.#schedule.add({ ...visit, host: visit.hostId });
    for (const { id } of visits) this.#planned.add(id);
  }

  async #bestOfAll(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    const all: PlannedPage[] = [];
    const isAll = room === Number.POSITIVE_INFINITY && this.#takesAll;
    await this.load(nowMs, this.#answeredHosts, isAll ? all : null);
    if (isAll) return all;
    const planned: PlannedPage[] = [];
    for (const { id, host } of this.#best(nowMs, room)) planned.push({ id, hostId: host });
    return inStretches(planned);
  }

  /** Nothing has to be chosen: whichever comes first, all are looked at. */
  get #takesAll(): boolean {
    const { policy, hostBudget } = this.#options;
    return TAKES_ALL.has(policy) && hostBudget === 0 && this.#dueShare === 0;
  }

  get #dueShare(): number {
    return this.#options.due ?? (this.#options.watch ? WATCH_DUE : 0);
  }

  /** The chance that a page has changed since it was looked at; null of one that is not to be looked at now. After `load`. */
  chanceOf(id: number, nowMs: number): number | null {
    return this.#schedule.outlook(id, nowMs)?.chance ?? null;
  }

  /** Where watchers are not asked: what would be left to them by what the store knows. */
  leaveTo(led: LedPages): void {
    this.#due.led = led;
  }

  /** For a look at the plan without carrying it out. */
  async preview(nowMs: number): Promise<ReturnType<Schedule['plan']>> {
    await this.load(nowMs);
    const { budget } = this.#options;
    return this.#best(nowMs, budget === 0 ? Number.POSITIVE_INFINITY : budget);
  }

  #best(nowMs: number, room: number): ReturnType<Schedule['plan']> {
    const { hostBudget, minInterval, maxInterval } = this.#options;
    return this.#schedule.plan({
      nowMs,
      budget: room,
      hostBudget: (host) =>
        hostBudget === 0 ? Number.POSITIVE_INFINITY : Math.max(0, hostBudget - (this.#ofHost.get(host) ?? 0)),
      dueShare: this.#dueShare,
      policy: this.#policy,
      minIntervalMs: minInterval,
      maxIntervalMs: maxInterval,
    });
  }

  /**
   * Everything the schedule has to know, from the store. The silence of a believed source counts at the hosts in `answered`; at
   * all if that is left out. Where `all` is given it gets the pages, and nothing is estimated.
   */
  async load(
    nowMs: number,
    answered: ReadonlySet<number> | null = null,
    all: PlannedPage[] | null = null,
  ): Promise<void> {
    const sources = this.#options.sources ? await this.#sources() : new Map<number, SourceRecord>();
    const schedule = new Schedule();
    if (all === null) await this.#weights.open();
    this.considered = this.#planned.size + this.#toldLeft;
    for await (const batch of this.#due.batches(nowMs, this.#beganMs)) {
      const weights = all === null ? await this.#weights.of(batch) : null;
      for (const [i, visit] of batch.entries()) {
        const { id, hostId, pattern, claimedMs } = visit;
        if (this.#planned.has(id)) continue;
        const isHeard = claimedMs > 0 && (answered?.has(hostId) ?? true);
        const believed = isHeard && isBelieved(sources.get(hostId)) ? sources.get(hostId)! : null;
        if (believed && !this.#isWorthALook(visit, nowMs)) continue;
        this.considered++;
        schedule.add({
          ...visit,
          host: hostId,
          pattern,
          weight: weights?.[i] ?? 1,
          missShare: believed ? missShare(believed) : 1,
        });
        if (this.#options.sources && isClaimed(visit)) schedule.claim(id, Number.POSITIVE_INFINITY);
        all?.push({ id, hostId });
      }
    }
    if (all === null) schedule.learnPriors();
    this.#schedule = schedule;
  }

  #isWorthALook(visit: VisitRecord, nowMs: number): boolean {
    return (
      isClaimed(visit) ||
      visit.checkedAtMs < this.#rereadBeforeMs ||
      nowMs - visit.checkedAtMs >= this.#options.maxInterval ||
      (visit.id + Math.floor(nowMs / 1_000)) % AUDITED_OF === 0
    );
  }

  /** What results say of the pages' habits: what the store is to keep. */
  observe(results: readonly UrlResult[]): VisitUpdate[] {
    const updates: VisitUpdate[] = [];
    for (const { id, hostId, revisit } of results) {
      if (!revisit || revisit.finding === 'failing' || revisit.finding === 'missing') continue;
      if (this.#sourceIds.has(id)) this.#answeredHosts.add(hostId);
      // Left over from an earlier step: what is known of it is not at hand, and must not be forgotten.
      if (!this.#schedule.knows(id)) continue;
      const { finding, checkedAtMs } = revisit;
      const hasChanged = finding !== 'same' && finding !== 'noise';
      updates.push({ id, ...this.#schedule.observe(id, checkedAtMs, hasChanged) });
    }
    return updates;
  }

  /** What they say of watchers: what the store is to mark. */
  marks(results: readonly UrlResult[]): readonly MarkUpdate[] {
    return this.#watchers?.observe(results) ?? [];
  }

  /** A watcher says that it is gone: then once missing is enough. */
  isToldGone(id: number, hostId: number): boolean {
    return this.#watchers?.isToldGone(id, hostId) ?? false;
  }

  async #sources(): Promise<Map<number, SourceRecord>> {
    return new Map((await this.#store.sources()).map((source) => [source.hostId, source]));
  }
}
