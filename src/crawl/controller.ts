/**
 * The controller: the main thread of a crawl. It owns the state (store) and the division of work (dispatcher), commits
 * the reports of the units, and decides when the crawl is over. It fetches and parses nothing itself.
 *
 * Reports that arrive during a commit are committed together in the next one, so batches grow with the load (C3, C13).
 */
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { isHeard, publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { inStage } from '../core/stage-events.ts';
import type { ArchivePlace, CommitBatch, CommitReceipt, NewRank, Store, UrlResult } from '../store/contract.ts';
import { commitEvent, hostsFound } from './commit-event.ts';
import { CommitTurns } from './commit-turns.ts';
import type { CommittedPayloads } from './committed-payloads.ts';
import { ArchiveSync } from './crew/archive-sync.ts';
import { joinReports, reportOf } from './crew/join-reports.ts';
import { UnitBroadcast } from './crew/unit-broadcast.ts';
import { UnitCrew } from './crew/unit-crew.ts';
import { UnitDeaths, UnitMonitor } from './crew/unit-monitor.ts';
import type { UnitThread } from './crew/unit-thread.ts';
import { Dispatcher } from './dispatcher.ts';
import { lessonsInForce } from './earlier-runs.ts';
import type { ProcessRole } from './process-role.ts';
import { PageRankKeeper } from './ranking/page-rank-keeper.ts';
import type { Ranker } from './ranking/ranker.ts';
import type { RunCounter } from './run-counter.ts';
import { answerFrom } from './unit/asked-places.ts';
import type { FromUnit, UnitReport, UnitSetup } from './unit/messages.ts';
import { internalErrorResult } from './unit/unfinished.ts';
import type { Work } from './work.ts';

export type Ending = 'done' | 'limit' | 'interrupted';

const MAX_SLEEP_MS = 30_000;
const WATCH_EVERY_MS = 20_000;

/** A unit report that is not committed yet. */
interface UnreadReport {
  readonly unit: UnitThread;
  readonly report: UnitReport;
  /** Hosts that were lost after the report arrived. Their URLs are no longer out, or they are out under a new lease. */
  readonly disowned: Set<number>;
}

export interface ControllerParts {
  readonly store: Store;
  readonly role: ProcessRole;
  readonly clock: Clock;
  readonly options: CrawlOptions;
  readonly setup: Omit<UnitSetup, 'parsing' | 'name' | 'payloads'>;
  readonly counter: RunCounter;
  readonly ranker: Ranker;
  readonly payloads: CommittedPayloads;
  readonly units: readonly UnitThread[];
  readonly work: Work;
}

export class Controller {
  readonly counter: RunCounter;
  readonly crew: UnitCrew;
  readonly dispatcher: Dispatcher;
  /** Tells the units which hosts were lost to other workers, and waits until all units have confirmed. */
  readonly losing = new UnitBroadcast();
  readonly #store: Store;
  readonly #options: CrawlOptions;
  readonly #role: ProcessRole;
  readonly #clock: Clock;
  readonly #work: Work;
  /** The place of the archive files of a worker in a cluster. */
  readonly #writer: ArchivePlace | undefined;
  readonly #ranker: Ranker;
  readonly #pageRanks: PageRankKeeper;
  readonly #sync: ArchiveSync;
  readonly #resting = new UnitBroadcast();
  readonly #payloads: CommittedPayloads;
  readonly #end = Promise.withResolvers<Ending>();
  #reports: UnreadReport[] = [];
  #committing = false;
  readonly #turns: CommitTurns;
  /** Results that arrived since the last turn began. */
  #gathered = 0;
  /** Something happened during the turn, so another turn follows. */
  #isAskedAgain = false;
  #isOver = false;
  #draining: Ending | null = null;
  isAborted = false;
  readonly #watch: UnitMonitor;
  /**
   * Dead units that still hold their URLs. The page that killed a unit must
   * be committed before another unit could get it.
   */
  #dead: UnitThread[] = [];
  #cancelWake: () => void = () => {};
  #cancelDrain: () => void = () => {};
  /** Written with the next commit. */
  #newRanks: readonly NewRank[] = [];

  constructor(parts: ControllerParts) {
    const { store, options, setup, counter, ranker, payloads, units, clock, work, role } = parts;
    this.#store = store;
    this.#options = options;
    this.#role = role;
    this.#clock = clock;
    this.#work = work;
    this.#writer = setup.writer;
    this.#payloads = payloads;
    this.counter = counter;
    this.#ranker = ranker;
    const ranked = setup.refresh === null ? 0 : ranker.pages;
    this.#pageRanks = new PageRankKeeper(store, ranker, ranked, role.ranking);
    this.#watch = new UnitMonitor(clock);
    this.#turns = new CommitTurns(role.gatherMs, () => this.#takeCrawlLock());
    this.#sync = new ArchiveSync(store, clock, (error) => this.#fail(error));
    this.crew = new UnitCrew(
      { ...setup, payloads: payloads.memory },
      units,
      new UnitDeaths(clock),
      (from, message) => this.#receive(from, message),
      (dead, cause) => void this.#bury(dead, cause).catch((error) => this.#fail(error)),
    );
    const { crew } = this;
    const { owner } = role;
    this.dispatcher = new Dispatcher({
      ...{ store, work, options, owner, clock },
      units: crew.units,
      batch: setup.window,
      everyUnit: () => crew.all,
    });
  }

  async run(): Promise<Ending> {
    const keepNoLeases = this.#role.keepLeases((error) => this.#fail(error));
    const watching = setInterval(() => this.#watch.check(this.crew.all), WATCH_EVERY_MS);
    this.#drainIn(this.#work.endsAtMs - this.#clock.now());
    this.#turn();
    try {
      return await this.#end.promise;
    } finally {
      keepNoLeases();
      clearInterval(watching);
      this.#turns.end();
      this.#cancelWake();
      this.#cancelDrain();
      await this.crew.end();
    }
  }

  get liveHosts(): number {
    return this.dispatcher.live.size;
  }

  /** URLs that the units hold. */
  get out(): number {
    return this.dispatcher.out;
  }

  get isDraining(): boolean {
    return this.#draining !== null;
  }

  /** Finishes and saves the work in progress. No new work begins. */
  drain(ending: Ending = 'interrupted'): void {
    if (this.#draining) return;
    this.#draining = ending;
    this.crew.broadcast({ type: 'drain' });
  }

  /** Uses timers, so a clock that is set back does not lengthen the run. */
  #drainIn(ms: number): void {
    if (ms === Number.POSITIVE_INFINITY) return;
    const stepMs = Math.min(ms, MAX_SLEEP_MS);
    this.#cancelDrain = this.#clock.after(stepMs, () => {
      if (ms <= stepMs || this.#clock.now() >= this.#work.endsAtMs) this.drain('limit');
      else this.#drainIn(ms - stepMs);
    });
  }

  /** Call it while no work is in progress. The units close their archive files, which may then be rewritten. */
  async rest(): Promise<void> {
    await this.#resting.ask(this.crew.all, { type: 'rest' });
    this.#payloads.clear();
  }

  /** Called when there may be something to do. */
  wake(): void {
    if (!this.#isOver) this.#turn();
  }

  /** Ends the run at once. Committed results are safe; all other URLs are fetched again. */
  abort(): void {
    this.isAborted = true;
    this.#isOver = true;
    this.#end.resolve('interrupted');
  }

  #receive(unit: UnitThread, message: FromUnit): void {
    if (message.type === 'fault') {
      publish('crawl/warning', { message: `${message.url}: internal error: ${message.detail}` });
    } else if (message.type === 'fatal') {
      this.#fail(new OrbweaverError(message.code, message.message));
    } else if (message.type === 'question') {
      answerFrom(this.#store, message).then(
        (answer) => unit.post(answer),
        (error) => this.#fail(error),
      );
    } else if (message.type === 'synced') {
      this.#sync.isDone(unit);
    } else if (message.type === 'rested') {
      this.#resting.isDone(unit);
    } else if (message.type === 'lost') {
      this.losing.isDone(unit);
    } else {
      // A drained unit answers no more messages, including a question that is already on its way.
      if (message.type === 'drained') this.#answersNoMore(unit);
      if (message.type === 'report') this.#take(unit, message);
      // After a failure nothing more is committed, because the store may be closed already.
      if (!this.#isOver) this.#turn();
    }
  }

  #take(unit: UnitThread, report: UnitReport): void {
    this.counter.asked += report.answers.count;
    this.counter.unanswered += report.answers.failures;
    this.#gathered += report.results.length + report.same.ids.length;
    this.#reports.push({ unit, report, disowned: new Set() });
  }

  /** Only one turn runs at a time. A turn commits the reports, fills the units, and checks whether the run is over. */
  #turn(): void {
    this.#isAskedAgain = true;
    const isUrgent = this.#draining !== null;
    if (this.#committing) {
      this.#turns.more(this.#gathered, isUrgent);
      return;
    }
    this.#committing = true;
    this.#turns.call(this.#gathered, isUrgent);
  }

  #takeCrawlLock(): void {
    this.#isAskedAgain = false;
    this.#gathered = 0;
    this.#advance().then(
      () => {
        this.#committing = false;
        if (this.#isAskedAgain && !this.#isOver) this.#turn();
      },
      (error) => this.#fail(error),
    );
  }

  async #advance(): Promise<void> {
    const dead = this.#dead;
    this.#dead = [];
    if (this.#reports.length > 0) await this.#commit();
    for (const unit of dead) await this.dispatcher.abandon(unit);
    if (this.#draining === null) await this.dispatcher.fill();
    for (const unit of this.crew.takeFree()) await this.#dismiss(unit);
    await this.#seeWhetherDone();
  }

  /** The unit has reported everything. It closes its archive when it drains. */
  async #dismiss(unit: UnitThread): Promise<void> {
    await this.dispatcher.abandon(unit);
    unit.post({ type: 'drain' });
    this.#sync.isDone(unit);
  }

  async #commit(): Promise<void> {
    await this.#role.mayCommit();
    const reports = this.#reports;
    this.#reports = [];
    await this.#followSeeds(reports);
    const batch = this.#batchOf(reports.map(({ report }) => report));
    this.#ranker.beforeCommit(batch);
    const receipt = await this.#write(batch);
    this.#work.after(batch, receipt);
    this.#payloads.add(batch.results, receipt);
    this.#ranker.afterCommit(batch.results, receipt);
    this.#newRanks = await inStage('rank', null, () => this.#ranker.newRanks());
    await this.#pageRanks.step(batch.results.reduce((pages, { page }) => pages + (page === null ? 0 : 1), 0));
    this.dispatcher.expect(hostsFound(batch));
    if (receipt.sharedManners) this.dispatcher.learnShared(receipt.sharedManners);
    await this.#spreadLessons(receipt);
    let at = 0;
    for (const { unit, report, disowned } of reports) {
      const linkIds = receipt.linkIds.slice(at, at + report.results.length);
      at += report.results.length;
      this.#settle(unit, report, disowned);
      if (report.results.length + report.same.ids.length > 0) unit.post({ type: 'receipt', linkIds });
    }
    this.#sync.nowAndThen(this.crew.all);
    if (receipt.discovered > 0) this.#role.workFound();
  }

  async #write(batch: CommitBatch): Promise<CommitReceipt> {
    const startMs = performance.now();
    const receipt = await inStage('commit', null, () => this.#store.commit(batch));
    this.counter.add(batch.results, receipt);
    if (isHeard('crawl/commit')) publish('crawl/commit', commitEvent(batch, receipt, performance.now() - startMs));
    return receipt;
  }

  /**
   * URLs that were skipped because of a refuted lesson wait again. Their hosts may have seemed to have no more URLs.
   */
  async #spreadLessons({ lessons, released }: CommitReceipt): Promise<void> {
    if (released.size > 0) this.dispatcher.expect(new Set(released.keys()));
    if (lessons.length === 0) return;
    this.crew.broadcast({ type: 'lessons', lessons });
    await this.#role.lessonsChanged();
    for (const { host, space, name, verdict } of lessons) publish('crawl/lesson', { host, space, name, verdict });
  }

  /**
   * Moved seeds are stored before the commit that makes the new URLs known.
   * Every unit is told before these URLs are handed out.
   */
  async #followSeeds(reports: readonly { unit: UnitThread; report: UnitReport }[]): Promise<void> {
    for (const { unit, report } of reports) {
      for (const url of report.movedSeeds) {
        this.crew.setup.seeds.push(url);
        this.crew.broadcast({ type: 'seed', url }, unit);
        await this.#role.seedMoved(url);
      }
    }
  }

  #batchOf(reports: readonly UnitReport[]): CommitBatch {
    const { patternBudget, learnParameters, nearDuplicate } = this.#options;
    const rules = { patternBudget, learnParameters, nearDuplicate };
    const joined = joinReports(reports);
    const batch = { owner: this.#role.owner, nowMs: this.#clock.now(), ...joined, ranks: this.#newRanks, ...rules };
    return { ...batch, ...(this.#writer && { archivePlace: this.#writer }), ...this.#work.before(batch) };
  }

  #settle(unit: UnitThread, report: UnitReport, disowned: ReadonlySet<number>): void {
    const leaseOf = (hostId: number) => (disowned.has(hostId) ? undefined : this.dispatcher.live.get(hostId));
    for (const { id, hostId } of report.results) leaseOf(hostId)?.settle(unit, id);
    for (const [i, id] of report.same.ids.entries()) leaseOf(report.same.hostIds[i]!)?.settle(unit, id);
    for (const { hostId, ids } of report.returned) leaseOf(hostId)?.takeBack(unit, ids);
    for (const hostId of report.wantsMore) {
      const share = leaseOf(hostId)?.shareOf(unit);
      if (share) share.wantsMore = true;
    }
    for (const update of report.hosts) if (!disowned.has(update.hostId)) this.dispatcher.learn(unit, update);
  }

  /** These hosts were lost. Reports that have arrived so far do not count for later leases of these hosts. */
  readonly disown = (hostIds: readonly number[]): void => {
    for (const { disowned } of this.#reports) for (const id of hostIds) disowned.add(id);
  };

  async #seeWhetherDone(): Promise<void> {
    const { live, out } = this.dispatcher;
    if (this.#draining !== null) {
      if (!this.crew.all.every((unit) => unit.drained) || this.#reports.length > 0) return;
      return this.#finish(this.#draining);
    }
    if (out > 0 || this.#reports.length > 0) return;
    if (this.#work.isSpent) return this.#finish('limit');
    if (live.size > 0) return;
    const nextAtMs = await this.#work.nextAtMs();
    if (nextAtMs === null) return this.#finish('done');
    this.#cancelWake();
    // The sleep is limited: the wall clock may be set forward, and timers do not follow it.
    const waitMs = Math.min(nextAtMs - this.#clock.now(), MAX_SLEEP_MS);
    this.#cancelWake = this.#clock.after(waitMs, () => this.#turn());
  }

  async #finish(ending: Ending): Promise<void> {
    this.#isOver = true;
    await this.#sync.last(this.crew.all);
    await this.dispatcher.release([...this.dispatcher.live.values()]);
    await this.#store.rerank(this.#newRanks);
    await this.#store.rerank(await this.#ranker.newRanks(true));
    if (ending !== 'interrupted') await this.#pageRanks.finish();
    this.#end.resolve(ending);
  }

  /**
   * Handles the death of a unit (W12). The page it was parsing is recorded as our fault,
   * its other URLs wait again, and a new unit replaces it.
   */
  async #bury(dead: UnitThread, cause: string): Promise<void> {
    if (this.#options.learnParameters) this.crew.setup.lessons = await lessonsInForce(this.#store);
    const killer = await this.#blame(dead);
    const replacement = this.crew.replace(dead, cause);
    if (this.#draining !== null) replacement?.post({ type: 'drain' });
    this.#answersNoMore(dead);
    if (killer !== null) this.#reports.push({ unit: dead, report: reportOf(killer), disowned: new Set() });
    this.#dead.push(dead);
    this.#turn();
  }

  async #blame(dead: UnitThread): Promise<UrlResult | null> {
    const id = dead.parsingId;
    const lease = [...this.dispatcher.live.values()].find((candidate) => candidate.shareOf(dead)?.ids.has(id));
    if (!lease) return null;
    const [planned] = this.crew.setup.refresh === null ? [] : await this.#store.revisits([id], lease.hostId);
    return internalErrorResult(planned ?? { id, url: '', failures: 0 }, lease.hostId, this.#clock.now());
  }

  #answersNoMore(unit: UnitThread): void {
    this.#sync.isDone(unit);
    this.#resting.isDone(unit);
    this.losing.isDone(unit);
  }

  #fail(error: unknown): void {
    this.#isOver = true;
    this.#end.reject(error);
  }
}
