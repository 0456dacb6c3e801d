/**
 * One host with a watcher, in one round of a refresh. In: what its report told, and what looks at its pages find. Out: whether its silence
 * is believed, what becomes of the marks of its pages, and how often it was right.
 *
 * A watcher is judged by its silence, like a source, and a page that it says is deleted and that is there counts against it, too.
 */

import { randomInt } from 'node:crypto';
import type {
  MarkedUrl,
  MarkUpdate,
  UrlResult,
  WatcherNews,
  WatcherOutcomes,
  WatcherRecord,
  WatchMark,
} from '../../store/contract.ts';
import { isBelieved, isTrue, type Silence, verdictOn } from '../source-trust.ts';
import type { PageIds } from './led-pages.ts';
import type { WholeReport } from './read-report.ts';
import { REPORT_FAULTS, type ReportFault } from './report.ts';
import type { ReportTaker } from './report-taker.ts';
import type { WatcherLease } from './watcher-lease.ts';

/**
 * Its report cannot be used, and the ordinary schedule holds; another crawler has the site; its silence is being tried; it is
 * believed, and leads; it is not believed, and the ordinary schedule holds.
 */
export const STANCES = ['failed', 'held', 'trying', 'leading', 'doubted'] as const;
export type Stance = (typeof STANCES)[number];

/** A little more than proves it, since some will not answer. */
const SAMPLE = 32;
/** Of the pages a believed watcher is silent about, one in so many is looked at all the same, and never more than the sample. */
const AUDITED_OF = 64;
/** Of the pages it says are deleted, so many are looked at before the others are dropped. */
const DELETED_SAMPLE = 8;

/** One that looks at its site less often than that, or has died and left its file behind, does not know what it is silent about. */
const LOOKS_WITHIN_MS = 2 * 86_400_000;

/** What `refresh --json` tells of it. */
export interface WatcherSummary {
  readonly host: string;
  readonly stance: Stance;
  readonly verdict: ReturnType<typeof verdictOn>;
  /** Pages it told to be new, updated or deleted that the copy did not have so. */
  readonly told: number;
  /** Pages it was silent about and that were looked at; and those of them that had changed all the same. */
  readonly checked: number;
  readonly missed: number;
  /** Pages it told of that were as they had been, or were there though it said they were deleted. */
  readonly falseAlarms: number;
  /** Pages dropped on its word, without a request. */
  readonly dropped: number;
  /** Why its report was not used, in words; null where it was. */
  readonly fault: string | null;
  /** Who has the site, and until when, as far as is known. */
  readonly heldBy: string | null;
  readonly heldUntil: string | null;
  /** Requests for its report and its lease, which `requests` does not count. */
  readonly questions: number;
}

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
  heldUntilMs = 0;
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
  /** What is owed a look, as the report says: in its order. */
  readonly #owed = new Map<number, 'changed' | 'gone'>();
  /** What it does not tell of; and what its silence was worth nothing about, until somebody has looked. */
  readonly #besides = new Map<number, 'untold' | 'unseen'>();
  /** Of the copy, and not in the listing: they are looked at once, and go by the ordinary schedule. */
  #unnamed: readonly number[] = [];
  /** Told to be deleted, and looked at only if those of the sample turn out to be there. */
  #deletedLater: number[] = [];
  /** Told to be deleted, looked at, and found so or otherwise. */
  #deleted = { true: 0, false: 0 };
  /** Silent pages that have changed: by a lie, or since the report was read. When the last of them was seen. */
  #suspects = new Set<number>();
  #suspectsSeenMs = 0;
  /** Silent pages that the server has not, for the first time: that may be an accident, or a lie. */
  readonly #missing = new Set<number>();
  #isUndecided = false;
  /** Its silence proved worth nothing, and the pages that nobody has looked at since are marked. */
  #areUnseenNoted = false;
  #round: { -readonly [Name in keyof WatcherOutcomes]: number } = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
  /** Of the round, what the store has yet to be told. */
  #news: { -readonly [Name in keyof WatcherOutcomes]: number } = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
  #checked = 0;

  constructor(record: WatcherRecord, pages: number, lease: WatcherLease) {
    this.lease = lease;
    this.record = record;
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
    for (const some of [this.#suspects, this.#missing]) for (const id of some) if (taker.hasNamed(id)) some.delete(id);
    this.#unnamed = taker.unnamed;
    return [...taker.changed, ...taker.unnamed];
  }

  /** Everything it told of that nobody has looked at; of what it says is deleted a sample, where it is believed. */
  firstLooks(): number[] {
    const changed: number[] = [];
    const gone: number[] = [];
    for (const [id, mark] of this.#owed) (mark === 'gone' ? gone : changed).push(id);
    const isTrusted = isBelieved(this.record);
    if (isTrusted) bringChanceToFront(gone, DELETED_SAMPLE);
    this.#deletedLater = isTrusted ? gone.splice(DELETED_SAMPLE) : [];
    return [...changed, ...gone, ...this.#unnamed];
  }

  /** How many silent pages are to be looked at. */
  get sampleSize(): number {
    return isBelieved(this.record) ? Math.min(SAMPLE, Math.ceil(this.pages / AUDITED_OF)) : SAMPLE;
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
      if (finding === 'missing' && this.#isHeard) this.#missing.add(id);
      return this.#marked(id, 'untold');
    }
    const hasChanged = finding !== 'same' && finding !== 'noise';
    // robots.txt may allow it again one day, which no watcher tells.
    if (finding === 'refused') return this.#marked(id, 'untold');
    if (owed === 'gone') return this.#sawDeleted(id, finding === 'gone' || finding === 'moved');
    if (owed === 'changed') {
      // Other bytes are what it told of, whether a reader would notice or not.
      this.#count(finding === 'same' ? 'falseAlarms' : 'confirmed');
      // Said to be there, and the server has none still: that it does one day is told by nobody.
      return this.#marked(id, finding === 'same' && reason !== null ? 'untold' : null);
    }
    if (this.#besides.get(id) === 'unseen') return this.#marked(id, null);
    if (this.#besides.has(id) || !this.#isHeard) return null;
    this.#sawSilent(id, hasChanged, checkedAtMs);
    return this.#areUnseenNoted ? { mark: null } : null;
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
    this.#deleted[isGone ? 'true' : 'false']++;
    this.#count(isGone ? 'confirmed' : 'falseAlarms');
    return this.#marked(id, isGone ? null : 'untold');
  }

  #sawSilent(id: number, hasChanged: boolean, checkedAtMs: number): void {
    // The ordinary schedule may look at thousands; a lie among them must not be lost in the crowd.
    if (this.#checked >= SAMPLE && !hasChanged) return;
    this.#checked++;
    if (!hasChanged) {
      this.#count('quiet');
      return;
    }
    this.#suspects.add(id);
    this.#suspectsSeenMs = Math.max(this.#suspectsSeenMs, checkedAtMs);
  }

  #count(outcome: keyof WatcherOutcomes, by = 1): void {
    this.#round[outcome] += by;
    this.#news[outcome] += by;
  }

  get hasSuspects(): boolean {
    return this.#suspects.size + this.#missing.size > 0;
  }

  /** The report was asked for again, and `hear` has cleared those that it names now: they had changed in between. */
  judgeSuspects(again: WholeReport | null): void {
    if (this.#missing.size > 0) this.#isUndecided = true;
    this.#missing.clear();
    if (this.#suspects.size === 0) return;
    const lookedAtMs = again === null ? 0 : again.head.atMs - again.clockAheadMs;
    // It may not have looked at its site since: then it is not known whether it would have told, unless it has not for days.
    const isLate = again !== null && lookedAtMs < this.#suspectsSeenMs - LOOKS_WITHIN_MS;
    if (isLate || lookedAtMs >= this.#suspectsSeenMs) this.#count('missed', this.#suspects.size);
    else this.#isUndecided = true;
    this.#suspects = new Set();
  }

  /** What the looks so far amount to. */
  decide(): void {
    if (this.stance !== 'trying') return;
    const { record } = this;
    const all: Silence = { missed: record.missed + this.#round.missed, quiet: record.quiet + this.#round.quiet };
    const isSound = isBelieved(all) && isTrue(this.#round) && !this.#isUndecided && this.#isHeard;
    this.stance = isSound && this.#deleted.false === 0 ? 'leading' : 'doubted';
  }

  /** Those told to be deleted that were not looked at; `mayDrop` where its word is enough. */
  takeDeleted(): { readonly ids: readonly number[]; readonly mayDrop: boolean } {
    const ids = this.#deletedLater;
    this.#deletedLater = [];
    return { ids, mayDrop: this.stance === 'leading' && this.#deleted.true >= DELETED_SAMPLE };
  }

  /** They were dropped on its word. */
  wereDropped(ids: readonly number[]): void {
    for (const id of ids) this.#remember(id, null);
    this.dropped += ids.length;
  }

  /** What the store has yet to be told. Where a page has changed in silence, so may others that a budget leaves for another time. */
  takeNews(): WatcherNews | null {
    const outcomes = this.#news;
    this.#news = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
    const isUnseen = !this.#areUnseenNoted && (this.#isUndecided || this.#round.missed > 0);
    if (isUnseen) this.#areUnseenNoted = true;
    if (!isUnseen && Object.values(outcomes).every((count) => count === 0)) return null;
    return { outcomes, ...(isUnseen ? { unseenBeforeMs: this.heardAtMs } : {}) };
  }

  get summary(): WatcherSummary {
    const { record, stance, fault, dropped } = this;
    const { missed, falseAlarms } = this.#round;
    const verdict = verdictOn({ missed: record.missed + missed, quiet: record.quiet + this.#round.quiet });
    const isHeld = stance === 'held';
    return {
      host: record.host,
      stance,
      verdict,
      told: this.#told,
      checked: this.#checked,
      missed,
      falseAlarms,
      dropped,
      fault: fault === null ? null : REPORT_FAULTS[fault],
      heldBy: isHeld ? this.heldBy : null,
      heldUntil: isHeld && this.heldUntilMs > 0 ? new Date(this.heldUntilMs).toISOString() : null,
      questions: this.questions,
    };
  }
}

/** Which ones a watcher must not be able to tell beforehand. */
function bringChanceToFront(ids: number[], count: number): void {
  for (let i = 0; i < Math.min(count, ids.length); i++) {
    const other = randomInt(i, ids.length);
    [ids[i], ids[other]] = [ids[other]!, ids[i]!];
  }
}
