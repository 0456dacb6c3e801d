/**
 * One host with a watcher, in one round of a refresh. In: its report, and the results of visits to its pages. Out:
 * whether the watcher is trusted (watcher-trust.ts), and the new marks of its pages.
 */

import { randomInt } from 'node:crypto';
import type { MarkedUrl, MarkUpdate, UrlResult, WatcherNews, WatcherRecord, WatchMark } from '../../store/contract.ts';
import type { ReportApplier } from './apply-report.ts';
import type { PageIds } from './covered-pages.ts';
import type { LeaseWait } from './lease-wait.ts';
import type { WholeReport } from './read-report.ts';
import { REPORT_FAULTS, type ReportFault } from './report.ts';
import type { WatcherLease } from './watcher-lease.ts';
import type { Stance, WatcherSummary } from './watcher-summary.ts';
import { DELETED_SAMPLE, WatcherTrust } from './watcher-trust.ts';

/** The latest time that a Date can represent. */
const LAST_TIME_MS = 8.64e15;

export class WatchedHost {
  readonly record: WatcherRecord;
  /** Number of pages of the host in the copy. */
  readonly pages: number;
  readonly lease: WatcherLease;
  /** Where its report was last requested. */
  url = '';
  stance: Stance = 'trying';
  fault: ReportFault | null = null;
  heldBy = '';
  /** For a held host: when it is asked again. */
  heldUntilMs = 0;
  /** The wait for the lease, if another crawler holds it. */
  wait: LeaseWait | null;
  hasLease = false;
  /** When its first report of the round was read; 0 before that. */
  firstReadAtMs = 0;
  /** The last report that was read whole. */
  report: WholeReport | null = null;
  cursor: string | null;
  /** For a crawl: the data to store when the crawl ends. */
  listing: { readonly applier: ReportApplier; readonly isWhole: boolean; readonly cursor: string } | null = null;
  dropped = 0;
  questions = 0;
  #reportedCount = 0;
  readonly #trust: WatcherTrust;
  /** Pages that must be visited because the report names them, in the order of the report. */
  readonly #owed = new Map<number, 'changed' | 'gone'>();
  /**
   * Pages that the watcher does not report ('untold'), and pages that it did not report while it proved
   * unreliable ('unseen'), until they are visited.
   */
  readonly #ordinary = new Map<number, 'untold' | 'unseen'>();
  /** Pages of the copy that the listing does not name. They are visited once, and stay on the ordinary schedule. */
  #unnamed: readonly number[] = [];
  /** Pages reported as deleted that are visited only if a page of the sample still exists. */
  #deletedLater: number[] = [];

  constructor(record: WatcherRecord, pages: number, lease: WatcherLease, wait: LeaseWait | null) {
    this.lease = lease;
    this.wait = wait;
    this.record = record;
    this.#trust = new WatcherTrust(record);
    this.pages = pages;
    this.cursor = record.cursor;
  }

  /**
   * Loads the marks from the store. There may be as many as the site has pages, so this is their only copy in memory.
   */
  async loadMarks(marks: AsyncIterable<readonly MarkedUrl[]>): Promise<void> {
    this.#owed.clear();
    this.#ordinary.clear();
    for await (const some of marks) for (const { id, mark } of some) this.#remember(id, mark);
  }

  markOf(id: number): WatchMark | null {
    return this.#owed.get(id) ?? this.#ordinary.get(id) ?? null;
  }

  #remember(id: number, mark: WatchMark | null): void {
    if (mark === 'untold' || mark === 'unseen') this.#ordinary.set(id, mark);
    else this.#ordinary.delete(id);
    // A page that is already owed a visit keeps its place in the order.
    if (mark === 'changed' || mark === 'gone') this.#owed.set(id, mark);
    else this.#owed.delete(id);
  }

  fail(fault: ReportFault): void {
    this.stance = 'failed';
    this.fault = fault;
  }

  /** Another crawler or worker has the host. The times are by our clock. */
  isHeldBy(holder: string, untilMs: number): void {
    this.stance = 'held';
    this.heldBy = holder;
    this.heldUntilMs = untilMs;
  }

  /** Another crawler holds the lease, and the host waits for it. */
  waitsUntil(askAgainMs: number): void {
    this.isHeldBy(this.wait!.holder, askAgainMs);
  }

  /** Whether the host waits for a lease, which always ends, and not for a host that another worker has. */
  get isWaiting(): boolean {
    return this.stance === 'held' && this.wait !== null;
  }

  /**
   * Called when a report was read and its changes and marks are in the store. Returns the pages to visit because of it.
   */
  async applyReport(
    report: WholeReport,
    applier: ReportApplier,
    marks: AsyncIterable<readonly MarkedUrl[]>,
  ): Promise<number[]> {
    this.report = report;
    this.cursor = report.head.cursor;
    this.#reportedCount += applier.changed.length + applier.gone.length + applier.fresh;
    // Visits left over from earlier come first. Otherwise a site with more changes than the
    // budget allows would never get them.
    const first = [...this.#owed.keys(), ...applier.changed];
    await this.loadMarks(marks);
    const owed = new Map(this.#owed);
    this.#owed.clear();
    for (const id of first) if (owed.has(id)) this.#owed.set(id, owed.get(id)!);
    for (const [id, mark] of owed) this.#owed.set(id, mark);
    this.#trust.clear((id) => applier.hasNamed(id));
    this.#unnamed = applier.unnamed;
    return [...applier.changed, ...applier.unnamed];
  }

  /** All reported pages that were not visited yet. If the watcher is trusted, only a sample of the deleted pages. */
  firstVisits(): number[] {
    const changed: number[] = [];
    const gone: number[] = [];
    for (const [id, mark] of this.#owed) (mark === 'gone' ? gone : changed).push(id);
    const isTrusted = this.#trust.wasTrusted;
    if (isTrusted) moveRandomToFront(gone, DELETED_SAMPLE);
    this.#deletedLater = isTrusted ? gone.splice(DELETED_SAMPLE) : [];
    return [...changed, ...gone, ...this.#unnamed];
  }

  /** How many unreported pages are spot-checked. */
  get sampleSize(): number {
    return this.#trust.sampleSize(this.pages);
  }

  isUnreported(id: number): boolean {
    return !this.#owed.has(id) && !this.#ordinary.has(id);
  }

  /** The pages that stay on the ordinary schedule. */
  get ordinaryPages(): PageIds {
    return this.#ordinary;
  }

  /** The server has the last word, but a page reported as deleted needs to be missing only once. */
  isReportedGone(id: number): boolean {
    return this.#owed.get(id) === 'gone';
  }

  /**
   * Counts what a result says about the watcher. Returns the new mark of the page, or null if the mark does not change.
   */
  observe({ id, state, reason, revisit, page }: UrlResult): Pick<MarkUpdate, 'mark'> | null {
    const owed = this.#owed.get(id);
    if (revisit === undefined) {
      if (state === 'waiting') return null;
      const isCovered = state === 'skipped' || (owed !== undefined && (page !== null || state === 'redirect'));
      return this.#marked(id, isCovered ? null : 'untold');
    }
    const { finding, checkedAtMs } = revisit;
    if (finding === 'failing' || finding === 'missing') {
      // A visit that is owed stays owed. Any other page goes to the ordinary schedule, which
      // finds out what happens to it.
      if (!this.isUnreported(id)) return null;
      if (finding === 'missing' && this.#hasUsableReport) this.#trust.sawMissing(id);
      return this.#marked(id, 'untold');
    }
    const hasChanged = finding !== 'same' && finding !== 'noise';
    // robots.txt may allow the page again one day, which no watcher reports.
    if (finding === 'refused') return this.#marked(id, 'untold');
    if (owed === 'gone') return this.#sawDeleted(id, finding === 'gone' || finding === 'moved');
    if (owed === 'changed') {
      // The report was right if the bytes differ, even if no reader would notice.
      this.#trust.sawReported(finding !== 'same');
      // The report says that the page exists, but the server still does not deliver it. No
      // watcher reports when it does.
      return this.#marked(id, finding === 'same' && reason !== null ? 'untold' : null);
    }
    if (this.#ordinary.get(id) === 'unseen') return this.#marked(id, null);
    if (this.#ordinary.has(id) || !this.#hasUsableReport) return null;
    this.#trust.sawUnreported(id, hasChanged, checkedAtMs);
    return this.#trust.areUnseenNoted ? { mark: null } : null;
  }

  /** Whether an unreported page means no change: the report was read, without a gap after our cursor. */
  get #hasUsableReport(): boolean {
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

  /**
   * Called after the report was read again. `applyReport` has cleared the suspects that it names now: they changed in
   * between.
   */
  judgeSuspects(again: WholeReport | null): void {
    this.#trust.judgeSuspects(again);
  }

  /** Decides from the results so far whether the watcher leads. */
  decide(): void {
    if (this.stance !== 'trying') return;
    this.stance = this.#hasUsableReport && this.#trust.isTrustworthy ? 'leading' : 'doubted';
  }

  /** The pages reported as deleted that were not visited. `mayDrop` is set if they may be dropped without a visit. */
  takeDeleted(): { readonly ids: readonly number[]; readonly mayDrop: boolean } {
    const ids = this.#deletedLater;
    this.#deletedLater = [];
    return { ids, mayDrop: this.stance === 'leading' && this.#trust.hasProvedDeletions };
  }

  /** These pages were dropped because the watcher reported them as deleted. */
  wereDropped(ids: readonly number[]): void {
    for (const id of ids) this.#remember(id, null);
    this.dropped += ids.length;
  }

  /** The results that the store does not have yet. */
  takeNews(): WatcherNews | null {
    return this.#trust.takeNews(this.firstReadAtMs);
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
      told: this.#reportedCount,
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

/** Null if the time is not known, or cannot be represented. */
function timeText(atMs: number): string | null {
  return atMs > 0 && atMs < LAST_TIME_MS ? new Date(atMs).toISOString() : null;
}

/** Puts random ids first: a watcher must not be able to predict the sample. */
function moveRandomToFront(ids: number[], count: number): void {
  for (let i = 0; i < Math.min(count, ids.length); i++) {
    const other = randomInt(i, ids.length);
    [ids[i], ids[other]] = [ids[other]!, ids[i]!];
  }
}
