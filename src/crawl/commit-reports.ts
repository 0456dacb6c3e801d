/**
 * Commits the reports of the units. In: reports. Out: results in the store, receipts to the units, and new knowledge
 * (moved seeds, lessons, ranks, manners of hosts) for all parts that need it.
 *
 * Reports that arrive during a commit are committed together in the next one, so batches grow with the load (C3, C13).
 */
import type { Clock } from '../core/clock.ts';
import { type CrawlEvents, isHeard, publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { inStage } from '../core/stage-events.ts';
import type { ArchivePlace, CommitBatch, CommitReceipt, FoundUrl, NewRank, Store } from '../store/contract.ts';
import type { CommittedPayloads } from './committed-payloads.ts';
import type { ArchiveSync } from './crew/archive-sync.ts';
import { joinReports } from './crew/join-reports.ts';
import type { UnitCrew } from './crew/unit-crew.ts';
import type { UnitThread } from './crew/unit-thread.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { ProcessRole } from './process-role.ts';
import type { PageRankKeeper } from './ranking/page-rank-keeper.ts';
import type { Ranker } from './ranking/ranker.ts';
import type { RunCounter } from './run-counter.ts';
import type { UnitReport } from './unit/messages.ts';
import type { Work } from './work.ts';

/** A unit report that is not committed yet. */
interface WaitingReport {
  readonly unit: UnitThread;
  readonly report: UnitReport;
  /** Hosts that were lost after the report arrived. Their URLs are no longer out, or they are out under a new lease. */
  readonly disowned: Set<number>;
}

export interface CommitterParts {
  readonly store: Store;
  readonly role: ProcessRole;
  readonly clock: Clock;
  readonly options: CrawlOptions;
  readonly work: Work;
  /** The place of the archive files of a worker in a cluster. */
  readonly writer: ArchivePlace | undefined;
  readonly counter: RunCounter;
  readonly ranker: Ranker;
  readonly pageRanks: PageRankKeeper;
  readonly payloads: CommittedPayloads;
  readonly sync: ArchiveSync;
  readonly crew: UnitCrew;
  readonly dispatcher: Dispatcher;
}

export class ReportCommitter {
  readonly #parts: CommitterParts;
  #reports: WaitingReport[] = [];
  /** Written with the next commit. */
  /** At first it is not known whether an earlier run has left any. */
  #hasCanonicalsLeft = true;
  #newRanks: readonly NewRank[] = [];

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  add(unit: UnitThread, report: UnitReport): void {
    this.#reports.push({ unit, report, disowned: new Set() });
  }

  get isEmpty(): boolean {
    return this.#reports.length === 0;
  }

  /** These hosts were lost. Reports that have arrived so far do not count for later leases of these hosts. */
  disown(hostIds: readonly number[]): void {
    for (const { disowned } of this.#reports) for (const id of hostIds) disowned.add(id);
  }

  /** Commits all reports that have arrived. */
  async commit(): Promise<void> {
    if (this.isEmpty) return;
    const { role, work, ranker, payloads, dispatcher, crew, sync } = this.#parts;
    await role.mayCommit();
    const reports = this.#reports;
    this.#reports = [];
    await this.#followSeeds(reports);
    const batch = this.#batchOf(reports.map(({ report }) => report));
    ranker.beforeCommit(batch);
    const receipt = await this.#write(batch);
    await this.#settleCanonicals(receipt);
    work.after(batch, receipt);
    payloads.add(batch.results, receipt);
    ranker.afterCommit(batch.results, receipt);
    this.#newRanks = await inStage('rank', null, () => ranker.newRanks());
    await this.#parts.pageRanks.step(batch.results.reduce((pages, { page }) => pages + (page === null ? 0 : 1), 0));
    dispatcher.expect(hostsFound(batch));
    if (receipt.sharedManners) dispatcher.learnShared(receipt.sharedManners);
    await this.#spreadLessons(receipt);
    for (const [hostId, urls] of receipt.abandoned) if (urls > 0) dispatcher.recall(hostId);
    let at = 0;
    for (const { unit, report, disowned } of reports) {
      const linkIds = receipt.linkIds.slice(at, at + report.results.length);
      at += report.results.length;
      this.#settle(unit, report, disowned);
      if (report.results.length + report.same.ids.length > 0) unit.post({ type: 'receipt', linkIds });
    }
    sync.nowAndThen(crew.all);
    if (receipt.discovered > 0) role.workFound();
  }

  /** Judges a few of the pages that commits left, so that the commits of a run stay short. */
  async #settleCanonicals({ canonicalsLeft }: CommitReceipt): Promise<void> {
    if (!this.#hasCanonicalsLeft && !canonicalsLeft) return;
    const { store, clock } = this.#parts;
    this.#hasCanonicalsLeft = await store.settleCanonicals(clock.now());
  }

  /** Judges all pages that commits left. An interrupted run leaves them for the next run. */
  async finishCanonicals(isInterrupted: boolean): Promise<void> {
    const { store, clock } = this.#parts;
    while (!isInterrupted && (await store.settleCanonicals(clock.now())));
  }

  /** Stores the ranks at the end of a run. PageRank is computed only if the run was not interrupted. */
  async finishRanks(isInterrupted: boolean): Promise<void> {
    const { store, ranker, pageRanks } = this.#parts;
    await store.rerank(this.#newRanks);
    await store.rerank(await ranker.newRanks(true));
    if (!isInterrupted) await pageRanks.finish();
  }

  async #write(batch: CommitBatch): Promise<CommitReceipt> {
    const { store, counter } = this.#parts;
    const startMs = performance.now();
    const receipt = await inStage('commit', null, () => store.commit(batch));
    counter.add(batch.results, receipt);
    counter.hear(batch.hosts);
    if (isHeard('crawl/commit')) publish('crawl/commit', commitEvent(batch, receipt, performance.now() - startMs));
    return receipt;
  }

  /**
   * URLs that were skipped because of a refuted lesson wait again. Their hosts may have seemed to have no more URLs.
   */
  async #spreadLessons({ lessons, released }: CommitReceipt): Promise<void> {
    const { dispatcher, crew, role } = this.#parts;
    if (released.size > 0) dispatcher.expect(new Set(released.keys()));
    if (lessons.length === 0) return;
    crew.broadcast({ type: 'lessons', lessons });
    await role.lessonsChanged();
    for (const { host, space, name, verdict } of lessons) publish('crawl/lesson', { host, space, name, verdict });
  }

  /**
   * Moved seeds are stored before the commit that makes the new URLs known.
   * Every unit learns of them before these URLs are handed out.
   */
  async #followSeeds(reports: readonly WaitingReport[]): Promise<void> {
    const { crew, role } = this.#parts;
    for (const { unit, report } of reports) {
      for (const url of report.movedSeeds) {
        crew.setup.seeds.push(url);
        crew.broadcast({ type: 'seed', url }, unit);
        await role.seedMoved(url);
      }
    }
  }

  #batchOf(reports: readonly UnitReport[]): CommitBatch {
    const { options, role, clock, writer, work, dispatcher } = this.#parts;
    const { patternBudget, learnParameters, nearDuplicate } = options;
    const rules = { patternBudget, learnParameters, nearDuplicate };
    const joined = joinReports(reports);
    const hosts = joined.hosts.map((update) => dispatcher.live.get(update.hostId)?.joined(update) ?? update);
    const batch = { owner: role.owner, nowMs: clock.now(), ...joined, hosts, ranks: this.#newRanks, ...rules };
    return { ...batch, ...(writer && { archivePlace: writer }), ...work.before(batch) };
  }

  #settle(unit: UnitThread, report: UnitReport, disowned: ReadonlySet<number>): void {
    const { dispatcher } = this.#parts;
    const leaseOf = (hostId: number) => (disowned.has(hostId) ? undefined : dispatcher.live.get(hostId));
    for (const { id, hostId } of report.results) leaseOf(hostId)?.settle(unit, id);
    for (const [i, id] of report.same.ids.entries()) leaseOf(report.same.hostIds[i]!)?.settle(unit, id);
    for (const { hostId, ids } of report.returned) leaseOf(hostId)?.takeBack(unit, ids);
    for (const hostId of report.wantsMore) {
      const share = leaseOf(hostId)?.shareOf(unit);
      if (share) share.wantsMore = true;
    }
    for (const update of report.hosts) if (!disowned.has(update.hostId)) dispatcher.learn(unit, update);
  }
}

export function commitEvent(
  batch: Pick<CommitBatch, 'results'>,
  receipt: CommitReceipt,
  tookMs: number,
): CrawlEvents['crawl/commit'] {
  const results = batch.results.map(({ id, reason, page }, i) => ({
    id,
    state: receipt.states[i] ?? null,
    reason,
    bytes: page?.bytes ?? 0,
  }));
  return { results, discovered: receipt.discovered, tookMs };
}

/** The hosts where a committed batch may have added waiting URLs. */
export function hostsFound({ results, found }: CommitBatch): ReadonlySet<string> {
  const hosts = new Set<string>();
  let lastHost = '';
  const add = (link: FoundUrl | null | undefined): void => {
    // The links of one page lead to few hosts, and links in a row mostly lead to the same host.
    if (!link || link.skip !== null || link.host === lastHost) return;
    lastHost = link.host;
    hosts.add(lastHost);
  };
  for (const { foundLinks, redirectTo, standIn, page } of results) {
    for (const link of foundLinks) add(link);
    add(redirectTo);
    add(standIn);
    add(page?.canonical);
  }
  for (const link of found) add(link);
  return hosts;
}
