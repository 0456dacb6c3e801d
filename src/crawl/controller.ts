/**
 * The controller: the main thread of a crawl. It owns the state (store) and the division of work (dispatcher), has the
 * reports of the units committed, and decides when the crawl is over. It fetches and parses nothing itself.
 */
import type { Clock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import type { Store } from '../store/contract.ts';
import { ReportCommitter } from './commit-reports.ts';
import { CommitTurns } from './commit-turns.ts';
import type { CommittedPayloads } from './committed-payloads.ts';
import { ArchiveSync } from './crew/archive-sync.ts';
import { DeadUnits } from './crew/dead-units.ts';
import { StageMeter } from './crew/stage-meter.ts';
import { UnitBroadcast } from './crew/unit-broadcast.ts';
import { UnitCrew } from './crew/unit-crew.ts';
import { UnitDeaths, UnitMonitor } from './crew/unit-monitor.ts';
import type { UnitThread } from './crew/unit-thread.ts';
import { Dispatcher } from './dispatcher.ts';
import type { ProcessRole } from './process-role.ts';
import { PageRankKeeper } from './ranking/page-rank-keeper.ts';
import type { Ranker } from './ranking/ranker.ts';
import type { RunCounter } from './run-counter.ts';
import { answerFrom } from './unit/ask-controller.ts';
import type { FromUnit, UnitReport, UnitSetup } from './unit/messages.ts';
import type { Work } from './work.ts';

export type Ending = 'done' | 'limit' | 'interrupted';
/** The ending in a summary. A crawl has failed if the copy has no page; a refresh, if no page answered. */
export type RunEnding = Ending | 'failed';

const MAX_SLEEP_MS = 30_000;
const WATCH_EVERY_MS = 20_000;

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
  readonly crew: UnitCrew;
  readonly dispatcher: Dispatcher;
  /** Tells the units which hosts were lost to other workers, and waits until all units have confirmed. */
  readonly losing = new UnitBroadcast();
  readonly #parts: ControllerParts;
  readonly #sync: ArchiveSync;
  readonly #resting = new UnitBroadcast();
  readonly #end = Promise.withResolvers<Ending>();
  readonly #reports: ReportCommitter;
  readonly #deadUnits: DeadUnits;
  #committing = false;
  readonly #turns: CommitTurns;
  /** Results that arrived since the last turn began. */
  #gathered = 0;
  /** Something happened during the turn, so another turn follows. */
  #isTurnNeeded = false;
  #isOver = false;
  #draining: Ending | null = null;
  isAborted = false;
  readonly #watch: UnitMonitor;
  readonly #meter = new StageMeter(() => this.crew.all);
  #cancelWake: () => void = () => {};
  #cancelDrain: () => void = () => {};

  constructor(parts: ControllerParts) {
    const { store, options, setup, counter, ranker, payloads, units, clock, work, role } = parts;
    this.#parts = parts;
    this.#watch = new UnitMonitor(clock);
    this.#turns = new CommitTurns(role.gatherMs, () => this.#runTurn());
    this.#sync = new ArchiveSync(store, clock, (error) => this.#fail(error));
    this.crew = new UnitCrew(
      { ...setup, payloads: payloads.memory },
      units,
      new UnitDeaths(clock),
      (from, message) => this.#receive(from, message),
      (dead, cause) => void this.#deadUnits.replace(dead, cause).catch((error) => this.#fail(error)),
    );
    const { crew } = this;
    const { owner } = role;
    this.dispatcher = new Dispatcher({
      ...{ store, work, options, owner, clock },
      units: crew.units,
      batch: setup.window,
      mostOut: () => ranker.mostOut,
      everyUnit: () => crew.all,
    });
    const { dispatcher } = this;
    const pagesRanked = setup.refresh === null ? 0 : ranker.pages;
    this.#reports = new ReportCommitter({
      ...{ store, role, clock, options, work, counter, ranker, payloads, crew, dispatcher },
      writer: setup.writer,
      pageRanks: new PageRankKeeper(store, ranker, pagesRanked, role.ranking),
      sync: this.#sync,
    });
    this.#deadUnits = new DeadUnits({
      ...{ store, clock, crew, dispatcher },
      learnsParameters: options.learnParameters,
      isDraining: () => this.isDraining,
      onGone: (dead, report) => {
        this.#confirmAll(dead);
        if (report !== null) this.#reports.add(dead, report);
        this.#turn();
      },
    });
  }

  async run(): Promise<Ending> {
    const keepNoLeases = this.#parts.role.keepLeases((error) => this.#fail(error));
    const watching = setInterval(() => this.#watch.check(this.crew.all), WATCH_EVERY_MS);
    this.#meter.start();
    this.#drainIn(this.#parts.work.endsAtMs - this.#parts.clock.now());
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
      this.#meter.end();
    }
  }

  get counter(): RunCounter {
    return this.#parts.counter;
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
    this.#cancelDrain = this.#parts.clock.after(stepMs, () => {
      if (ms <= stepMs || this.#parts.clock.now() >= this.#parts.work.endsAtMs) this.drain('limit');
      else this.#drainIn(ms - stepMs);
    });
  }

  /** Call it while no work is in progress. The units close their archive files, which may then be rewritten. */
  async rest(): Promise<void> {
    await this.#resting.ask(this.crew.all, { type: 'rest' });
    this.#parts.payloads.clear();
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
      answerFrom(this.#parts.store, message).then(
        (answer) => unit.post(answer),
        (error) => this.#fail(error),
      );
    } else if (message.type === 'synced') {
      this.#sync.confirm(unit);
    } else if (message.type === 'rested') {
      this.#resting.confirm(unit);
    } else if (message.type === 'lost') {
      this.losing.confirm(unit);
    } else {
      // A drained unit answers no more messages, including a question that is already on its way.
      if (message.type === 'drained') this.#confirmAll(unit);
      if (message.type === 'report') this.#take(unit, message);
      // After a failure nothing more is committed, because the store may be closed already.
      if (!this.#isOver) this.#turn();
    }
  }

  #take(unit: UnitThread, report: UnitReport): void {
    this.counter.asked += report.answers.count;
    this.counter.unanswered += report.answers.failures;
    this.#gathered += report.results.length + report.same.ids.length;
    this.#reports.add(unit, report);
  }

  /** Only one turn runs at a time. A turn commits the reports, fills the units, and checks whether the run is over. */
  #turn(): void {
    this.#isTurnNeeded = true;
    const isUrgent = this.#draining !== null;
    if (this.#committing) {
      this.#turns.more(this.#gathered, isUrgent);
      return;
    }
    this.#committing = true;
    this.#turns.call(this.#gathered, isUrgent);
  }

  #runTurn(): void {
    this.#isTurnNeeded = false;
    this.#gathered = 0;
    this.#advance().then(
      () => {
        this.#committing = false;
        if (this.#isTurnNeeded && !this.#isOver) this.#turn();
      },
      (error) => this.#fail(error),
    );
  }

  async #advance(): Promise<void> {
    const dead = this.#deadUnits.take();
    await this.#reports.commit();
    for (const unit of dead) await this.dispatcher.abandon(unit);
    if (this.#draining === null) await this.dispatcher.fill();
    for (const unit of this.crew.takeFree()) await this.#dismiss(unit);
    await this.#endIfDone();
  }

  /** The unit has reported everything. It closes its archive when it drains. */
  async #dismiss(unit: UnitThread): Promise<void> {
    await this.dispatcher.abandon(unit);
    unit.post({ type: 'drain' });
    this.#sync.confirm(unit);
  }

  /** These hosts were lost. Reports that have arrived so far do not count for later leases of these hosts. */
  readonly disown = (hostIds: readonly number[]): void => this.#reports.disown(hostIds);

  async #endIfDone(): Promise<void> {
    const { live, out } = this.dispatcher;
    if (this.#draining !== null) {
      if (!this.crew.all.every((unit) => unit.drained) || !this.#reports.isEmpty) return;
      return this.#finish(this.#draining);
    }
    if (out > 0 || !this.#reports.isEmpty) return;
    if (this.#parts.work.isSpent) return this.#finish('limit');
    if (live.size > 0) return;
    const nextAtMs = await this.#parts.work.nextAtMs();
    if (nextAtMs === null) return this.#finish('done');
    this.#cancelWake();
    // The sleep is limited: the wall clock may be set forward, and timers do not follow it.
    const waitMs = Math.min(nextAtMs - this.#parts.clock.now(), MAX_SLEEP_MS);
    this.#cancelWake = this.#parts.clock.after(waitMs, () => this.#turn());
  }

  async #finish(ending: Ending): Promise<void> {
    this.#isOver = true;
    await this.#sync.last(this.crew.all);
    await this.dispatcher.release([...this.dispatcher.live.values()]);
    await this.#reports.finishCanonicals(ending === 'interrupted');
    await this.#reports.finishRanks(ending === 'interrupted');
    this.#end.resolve(ending);
  }

  /** The unit answers no more messages. */
  #confirmAll(unit: UnitThread): void {
    this.#sync.confirm(unit);
    this.#resting.confirm(unit);
    this.losing.confirm(unit);
  }

  #fail(error: unknown): void {
    this.#isOver = true;
    this.#end.reject(error);
  }
}
