/**
 * Which pages a refresh visits, in steps. First the pages that watchers report, and a sample of unreported
 * pages; the hosts of trusted watchers are left out of the later steps. Then the change sources (sitemaps,
 * feeds). Then, for sources that are not judged yet, the pages that they report as changed and a sample of the
 * others. Then all pages that the policy chooses, without copies of other pages. Then spot checks of these copies.
 *
 * A source is trusted while almost none of the unreported pages of its host had changed. Unreported pages of a trusted
 * source are left out, except for a few spot checks, so that an unreliable source is noticed.
 */
import type { RefreshOptions } from '../../core/options/refresh-options.ts';
import { type Policy, policyNamed } from '../../frontier/revisit/policy.ts';
import { Schedule } from '../../frontier/revisit/schedule.ts';
import type { MarkUpdate, SourceRecord, Store, UrlResult, VisitRecord, VisitUpdate } from '../../store/contract.ts';
import type { CoveredPages } from '../watchers/covered-pages.ts';
import { isClaimed, isProven, isTrusted, missShare } from '../watchers/trust-rule.ts';
import type { Watchers } from '../watchers/watchers.ts';
import { DueVisits } from './due-visits.ts';
import { type CopySummary, LeftCopies } from './left-copies.ts';
import { PageWeights } from './page-weights.ts';
import { sortInSections } from './sort-in-sections.ts';
import { SourceSpotChecks, withSpotChecks } from './source-spot-checks.ts';

export interface PlannedPage {
  readonly id: number;
  readonly hostId: number;
}

/** One in this many unreported pages of a trusted source is spot-checked, other pages each time. */
const SPOT_CHECK_EVERY = 64;
const WATCH_DUE = 0.2;
/** Share of a budget for change sources, which must not use all of it. */
const SOURCES_SHARE = 0.5;
/** Policies that leave out no page. */
const TAKES_ALL: ReadonlySet<string> = new Set(['adaptive', 'uniform', 'rank']);

const STEPS = [
  'watchers',
  'after-watchers',
  'sources',
  'spot-checks',
  'rest',
  'copies',
  'doubted-copies',
  'over',
] as const;

export class RefreshPlan {
  readonly #store: Store;
  readonly #options: RefreshOptions;
  readonly #policy: Policy;
  readonly #weights: PageWeights;
  readonly #due: DueVisits;
  readonly #copies: LeftCopies;
  readonly #rereadBeforeMs: number;
  readonly #watchers: Watchers | null;
  #schedule = new Schedule();
  /**
   * Pages of earlier steps of the round: a second visit shows nothing, and a page that is
   * missing twice in a row would be gone.
   */
  readonly #planned = new Set<number>();
  #step = 0;
  /** Whether a source reports any page, or may do so. */
  #hasClaims = true;
  /** Pages fetched for the first time since then are up to date. */
  #beganMs = Number.POSITIVE_INFINITY;
  /**
   * The change sources of the round, and the hosts where one answered: only there does an
   * unreported page count as unchanged.
   */
  readonly #sourceIds = new Set<number>();
  readonly #answeredHosts = new Set<number>();
  /** How many pages of each host this round has planned. */
  readonly #ofHost = new Map<number, number>();
  /** Pages that this round could visit. */
  considered = 0;
  /** Pages that watchers reported and that exceeded the budget. */
  #reportedLeft = 0;

  /**
   * Pages last visited before `rereadBeforeMs` are visited whatever a source reports: their links must be read again.
   */
  constructor(store: Store, options: RefreshOptions, rereadBeforeMs = 0, watchers: Watchers | null = null) {
    this.#store = store;
    this.#options = options;
    this.#policy = policyNamed(options.policy, { topLevels: options.topLevels });
    this.#weights = new PageWeights(store, options);
    this.#due = new DueVisits(store, options, rereadBeforeMs);
    this.#copies = new LeftCopies(store, (ids) => this.#due.wanted(ids));
    this.#rereadBeforeMs = rereadBeforeMs;
    this.#watchers = watchers;
  }

  /** Pages that failed and wait for their retry time. */
  get setAside(): number {
    return this.#due.setAside;
  }

  /**
   * Counts the pages that the round ended too early to plan, so that the run does not look better than it was. Pages of
   * a watcher that is not judged yet count, and so do those of a site that another crawler holds.
   */
  async unplannedPages(nowMs: number): Promise<number> {
    if (this.#step > STEPS.indexOf('rest')) return 0;
    const before = this.#planned.size + this.#reportedLeft;
    await this.load(nowMs, this.#answeredHosts, []);
    return this.considered - before;
  }

  /** What happened to copies of other pages in this round. */
  get copies(): CopySummary {
    return this.#copies.summary;
  }

  beginRound(): void {
    this.#step = 0;
    this.#beganMs = Number.POSITIVE_INFINITY;
    this.#reportedLeft = 0;
    this.#copies.beginRound();
    this.#due.only = null;
    this.#due.led = null;
    for (const set of [this.#planned, this.#sourceIds, this.#answeredHosts, this.#ofHost]) set.clear();
  }

  /** The pages of the next step, best first; null if there is none. */
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
        // Repeats the steps for these hosts only.
        this.#due.only = freed;
        this.#step = 0;
      }
    });
  }

  /** The planned pages among these that no other refresh has visited since. */
  untouched(ids: readonly number[], nowMs: number): Promise<ReadonlySet<number>> {
    return this.#due.untouched(ids, nowMs, this.#beganMs);
  }

  /** When a site that another crawler holds may be asked again, within our patience. */
  heldUntilMs(patienceMs: number): number {
    return this.#watchers?.heldUntilMs(this.#beganMs + patienceMs) ?? Number.POSITIVE_INFINITY;
  }

  /** Pages of sites that another crawler holds. */
  get heldPages(): number {
    // Before the watchers are judged, their pages count as unplanned.
    return this.#due.led === null ? 0 : (this.#watchers?.heldPages ?? 0);
  }

  #planOf(step: (typeof STEPS)[number], nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    if (step === 'watchers' || step === 'after-watchers') return this.#reportedPages(step === 'watchers', nowMs, room);
    if (step === 'rest') return this.#bestOfAll(nowMs, room);
    if (step === 'copies' || step === 'doubted-copies') return this.#copiesIn(step, room);
    if (!this.#options.sources) return Promise.resolve([]);
    if (step === 'sources') return this.#sourcePages(nowMs, room);
    // The policy `watcher` visits only reported pages.
    return this.#options.policy === 'watcher' ? Promise.resolve([]) : this.#spotChecks(nowMs, room);
  }

  /**
   * The pages that watchers report, with a sample of the others; in the second step, the
   * pages that follow from these visits.
   */
  async #reportedPages(isFirst: boolean, nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    const watchers = this.#watchers;
    if (watchers === null) return [];
    if (isFirst) await watchers.begin();
    const wanted = (ids: readonly number[]) => this.#due.wanted(ids);
    const { reported, unreported } = isFirst
      ? await watchers.firstVisits(wanted)
      : { reported: await watchers.settle(wanted), unreported: [] };
    if (!isFirst) this.#due.led = watchers.ledPages;
    const dueOf = async (ids: readonly number[]) =>
      (await this.#due.among(ids, nowMs, this.#beganMs)).filter(({ id }) => !this.#planned.has(id));
    const due = withSpotChecks(
      await dueOf(reported),
      await dueOf(unreported),
      room,
      this.#options.hostBudget || Number.POSITIVE_INFINITY,
    );
    const planned = this.#withinBudgets(due, room);
    if (planned.length > 0) this.#remember(planned);
    this.#reportedLeft += due.length - planned.length;
    this.considered = this.#planned.size + this.#reportedLeft;
    return planned;
  }

  /**
   * Ignores --only: an unreported page counts as unchanged only if the sources were asked. The source that was
   * not asked for the longest time comes first.
   */
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

  /** The first of these visits that fit into the total budget and the budget of each host. */
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

  /** For hosts whose sources are not judged yet: the pages reported as changed, and a sample of the others. */
  async #spotChecks(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    if (!this.#hasClaims) return [];
    const sources = await this.#sources();
    const checks = new SourceSpotChecks();
    for await (const visit of this.#due.all(nowMs, this.#beganMs)) {
      const { id, hostId, claimedMs, isSource } = visit;
      if (claimedMs === 0 || isSource || this.#planned.has(id) || isProven(sources.get(hostId))) continue;
      checks.offer(visit);
    }
    const planned = this.#withinBudgets(checks.pages, room);
    this.#remember(planned);
    return planned;
  }

  /**
   * Prepares a schedule for these pages only, so that their visits update their statistics.
   * The schedule of all pages is built later.
   */
  #remember(visits: readonly VisitRecord[]): void {
    this.#schedule = new Schedule();
    for (const visit of visits.toSorted((a, b) => a.id - b.id)) this.#schedule.add({ ...visit, host: visit.hostId });
    for (const { id } of visits) this.#planned.add(id);
  }

  /** Their visits update no statistics, because a copy changes with its original. */
  async #copiesIn(step: 'copies' | 'doubted-copies', room: number): Promise<readonly PlannedPage[]> {
    if (this.#options.policy === 'watcher') return [];
    const copies = step === 'copies' ? this.#copies.toCheck() : await this.#copies.toDoubt();
    const planned = this.#withinBudgets(copies, room);
    for (const { id } of planned) this.#planned.add(id);
    this.considered += copies.length;
    return planned;
  }

  async #bestOfAll(nowMs: number, room: number): Promise<readonly PlannedPage[]> {
    const all: PlannedPage[] = [];
    const isAll = room === Number.POSITIVE_INFINITY && this.#takesAll;
    await this.load(nowMs, this.#answeredHosts, isAll ? all : null);
    if (isAll) return all;
    const planned: PlannedPage[] = [];
    const ownRoom = room - this.#copies.reserveOf(room);
    for (const { id, host } of this.#best(nowMs, ownRoom)) {
      planned.push({ id, hostId: host });
      this.#ofHost.set(host, (this.#ofHost.get(host) ?? 0) + 1);
    }
    return sortInSections(planned);
  }

  /** Whether nothing has to be chosen, because all pages are visited in any order. */
  get #takesAll(): boolean {
    const { policy, hostBudget } = this.#options;
    return TAKES_ALL.has(policy) && hostBudget === 0 && this.#dueShare === 0;
  }

  get #dueShare(): number {
    return this.#options.due ?? (this.#options.watch ? WATCH_DUE : 0);
  }

  /**
   * The estimated chance that a page has changed since its last visit; null if it is not to
   * be visited now. Call `load` first.
   */
  chanceOf(id: number, nowMs: number): number | null {
    return this.#schedule.outlook(id, nowMs)?.chance ?? null;
  }

  /** Used when watchers are not asked: leaves out the pages that the store knows to be left to them. */
  leaveTo(led: CoveredPages): void {
    this.#due.led = led;
  }

  /** Computes the plan without executing it. */
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
   * Loads the schedule from the store. A trusted source counts for unreported pages only at the hosts in `answered`, or
   * at all hosts if it is null. If `all` is given, it receives the pages, and nothing is estimated.
   */
  async load(
    nowMs: number,
    answered: ReadonlySet<number> | null = null,
    all: PlannedPage[] | null = null,
  ): Promise<void> {
    const sources = this.#options.sources ? await this.#sources() : new Map<number, SourceRecord>();
    const schedule = new Schedule();
    if (all === null) await this.#weights.open();
    this.considered = this.#planned.size + this.#reportedLeft;
    this.#copies.begin();
    for await (const due of this.#due.batches(nowMs, this.#beganMs)) {
      const batch = await this.#copies.without(due.filter(({ id }) => !this.#planned.has(id)));
      const weights = all === null ? await this.#weights.of(batch) : null;
      for (const [i, visit] of batch.entries()) {
        const { id, hostId, pattern, claimedMs } = visit;
        const hasAnswered = claimedMs > 0 && (answered?.has(hostId) ?? true);
        const trusted = hasAnswered && isTrusted(sources.get(hostId)) ? sources.get(hostId)! : null;
        if (trusted && !this.#isWorthAVisit(visit, nowMs)) continue;
        this.considered++;
        schedule.add({
          ...visit,
          host: hostId,
          pattern,
          weight: weights?.[i] ?? 1,
          missShare: trusted ? missShare(trusted) : 1,
        });
        if (this.#options.sources && isClaimed(visit)) schedule.claim(id, Number.POSITIVE_INFINITY);
        all?.push({ id, hostId });
      }
    }
    if (all === null) schedule.learnPriors();
    this.#schedule = schedule;
  }

  #isWorthAVisit(visit: VisitRecord, nowMs: number): boolean {
    return (
      isClaimed(visit) ||
      visit.checkedAtMs < this.#rereadBeforeMs ||
      nowMs - visit.checkedAtMs >= this.#options.maxInterval ||
      (visit.id + Math.floor(nowMs / 1_000)) % SPOT_CHECK_EVERY === 0
    );
  }

  /** Learns from results how often pages change. Returns the updates for the store. */
  observe(results: readonly UrlResult[]): VisitUpdate[] {
    const updates: VisitUpdate[] = [];
    this.#copies.observe(results);
    for (const { id, hostId, revisit } of results) {
      if (!revisit || revisit.finding === 'failing' || revisit.finding === 'missing') continue;
      if (this.#sourceIds.has(id)) this.#answeredHosts.add(hostId);
      // The page is from an earlier step: its statistics are not loaded and must not be overwritten.
      if (!this.#schedule.knows(id)) continue;
      const { finding, checkedAtMs } = revisit;
      const hasChanged = finding !== 'same' && finding !== 'noise';
      updates.push({ id, ...this.#schedule.observe(id, checkedAtMs, hasChanged) });
    }
    return updates;
  }

  /** The new marks of pages, from what the results say about the watchers. */
  marks(results: readonly UrlResult[]): readonly MarkUpdate[] {
    return this.#watchers?.observe(results) ?? [];
  }

  /** A watcher reports that the page is gone: then it needs to be missing only once. */
  isReportedGone(id: number, hostId: number): boolean {
    return this.#watchers?.isReportedGone(id, hostId) ?? false;
  }

  async #sources(): Promise<Map<number, SourceRecord>> {
    return new Map((await this.#store.sources()).map((source) => [source.hostId, source]));
  }
}
