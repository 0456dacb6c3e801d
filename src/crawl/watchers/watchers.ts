/**
 * The watchers of a refresh (W14): where a site has one, its report says what is looked at, and robots.txt still rules. In: the store, the seeds and the
 * options. Out, in the order of a round: what is to be looked at because a report says so, with a sample of what it is silent
 * about; once that is known, which hosts are led; and at the end the leases are given back.
 *
 * Always: what a report told is in the store before any of it is looked at, and its cursor with it, so that what a crash or a budget
 * leaves undone is done the next time. A watcher that cannot be read, or proves wrong, costs nothing but its own
 * questions: the ordinary schedule holds for its host, in the same round.
 */
import { randomBytes } from 'node:crypto';
import type { CommitReceipt, MarkUpdate, UrlResult } from '../../store/contract.ts';
import { unfinished } from '../unfinished.ts';
import { HostHold } from './host-hold.ts';
import type { LineSetup } from './host-line.ts';
import { LedPages, type PageIds } from './led-pages.ts';
import { lineSetup, type WatchersSetup } from './line-setup.ts';
import { WatchReader } from './watch-reader.ts';
import type { WatchedHost } from './watched-host.ts';
import type { WatcherSummary } from './watcher-summary.ts';
import { worthAsking } from './worth-asking.ts';

const DROPPED_AT_ONCE = 1_000;
/** Where few pages are wanted, twice as many each time. */
const SAMPLED_AT_ONCE = 64;
const SAMPLED_AT_MOST = 4_096;

/** Of these pages those that --only wants. */
type Wanted = (ids: readonly number[]) => Promise<readonly number[]>;

export class Watchers {
  readonly #setup: LineSetup;
  readonly #reader: WatchReader;
  readonly #seeds: readonly string[];
  readonly #dropped: (results: readonly UrlResult[], receipt: CommitReceipt) => void;
  #hosts = new Map<number, WatchedHost>();
  #isBegun = false;
  #led: LedPages;
  /** Of rounds that are over. */
  #summaries = new Map<string, WatcherSummary>();

  constructor(
    setup: WatchersSetup,
    dropped: (results: readonly UrlResult[], receipt: CommitReceipt) => void = () => {},
  ) {
    this.#setup = lineSetup(setup);
    this.#seeds = setup.seeds;
    this.#reader = new WatchReader(this.#setup);
    this.#dropped = dropped;
    this.#led = new LedPages(setup.store, new Map());
  }

  /** Reads the reports of a round, where that was not done. */
  async begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const { store, clock } = this.#setup;
    const hosts = await this.#reader.readAll(await worthAsking(store, this.#seeds, clock.now()), 'refresh');
    this.#hosts = new Map(hosts.map((host) => [host.record.hostId, host]));
  }

  /** Hosts that seem to have a watcher, for those who judge links. */
  get hosts(): string[] {
    const heard = [...this.#hosts.values()].filter(({ stance }) => stance !== 'failed' && stance !== 'held');
    return heard.map(({ record }) => record.host);
  }

  /** What reports told, most important first, and a sample of what they are silent about, from the pages that are `wanted`. */
  async firstLooks(wanted: Wanted): Promise<{ readonly told: readonly number[]; readonly silent: readonly number[] }> {
    const told: number[] = [];
    const silent: number[] = [];
    for (const host of this.#hosts.values()) {
      if (host.stance !== 'trying') continue;
      const looks = host.firstLooks();
      for (const id of looks) told.push(id);
      if (!host.report!.hasGap) for (const id of await this.#sampleOf(host, new Set(looks), wanted)) silent.push(id);
    }
    return { told, silent };
  }

  /**
   * By keys, which are as good as chance, from a random one on. What is not wanted is left out here and not later: a sample of
   * the whole host may have none of the few pages whose silence this round goes by.
   */
  async #sampleOf(host: WatchedHost, besides: ReadonlySet<number>, wanted: Wanted): Promise<number[]> {
    const sample: number[] = [];
    const start = randomBytes(16).toString('hex');
    const room = (): number => host.sampleSize - sample.length;
    let atOnce = SAMPLED_AT_ONCE;
    for (let after = start, isSecond = false; room() > 0; atOnce = Math.min(2 * atOnce, SAMPLED_AT_MOST)) {
      const pages = await this.#setup.store.hostPages(host.record.hostId, after, atOnce);
      const before = isSecond ? pages.filter(({ key }) => key <= start) : pages;
      const silent = before.filter(
        ({ id, state }) => (state === 'fetched' || state === 'duplicate') && !besides.has(id) && host.isSilentAbout(id),
      );
      const taken = new Set(await wanted(silent.map((page) => page.id)));
      // In the order of the keys: that of the ids is no chance, and would look at the oldest page each time.
      for (const { id } of silent) if (room() > 0 && taken.has(id)) sample.push(id);
      if (before.length === atOnce) after = before.at(-1)!.key;
      else if (isSecond) break;
      else [after, isSecond] = ['', true];
    }
    return sample;
  }

  /** Those looks are done: which watchers are believed, and what else is to be looked at. Nothing is dropped that is not `wanted`. */
  async settle(wanted: Wanted): Promise<number[]> {
    const looks: number[] = [];
    for (const host of this.#hosts.values()) {
      if (host.stance !== 'trying') continue;
      for (const id of await this.#judgeSuspects(host)) looks.push(id);
      host.decide();
      const { ids, mayDrop } = host.takeDeleted();
      if (mayDrop) await this.#drop(host, await wanted(ids));
      else for (const id of ids) looks.push(id);
      await this.#note(host);
    }
    const led = new Map<number, PageIds>();
    const held = new Set<number>();
    for (const [hostId, host] of this.#hosts) {
      if (host.stance === 'leading') led.set(hostId, host.untold);
      if (host.stance === 'held') held.add(hostId);
    }
    this.#led = new LedPages(this.#setup.store, led, held);
    return looks;
  }

  async #judgeSuspects(host: WatchedHost): Promise<readonly number[]> {
    if (!host.hasSuspects) return [];
    const again = await this.#reader.readAgain(host);
    host.judgeSuspects(again?.report ?? null);
    return again?.looks ?? [];
  }

  async #note(host: WatchedHost): Promise<void> {
    const news = host.takeNews();
    const { store, clock } = this.#setup;
    if (news !== null) await store.noteWatcher(host.record.hostId, news, clock.now());
  }

  get ledPages(): LedPages {
    return this.#led;
  }

  /** Pages that a believed watcher says are deleted leave the copy without a request. */
  async #drop(host: WatchedHost, ids: readonly number[]): Promise<void> {
    const { store, standing, options, clock } = this.#setup;
    const { owner } = standing;
    const { hostId } = host.record;
    const { patternBudget, learnParameters } = options;
    for (let from = 0; from < ids.length; from += DROPPED_AT_ONCE) {
      const held = await HostHold.take(hostId, this.#setup);
      // They stay marked, for another time.
      if (held === null) return;
      const nowMs = clock.now();
      const some = await store.revisits(ids.slice(from, from + DROPPED_AT_ONCE), hostId);
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

  isToldGone(id: number, hostId: number): boolean {
    return this.#hosts.get(hostId)?.isToldGone(id) ?? false;
  }

  /** What results say of the watchers, and what is marked from now on. */
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
   * When a host that is held may be asked again. Where that is past `upToMs` it is not waited for, but a lease is, for
   * its own time.
   */
  heldUntilMs(upToMs: number): number {
    let atMs = Number.POSITIVE_INFINITY;
    for (const { stance, heldUntilMs, isWaiting } of this.#hosts.values()) {
      if (stance === 'held' && (isWaiting || heldUntilMs <= upToMs)) atMs = Math.min(atMs, heldUntilMs);
    }
    return atMs;
  }

  /** Asks those again whose time has come. Returns the hosts that are ours now, or that have no report after all. */
  async retryHeld(nowMs: number): Promise<ReadonlySet<number>> {
    const freed = new Set<number>();
    for (const [hostId, host] of this.#hosts) {
      if (host.stance !== 'held' || host.heldUntilMs > nowMs) continue;
      const [again] = await this.#reader.readAll([host.record], 'refresh');
      if (again === undefined) this.#hosts.delete(hostId);
      else {
        again.questions += host.questions;
        this.#hosts.set(hostId, again);
      }
      if (again?.stance !== 'held') freed.add(hostId);
    }
    return freed;
  }

  /** Pages of hosts that another crawler has. */
  get heldPages(): number {
    const held = [...this.#hosts.values()].filter(({ stance }) => stance === 'held');
    return held.reduce((sum, { pages }) => sum + pages, 0);
  }

  /** The round is over: what the other looks have shown is counted, and the leases are given back. */
  async endRound(isHurried = false): Promise<void> {
    const hosts = [...this.#hosts.values()];
    for (const host of hosts) {
      if (!isHurried) await this.#judgeSuspects(host);
      await this.#note(host);
    }
    await this.#reader.releaseAll(hosts, isHurried);
    const nowMs = this.#setup.clock.now();
    for (const host of hosts) this.#summaries.set(host.record.host, host.summaryAt(nowMs));
    this.#hosts = new Map();
    this.#isBegun = false;
    this.#led = new LedPages(this.#setup.store, new Map());
  }

  /** The run is to end while reports are read: they are left for another time. Leases are given back all the same. */
  readNoMore(): void {
    this.#setup.reading.abort();
  }

  /** Nobody is asked any more, and leases end by themselves. */
  leave(): void {
    this.#setup.reading.abort();
    this.#setup.leaving.abort();
  }

  async close(): Promise<void> {
    await this.#setup.fetcher.close();
  }

  get summaries(): WatcherSummary[] {
    return [...this.#summaries.values()];
  }
}
