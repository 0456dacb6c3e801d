/**
 * One host with a watcher, in one round of a refresh. In: what its report told, and what looks at its pages find. Out: whether its silence
 * is believed (watcher-trust.ts), and what becomes of the marks of its pages.
 */

import { randomInt } from 'node:crypto';
import type { MarkedUrl, MarkUpdate, UrlResult, WatcherNews, WatcherRecord, WatchMark } from '../../store/contract.ts';
import type { LeaseWait } from './lease-wait.ts';
import type { PageIds } from './led-pages.ts';
import type { WholeReport } from './read-report.ts';
import { REPORT_FAULTS, type ReportFault } from './report.ts';
import type { ReportTaker } from './report-taker.ts';
import type { WatcherLease } from './watcher-lease.ts';
import type { Stance, WatcherSummary } from './watcher-summary.ts';
import { DELETED_SAMPLE, WatcherTrust } from './watcher-trust.ts';

/** The last moment that a Date can be. */
const LAST_TIME_MS = 8.64e15;

export class WatchedHost {
  readonly record: WatcherRecord;
  /** Pages of it that the copy has. */
  readonly pages: number;
  readonly lease: WatcherLease;
  /** Where its report was asked for last. */
  url = '';
  stance: Stance = 'trying';
  fault: ReportFault | null = null;
  heldBy = '';
  /** Of a host that is held: when it is asked again. */
  heldUntilMs = 0;
  /** The wait for the lease, where another crawler holds it. */
  wait: LeaseWait | null;
  hasLease = false;
  /** When its first report of the round was read; 0 before that. */
  heardAtMs = 0;
  /** The last report that was read whole. */
  report: WholeReport | null = null;
  cursor: string | null;
  /** Of a crawl: what is to be noted when it is over. */
  listing: { readonly taker: ReportTaker; readonly isWhole: boolean; readonly cursor: string } | null = null;
  dropped = 0;
  questions = 0;
  #told = 0;
  readonly #trust: WatcherTrust;
  /** What is owed a look, as the report says: in its order. */
  readonly #owed = new Map<number, 'changed' | 'gone'>();
  /** What it does not tell of; and what its silence was worth nothing about, until somebody has looked. */
  readonly #besides = new Map<number, 'untold' | 'unseen'>();
  /** Of the copy, and not in the listing: they are looked at once, and go by the ordinary schedule. */
  #unnamed: readonly number[] = [];
  /** Told to be deleted, and looked at only if those of the sample turn out to be there. */
  #deletedLater: number[] = [];

  constructor(record: WatcherRecord, pages: number, lease: WatcherLease, wait: LeaseWait | null) {
    this.lease = lease;
    this.wait = wait;
    this.record = record;
    this.#trust = new WatcherTrust(record);
    this.pages = pages;
    this.cursor = record.cursor;
  }

  /** The marks of the store. There may be as many as the site has pages: they are held here, and nowhere else. */
  async recall(marks: AsyncIterable<readonly MarkedUrl[]>): Promise<void> {
    this.#owed.clear();
    this.#besides.clear();
    for await (const some of marks) for (const { id, mark } of some) this.#remember(id, mark);
  }

  markOf(id: number): WatchMark | null {
    return this.#owed.get(id) ?? this.#besides.get(id) ?? null;
  }

  #remember(id: number, mark: WatchMark | null): void {
    if (mark === 'untold' || mark === 'unseen') this.#besides.set(id, mark);
    else this.#besides.delete(id);
    // One that is owed keeps its place.
    if (mark === 'changed' || mark === 'gone') this.#owed.set(id, mark);
    else this.#owed.delete(id);
  }

  fail(fault: ReportFault): void {
    this.stance = 'failed';
    this.fault = fault;
  }

  /** Those that another has; the times as our clock has them. */
  isHeldBy(holder: string, untilMs: number): void {
    this.stance = 'held';
    this.heldBy = holder;
    this.heldUntilMs = untilMs;
  }

  /** Another crawler holds the lease, which is waited for. */
  waitsUntil(askAgainMs: number): void {
    this.isHeldBy(this.wait!.holder, askAgainMs);
  }

  /** Whether it waits for a lease, which always comes to an end, and not for a host that somebody else has. */
  get isWaiting(): boolean {
    return this.stance === 'held' && this.wait !== null;
  }

  /** A report was read; what it told is in the store, and so are these marks. Returns what is to be looked at for it. */
  async hear(report: WholeReport, taker: ReportTaker, marks: AsyncIterable<readonly MarkedUrl[]>): Promise<number[]> {
    this.report = report;
    this.cursor = report.head.cursor;
    this.#told += taker.changed.length + taker.gone.length + taker.fresh;
    // What was left over comes first: else a site that changes more than a budget allows would never have it looked at.
    const first = [...this.#owed.keys(), ...taker.changed];
    await this.recall(marks);
    const told = new Map(this.#owed);
    this.#owed.clear();
    for (const id of first) if (told.has(id)) this.#owed.set(id, told.get(id)!);
    for (const [id, mark] of told) this.#owed.set(id, mark);
    this.#trust.clear((id) => taker.hasNamed(id));
    this.#unnamed = taker.unnamed;
    return [...taker.changed, ...taker.unnamed];
  }

  /** Everything it told of that nobody has looked at; of what it says is deleted a sample, where it is believed. */
  firstLooks(): number[] {
    const changed: number[] = [];
    const gone: number[] = [];
    for (const [id, mark] of this.#owed) (mark === 'gone' ? gone : changed).push(id);
    const isTrusted = this.#trust.wasBelieved;
    if (isTrusted) bringChanceToFront(gone, DELETED_SAMPLE);
    this.#deletedLater = isTrusted ? gone.splice(DELETED_SAMPLE) : [];
    return [...changed, ...gone, ...this.#unnamed];
  }

  /** How many silent pages are to be looked at. */
  get sampleSize(): number {
    return this.#trust.sampleSize(this.pages);
  }

  isSilentAbout(id: number): boolean {
    return !this.#owed.has(id) && !this.#besides.has(id);
  }

  /** The pages that the ordinary schedule has all the same. */
  get untold(): PageIds {
    return this.#besides;
  }

  /** The server has the last word, but a page that is said to be deleted need not be missing twice. */
  isToldGone(id: number): boolean {
    return this.#owed.get(id) === 'gone';
  }

  /** What a result says of the watcher, and what its mark is from now on; null where that does not change. */
  observe({ id, state, reason, revisit, page }: UrlResult): Pick<MarkUpdate, 'mark'> | null {
    const owed = this.#owed.get(id);
    if (revisit === undefined) {
      if (state === 'waiting') return null;
      const isCovered = state === 'skipped' || (owed !== undefined && (page !== null || state === 'redirect'));
      return this.#marked(id, isCovered ? null : 'untold');
    }
    const { finding, checkedAtMs } = revisit;
    if (finding === 'failing' || finding === 'missing') {
      // What is owed stays so; of another page the ordinary schedule has to see what becomes of it.
      if (!this.isSilentAbout(id)) return null;
      if (finding === 'missing' && this.#isHeard) this.#trust.sawMissing(id);
      return this.#marked(id, 'untold');
    }
    const hasChanged = finding !== 'same' && finding !== 'noise';
    // robots.txt may allow it again one day, which no watcher tells.
    if (finding === 'refused') return this.#marked(id, 'untold');
    if (owed === 'gone') return this.#sawDeleted(id, finding === 'gone' || finding === 'moved');
    if (owed === 'changed') {
      // Other bytes are what it told of, whether a reader would notice or not.
      this.#trust.sawTold(finding !== 'same');
      // Said to be there, and the server has none still: that it does one day is told by nobody.
      return this.#marked(id, finding === 'same' && reason !== null ? 'untold' : null);
    }
    if (this.#besides.get(id) === 'unseen') return this.#marked(id, null);
    if (this.#besides.has(id) || !this.#isHeard) return null;
    this.#trust.sawSilent(id, hasChanged, checkedAtMs);
    return this.#trust.areUnseenNoted ? { mark: null } : null;
  }

  /** Whether its silence means something: the report was read, from where we left off. */
  get #isHeard(): boolean {
    return this.report !== null && !this.report.hasGap && this.stance !== 'failed' && this.stance !== 'held';
  }

  #marked(id: number, mark: WatchMark | null): Pick<MarkUpdate, 'mark'> {
    this.#remember(id, mark);
    return { mark };
  }

  #sawDeleted(id: number, isGone: boolean): Pick<MarkUpdate, 'mark'> {
    this.#trust.sawDeleted(isGone);
    return this.#marked(id, isGone ? null : 'untold');
  }

  get hasSuspects(): boolean {
    return this.#trust.hasSuspects;
  }

  /** The report was asked for again, and `hear` has cleared those that it names now: they had changed in between. */
  judgeSuspects(again: WholeReport | null): void {
    this.#trust.judgeSuspects(again);
  }

  /** What the looks so far amount to. */
  decide(): void {
    if (this.stance !== 'trying') return;
    this.stance = this.#isHeard && this.#trust.isSound ? 'leading' : 'doubted';
  }

  /** Those told to be deleted that were not looked at; `mayDrop` where its word is enough. */
  takeDeleted(): { readonly ids: readonly number[]; readonly mayDrop: boolean } {
    const ids = this.#deletedLater;
    this.#deletedLater = [];
    return { ids, mayDrop: this.stance === 'leading' && this.#trust.hasProvedDeletions };
  }

  /** They were dropped on its word. */
  wereDropped(ids: readonly number[]): void {
    for (const id of ids) this.#remember(id, null);
    this.dropped += ids.length;
  }

  /** What the store has yet to be told of it. */
  takeNews(): WatcherNews | null {
    return this.#trust.takeNews(this.heardAtMs);
  }

  summaryAt(nowMs: number): WatcherSummary {
    const { record, stance, fault, dropped } = this;
    const { verdict, checked, missed, falseAlarms } = this.#trust.summary;
    const isHeld = stance === 'held' && this.wait === null;
    const heldUntilMs = isHeld ? this.heldUntilMs : (this.wait?.holdsUntilMs ?? 0);
    return {
      host: record.host,
      stance,
      verdict,
      told: this.#told,
      checked,
      missed,
      falseAlarms,
      dropped,
      fault: fault === null ? null : REPORT_FAULTS[fault],
      lease: this.hasLease ? 'given' : this.wait !== null ? 'refused' : 'none',
      waitedSeconds: this.wait?.secondsAt(nowMs) ?? 0,
      heldBy: isHeld ? this.heldBy : (this.wait?.holder ?? null),
      heldUntil: timeText(heldUntilMs),
      questions: this.questions,
    };
  }
}

/** Null where it is not known, or is no time that can be written. */
function timeText(atMs: number): string | null {
  return atMs > 0 && atMs < LAST_TIME_MS ? new Date(atMs).toISOString() : null;
}

/** Which ones a watcher must not be able to tell beforehand. */
function bringChanceToFront(ids: number[], count: number): void {
  for (let i = 0; i < Math.min(count, ids.length); i++) {
    const other = randomInt(i, ids.length);
    [ids[i], ids[other]] = [ids[other]!, ids[i]!];
  }
}
