/**
 * The watchers of a refresh (W14): if a site has one, its report decides which pages are visited, within robots.txt.
 * In: the store, the seeds and the options. Out, in the order of a round: the pages to visit because of a report, with
 * a sample of unreported pages; after these visits, the led hosts; and at the end the leases are released.
 *
 * What always holds: the changes of a report and its cursor are in the store before the first of them is visited, so
 * visits that a crash or a budget prevents happen the next time. A watcher that cannot be read, or proves wrong, costs
 * only the requests to it: the ordinary schedule applies to its host in the same round.
 */
import { randomBytes } from 'node:crypto';
import type { CommitReceipt, MarkUpdate, UrlResult } from '../../store/contract.ts';
import { unfinished } from '../unit/unfinished.ts';
import { CoveredPages, type PageIds } from './covered-pages.ts';
import { HostHold } from './host-hold.ts';
import { hostsToAsk } from './hosts-to-ask.ts';
import type { WatchedHost } from './watched-host.ts';
import { WatcherRun, type WatchersSetup } from './watcher-run.ts';
import type { WatcherSummary } from './watcher-summary.ts';

const DROPPED_AT_ONCE = 1_000;
/** Doubled after each query, because few of the pages may be wanted. */
const SAMPLED_AT_ONCE = 64;
const MAX_SAMPLED_AT_ONCE = 4_096;

/** Filters page ids by --only. */
type Wanted = (ids: readonly number[]) => Promise<readonly number[]>;

export class Watchers extends WatcherRun {
  readonly #seeds: readonly string[];
  readonly #dropped: (results: readonly UrlResult[], receipt: CommitReceipt) => void;
  #hosts = new Map<number, WatchedHost>();
  #isBegun = false;
  #led: CoveredPages;
  /** Summaries of finished rounds. */
  #summaries = new Map<string, WatcherSummary>();

  constructor(
    setup: WatchersSetup,
    dropped: (results: readonly UrlResult[], receipt: CommitReceipt) => void = () => {},
  ) {
    super(setup);
    this.#seeds = setup.seeds;
    this.#dropped = dropped;
    this.#led = new CoveredPages(setup.store, new Map());
  }

  /** Reads the reports of the round, unless that was done. */
  async begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const { store, clock } = this.setup;
    const hosts = await this.reader.readAll(await hostsToAsk(store, this.#seeds, clock.now()), 'refresh');
    this.#hosts = new Map(hosts.map((host) => [host.record.hostId, host]));
  }

  get hosts(): string[] {
    const heard = [...this.#hosts.values()].filter(({ stance }) => stance !== 'failed' && stance !== 'held');
    return heard.map(({ record }) => record.host);
  }

  /**
   * The reported pages, most important first, and a sample of unreported pages. The sample
   * is taken from the `wanted` pages.
   */
  async firstVisits(
    wanted: Wanted,
  ): Promise<{ readonly reported: readonly number[]; readonly unreported: readonly number[] }> {
    const reported: number[] = [];
    const unreported: number[] = [];
    for (const host of this.#hosts.values()) {
      if (host.stance !== 'trying') continue;
      const visits = host.firstVisits();
      for (const id of visits) reported.push(id);
      if (!host.report!.hasGap)
        for (const id of await this.#sampleOf(host, new Set(visits), wanted)) unreported.push(id);
    }
    return { reported, unreported };
  }

  /**
   * Walks the keys, which are as good as random, from a random key on. Unwanted pages are filtered here and not later:
   * a sample of the whole host may contain none of the few wanted pages.
   */
  async #sampleOf(host: WatchedHost, besides: ReadonlySet<number>, wanted: Wanted): Promise<number[]> {
    const sample: number[] = [];
    const start = randomBytes(16).toString('hex');
    const room = (): number => host.sampleSize - sample.length;
    let atOnce = SAMPLED_AT_ONCE;
    for (let after = start, isSecond = false; room() > 0; atOnce = Math.min(2 * atOnce, MAX_SAMPLED_AT_ONCE)) {
      const pages = await this.setup.store.hostPages(host.record.hostId, after, atOnce);
      const before = isSecond ? pages.filter(({ key }) => key <= start) : pages;
      const unreported = before.filter(
        ({ id, state }) => (state === 'fetched' || state === 'duplicate') && !besides.has(id) && host.isUnreported(id),
      );
      const taken = new Set(await wanted(unreported.map((page) => page.id)));
      // In the order of the keys: the order of the ids is not random, and would choose the oldest page each time.
      for (const { id } of unreported) if (room() > 0 && taken.has(id)) sample.push(id);
      if (before.length === atOnce) after = before.at(-1)!.key;
      else if (isSecond) break;
      else [after, isSecond] = ['', true];
    }
    return sample;
  }

  /**
   * Called after the first visits: decides which watchers are trusted, and returns further pages
   * to visit. Only `wanted` pages are dropped.
   */
  async settle(wanted: Wanted): Promise<number[]> {
    const visits: number[] = [];
    for (const host of this.#hosts.values()) {
      if (host.stance !== 'trying') continue;
      for (const id of await this.#judgeSuspects(host)) visits.push(id);
      host.decide();
      const { ids, mayDrop } = host.takeDeleted();
      if (mayDrop) await this.#drop(host, await wanted(ids));
      else for (const id of ids) visits.push(id);
      await this.#note(host);
    }
    const led = new Map<number, PageIds>();
    const held = new Set<number>();
    for (const [hostId, host] of this.#hosts) {
      if (host.stance === 'leading') led.set(hostId, host.ordinaryPages);
      if (host.stance === 'held') held.add(hostId);
    }
    this.#led = new CoveredPages(this.setup.store, led, held);
    return visits;
  }

  async #judgeSuspects(host: WatchedHost): Promise<readonly number[]> {
    if (!host.hasSuspects) return [];
    const again = await this.reader.readAgain(host);
    host.judgeSuspects(again?.report ?? null);
    return again?.visits ?? [];
  }

  async #note(host: WatchedHost): Promise<void> {
    const news = host.takeNews();
    const { store, clock } = this.setup;
    if (news !== null) await store.noteWatcher(host.record.hostId, news, clock.now());
  }

  get ledPages(): CoveredPages {
    return this.#led;
  }

  /** Drops the pages that a trusted watcher reports as deleted, without a request. */
  async #drop(host: WatchedHost, ids: readonly number[]): Promise<void> {
    const { store, role, options, clock } = this.setup;
    const { owner } = role;
    const { hostId } = host.record;
    const { patternBudget, learnParameters } = options;
    for (let from = 0; from < ids.length; from += DROPPED_AT_ONCE) {
      const held = await HostHold.take(hostId, this.setup);
      // The pages stay marked for another time.
      if (held === null) return;
      const nowMs = clock.now();
      const some = await store.revisits(ids.slice(from, from + DROPPED_AT_ONCE));
      const results = some.map(({ id, url, earlier }) => ({
        ...unfinished(id, url, hostId),
        state: 'gone' as const,
        reason: 'gone-by-watcher' as const,
        revisit: { sinceMs: earlier!.checkedAtMs, checkedAtMs: nowMs, finding: 'gone' as const, change: null },
      }));
      const marks = results.map(({ id }) => ({ id, hostId, mark: null }));
      const nothing = { hosts: [], found: [], archive: new Map<string, number>(), ranks: [] };
      const receipt = await store.commit({ owner, nowMs, results, marks, ...nothing, patternBudget, learnParameters });
      await held.hold.giveBack();
      this.#dropped(results, receipt);
      host.wereDropped(some.filter((_, i) => receipt.states[i] !== null).map(({ id }) => id));
    }
  }

  isReportedGone(id: number, hostId: number): boolean {
    return this.#hosts.get(hostId)?.isReportedGone(id) ?? false;
  }

  /** Counts what the results say about the watchers, and returns the new marks. */
  observe(results: readonly UrlResult[]): MarkUpdate[] {
    const marks: MarkUpdate[] = [];
    if (this.#hosts.size === 0) return marks;
    for (const result of results) {
      const update = this.#hosts.get(result.hostId)?.observe(result);
      if (update) marks.push({ id: result.id, hostId: result.hostId, ...update });
    }
    return marks;
  }

  /**
   * When the next held host may be asked again. A host that is held past `upToMs` is not waited for, unless it waits
   * for a lease: that wait has its own limit.
   */
  heldUntilMs(upToMs: number): number {
    let atMs = Number.POSITIVE_INFINITY;
    for (const { stance, heldUntilMs, isWaiting } of this.#hosts.values()) {
      if (stance === 'held' && (isWaiting || heldUntilMs <= upToMs)) atMs = Math.min(atMs, heldUntilMs);
    }
    return atMs;
  }

  /**
   * Asks the held hosts whose time has come. Returns the hosts that are ours now, or that turned out to have no report.
   */
  async retryHeld(nowMs: number): Promise<ReadonlySet<number>> {
    const freed = new Set<number>();
    for (const [hostId, host] of this.#hosts) {
      if (host.stance !== 'held' || host.heldUntilMs > nowMs) continue;
      const [again] = await this.reader.readAll([host.record], 'refresh');
      if (again === undefined) this.#hosts.delete(hostId);
      else {
        again.questions += host.questions;
        this.#hosts.set(hostId, again);
      }
      if (again?.stance !== 'held') freed.add(hostId);
    }
    return freed;
  }

  /** Pages of held hosts. */
  get heldPages(): number {
    const held = [...this.#hosts.values()].filter(({ stance }) => stance === 'held');
    return held.reduce((sum, { pages }) => sum + pages, 0);
  }

  /** Ends the round: counts the results of the other visits and releases the leases. */
  async endRound(isHurried = false): Promise<void> {
    const hosts = [...this.#hosts.values()];
    for (const host of hosts) {
      if (!isHurried) await this.#judgeSuspects(host);
      await this.#note(host);
    }
    await this.reader.releaseAll(hosts, isHurried);
    const nowMs = this.setup.clock.now();
    for (const host of hosts) this.#summaries.set(host.record.host, host.summaryAt(nowMs));
    this.#hosts = new Map();
    this.#isBegun = false;
    this.#led = new CoveredPages(this.setup.store, new Map());
  }

  get summaries(): WatcherSummary[] {
    return [...this.#summaries.values()];
  }
}
