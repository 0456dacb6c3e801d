/**
 * Connects a controller with the cluster. It reports the held hosts, passes on lost hosts and the findings of other
 * workers, tells other workers about findings here, and sets the parallelism of the worker once a second (W12).
 */
import type { LeaseGuard } from '../../core/lease-expiry.ts';
import type { CrawlOptions } from '../../core/options/options.ts';
import type { Cluster, WorkerNews } from '../../store/cluster.ts';
import type { HostLease, Store } from '../../store/contract.ts';
import type { Controller } from '../controller.ts';
import type { UnitThread } from '../crew/unit-thread.ts';
import type { ProcessRole } from '../process-role.ts';
import type { RankingTurn } from '../ranking/page-rank-keeper.ts';
import type { ClusterClock } from '../unit/cluster-clock.ts';
import type { ClusterWork } from './cluster-work.ts';
import { HostHolds, HostLosses } from './drop-lost-hosts.ts';
import { AnswerTime, type HostDemand, hostDemandOf, Pace } from './host-demand.ts';
import { lastUrlId } from './last-url-id.ts';
import type { Filling, LeaseTaker } from './lease-taker.ts';
import type { Member, Membership } from './membership.ts';
import type { PageTickets } from './page-tickets.ts';
import { Parallelism } from './parallelism.ts';
import type { SharedNotes } from './shared-notes.ts';

/** Whether hosts are being claimed now, and how to make it look for hosts. */
export type ClaimingWork = Pick<ClusterWork, 'isClaiming' | 'expect' | 'hostsWanted'> & {
  /** Absent if hosts are kept until they are finished. */
  handsOver?(): void;
};

const ADJUST_EVERY_MS = 1_000;
/** At ten pages a second a commit then has two pages instead of one, which halves the load of the server. */
const GATHER_MS = 200;

/** The status of a worker that is still loading the existing state. */
const NOTHING_YET: WorkerNews = {
  pages: 0,
  pagesPerSecond: 0,
  failures: 0,
  rssMb: 0,
  liveHosts: 0,
  underWay: 0,
  units: 1,
  window: 0,
  isIdle: true,
  isDraining: false,
  hostsWanted: 0,
  lastError: null,
};

export interface MemberParts {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly membership: Membership;
  readonly clock: ClusterClock;
  readonly notes: SharedNotes;
  readonly leases: LeaseTaker;
  readonly tickets: PageTickets | null;
  readonly options: CrawlOptions;
  readonly maxUnits: number;
  /** Where it serves its archive files. */
  readonly serves: string | null;
}

export class ClusterMember implements ProcessRole, Member {
  readonly owner: string;
  readonly gatherMs = GATHER_MS;
  readonly ranking: RankingTurn;
  readonly guard: LeaseGuard;
  readonly #parts: MemberParts;
  readonly #parallelism: Parallelism;
  readonly #pace = new Pace();
  readonly #answerTime = new AnswerTime();
  readonly #holds = new HostHolds();
  #controller: Controller | null = null;
  #work: ClaimingWork | null = null;
  #losses: HostLosses | null = null;
  #pagesAtStart = 0;
  /** Set if draining was requested before there was a controller. */
  #isDrainAsked = false;
  #asked = 0;
  #unanswered = 0;

  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.owner = parts.membership.owner;
    this.guard = parts.leases.guard;
    this.#parallelism = new Parallelism({ units: parts.maxUnits, window: parts.options.concurrency });
    this.ranking = {
      // The worker with the lowest run number computes the ranks. If two workers do so for a
      // moment, they compute the same.
      isOwnTurn: () => parts.membership.others.every(({ owner }) => runOf(owner) > runOf(this.owner)),
      lastId: () => lastUrlId(parts.store),
      pages: async () => {
        const { states } = await parts.store.counts();
        return states.fetched + states.duplicate;
      },
      urls: async () => Object.values((await parts.store.counts()).states).reduce((sum, count) => sum + count, 0),
    };
  }

  /** The initial number of requests that a unit may have in progress. */
  get firstWindow(): number {
    return this.#parallelism.window;
  }

  /**
   * Other workers use the time of the server: a lease that begins while our clock is behind
   * must not end earlier for them.
   */
  get leaseMs(): number {
    return this.#parts.membership.leaseMs + this.#parts.clock.behindMs;
  }

  attach(controller: Controller, work: ClaimingWork): void {
    this.#controller = controller;
    this.#work = work;
    this.#pagesAtStart = controller.counter.pages;
    this.#parts.notes.listen((seeds, lessons, changed) => controller.crew.adopt(seeds, lessons, changed));
    const { leases } = this.#parts;
    this.#losses = new HostLosses({ controller, leases, release: (ids) => this.#releaseUnheld(ids) });
    if (this.#isDrainAsked) controller.drain();
  }

  keepLeases(): () => void {
    const timer = setInterval(() => this.#adjust(), ADJUST_EVERY_MS);
    return () => clearInterval(timer);
  }

  take(lease: () => Promise<readonly HostLease[]>, fill?: Filling): Promise<readonly HostLease[] | null> {
    return this.#parts.leases.take(lease, fill);
  }

  hold(hostId: number, onLoss: () => void): () => void {
    return this.#holds.add(hostId, onLoss);
  }

  catchUp(): Promise<void> {
    return this.#parts.leases.catchUp();
  }

  /**
   * A worker that was frozen first learns which hosts it lost. The store then refuses its results
   * for them, and they count against no limit.
   */
  mayCommit(): Promise<void> {
    return this.#parts.membership.whenValid();
  }

  async seedMoved(url: string): Promise<void> {
    await this.#parts.cluster.addMovedSeed(url);
  }

  async lessonsChanged(): Promise<void> {
    await this.#parts.cluster.noteChanged();
  }

  async isAtWork(owner: string): Promise<boolean> {
    const workers = await this.#parts.cluster.workers();
    return workers.some((worker) => worker.owner === owner && worker.isAlive);
  }

  async hostIsCovered(): Promise<void> {
    await this.#parts.cluster.noteChanged();
  }

  workFound(): void {
    this.#parts.membership.wakeOthers();
  }

  held(): { readonly hostIds: readonly number[]; readonly isWhole: boolean } {
    return {
      hostIds: [...new Set([...(this.#controller?.dispatcher.live.keys() ?? []), ...this.#holds.hostIds])],
      isWhole: this.#work?.isClaiming === false,
    };
  }

  /** How many more hosts it could serve. */
  hostDemand(): HostDemand {
    const { options, clock } = this.#parts;
    const { pagesPerSecond } = this.#pace;
    const ability = { window: this.#parallelism.window, pagesPerSecond, answerMs: this.#answerTime.ms };
    return hostDemandOf(this.#controller?.dispatcher.live.values() ?? [], ability, options, clock);
  }

  news(): WorkerNews {
    const controller = this.#controller;
    const lastError = this.#parts.membership.trouble;
    const { serves } = this.#parts;
    if (controller === null) return { ...NOTHING_YET, lastError, serves };
    return {
      pages: controller.counter.pages - this.#pagesAtStart,
      pagesPerSecond: this.#pace.pagesPerSecond,
      failures: controller.counter.unanswered,
      rssMb: Math.round(process.memoryUsage.rss() / 1_048_576),
      liveHosts: controller.dispatcher.live.size,
      underWay: underWay(controller.crew.units),
      units: controller.crew.units.length,
      window: this.#parallelism.window,
      isIdle: controller.dispatcher.out === 0,
      isDraining: controller.isDraining,
      hostsWanted: this.#hostsWanted(controller),
      lastError,
      serves,
    };
  }

  #hostsWanted({ isDraining }: Controller): number {
    return isDraining || this.#parts.tickets?.areGone ? 0 : this.#work!.hostsWanted;
  }

  async lose(hostIds: readonly number[] | null, asOfMs: number): Promise<void> {
    if (hostIds === null) this.#parts.tickets?.forfeit();
    const lost = hostIds ?? this.held().hostIds;
    this.#holds.lose(lost, asOfMs);
    await this.#losses?.lose(lost, asOfMs);
  }

  renewed(): void {
    this.#controller?.crew.broadcast({ type: 'renewed' });
    this.#controller?.wake();
  }

  handOver(hostIds: readonly number[]): void {
    if (!this.#work?.handsOver) return;
    this.#controller?.dispatcher.handOver(hostIds);
    if (hostIds.length > 0) this.#work.handsOver();
  }

  async free(hostIds: readonly number[]): Promise<void> {
    await this.#parts.leases.exclusively(() => this.#releaseUnheld(hostIds));
  }

  /**
   * Releases hosts that nothing here works on. They may have been asked up to now, because
   * the last request to them is not known.
   */
  async #releaseUnheld(hostIds: readonly number[]): Promise<void> {
    const { store, clock } = this.#parts;
    const held = new Set(this.held().hostIds);
    const nowMs = clock.now();
    const unheld = hostIds.filter((id) => !held.has(id));
    await store.release(this.owner, unheld, nowMs, nowMs + clock.behindMs);
  }

  async updateNotes(version: number): Promise<void> {
    // Before there are units, the setup reads the notes itself, and its version may be older.
    if (this.#controller !== null) await this.#parts.notes.readUpTo(version);
  }

  drain(): void {
    if (this.#controller === null) this.#isDrainAsked = true;
    else this.#controller.drain();
  }

  wake(): void {
    this.#work?.expect();
    this.#controller?.wake();
  }

  /**
   * Measures and adjusts once a second. It also looks for work that other workers found: a worker with
   * only slow hosts rarely does so otherwise.
   */
  #adjust(): void {
    const controller = this.#controller!;
    const { counter } = controller;
    const { units } = controller.crew;
    this.#pace.add(counter.pages - this.#pagesAtStart);
    this.#answerTime.add(counter.asked - this.#asked, underWay(units), ADJUST_EVERY_MS);
    const before = { units: units.length, window: this.#parallelism.window };
    this.#parallelism.adjust({
      busyShare: units.reduce((sum, unit) => sum + unit.busyShare(), 0) / units.length,
      usedShare: Math.min(1, underWay(units) / before.window),
      answers: counter.asked - this.#asked,
      failures: counter.unanswered - this.#unanswered,
      memoryShare: memoryShare(),
    });
    this.#asked = counter.asked;
    this.#unanswered = counter.unanswered;
    if (!controller.isDraining) controller.crew.resize(this.#parallelism.units);
    const window = Math.ceil(this.#parallelism.window / this.#parallelism.units);
    if (before.units !== units.length || before.window !== this.#parallelism.window) {
      controller.crew.broadcast({ type: 'window', window });
    }
    this.#share(controller);
    const { membership } = this.#parts;
    if (this.#hostsWanted(controller) > 0) membership.askForHosts();
    else membership.stopAskingForHosts();
    controller.wake();
  }

  /** Errors are ignored: the next call tries again. */
  #share(controller: Controller): void {
    const { others } = this.#parts.membership;
    const idle = others.filter(({ isIdle, hostsWanted }) => isIdle && hostsWanted > 0).length;
    if (idle > 0 && !controller.isDraining) controller.dispatcher.shareWith(idle).catch(() => {});
  }
}

function underWay(units: readonly UnitThread[]): number {
  return units.reduce((sum, unit) => sum + unit.underWay, 0);
}

function runOf(owner: string): number {
  return Number(owner.slice(owner.lastIndexOf('#') + 1));
}

/** The used share of the memory that this process has or can still get. */
function memoryShare(): number {
  const rss = process.memoryUsage.rss();
  return rss / (rss + process.availableMemory());
}
