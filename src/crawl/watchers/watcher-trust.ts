/**
 * How far a watcher can be believed, in one round of a refresh. In: what looks at its pages found. Out: whether its silence holds,
 * whether pages may be dropped on its word, and what the store is to count.
 *
 * A watcher is judged by its silence, like a source, and a page that it says is deleted and that is there counts against it, too.
 */
import type { WatcherNews, WatcherOutcomes, WatcherRecord } from '../../store/contract.ts';
import { isBelieved, isTrue, type Silence, verdictOn } from '../source-trust.ts';
import type { WholeReport } from './read-report.ts';

/** A little more than proves it, since some will not answer. */
const SAMPLE = 32;
/** Of the pages a believed watcher is silent about, one in so many is looked at all the same, and never more than the sample. */
const AUDITED_OF = 64;
/** Of the pages it says are deleted, so many are looked at before the others are dropped. */
export const DELETED_SAMPLE = 8;

/** One that looks at its site less often than that, or has died and left its file behind, does not know what it is silent about. */
const LOOKS_WITHIN_MS = 2 * 86_400_000;

type Counts = { -readonly [Name in keyof WatcherOutcomes]: number };

export class WatcherTrust {
  readonly #record: WatcherRecord;
  readonly #round: Counts = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
  /** Of the round, what the store has yet to be told. */
  #news: Counts = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
  #checked = 0;
  /** Told to be deleted, looked at, and found so or otherwise. */
  #deleted = { true: 0, false: 0 };
  /** Silent pages that have changed: by a lie, or since the report was read. When the last of them was seen. */
  readonly #suspects = new Set<number>();
  #suspectsSeenMs = 0;
  /** Silent pages that the server has not, for the first time: that may be an accident, or a lie. */
  readonly #missing = new Set<number>();
  #isUndecided = false;
  /** Its silence proved worth nothing, and the pages that nobody has looked at since are marked. */
  #areUnseenNoted = false;

  constructor(record: WatcherRecord) {
    this.#record = record;
  }

  /** By what was known before the round. */
  get wasBelieved(): boolean {
    return isBelieved(this.#record);
  }

  /** How many silent pages of so many are to be looked at. */
  sampleSize(pages: number): number {
    return this.wasBelieved ? Math.min(SAMPLE, Math.ceil(pages / AUDITED_OF)) : SAMPLE;
  }

  /** Of a page that it said has changed. */
  sawTold(hasChanged: boolean): void {
    this.#count(hasChanged ? 'confirmed' : 'falseAlarms');
  }

  sawDeleted(isGone: boolean): void {
    this.#deleted[isGone ? 'true' : 'false']++;
    this.#count(isGone ? 'confirmed' : 'falseAlarms');
  }

  sawSilent(id: number, hasChanged: boolean, checkedAtMs: number): void {
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

  sawMissing(id: number): void {
    this.#missing.add(id);
  }

  #count(outcome: keyof WatcherOutcomes, by = 1): void {
    this.#round[outcome] += by;
    this.#news[outcome] += by;
  }

  get hasSuspects(): boolean {
    return this.#suspects.size + this.#missing.size > 0;
  }

  /** A later report names these: they had changed in between. */
  clear(isNamed: (id: number) => boolean): void {
    for (const some of [this.#suspects, this.#missing]) for (const id of some) if (isNamed(id)) some.delete(id);
  }

  /** The report was asked for again, and those that it names now are cleared. */
  judgeSuspects(again: WholeReport | null): void {
    if (this.#missing.size > 0) this.#isUndecided = true;
    this.#missing.clear();
    if (this.#suspects.size === 0) return;
    const lookedAtMs = again === null ? 0 : again.head.atMs - again.clockAheadMs;
    // It may not have looked at its site since: then it is not known whether it would have told, unless it has not for days.
    const isLate = again !== null && lookedAtMs < this.#suspectsSeenMs - LOOKS_WITHIN_MS;
    if (isLate || lookedAtMs >= this.#suspectsSeenMs) this.#count('missed', this.#suspects.size);
    else this.#isUndecided = true;
    this.#suspects.clear();
  }

  /** What all looks so far amount to. */
  get isSound(): boolean {
    return isBelieved(this.#all) && isTrue(this.#round) && !this.#isUndecided && this.#deleted.false === 0;
  }

  /** Enough of those it says are deleted were. */
  get hasProvedDeletions(): boolean {
    return this.#deleted.true >= DELETED_SAMPLE;
  }

  /** Pages that nobody has looked at since are marked: a look at one takes its mark away. */
  get areUnseenNoted(): boolean {
    return this.#areUnseenNoted;
  }

  get #all(): Silence {
    const { missed, quiet } = this.#record;
    return { missed: missed + this.#round.missed, quiet: quiet + this.#round.quiet };
  }

  /** What the store has yet to be told. Where a page has changed in silence, so may others that a budget leaves for another time. */
  takeNews(heardAtMs: number): WatcherNews | null {
    const outcomes = this.#news;
    this.#news = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
    const isUnseen = !this.#areUnseenNoted && (this.#isUndecided || this.#round.missed > 0);
    if (isUnseen) this.#areUnseenNoted = true;
    if (!isUnseen && Object.values(outcomes).every((count) => count === 0)) return null;
    return { outcomes, ...(isUnseen ? { unseenBeforeMs: heardAtMs } : {}) };
  }

  get summary(): {
    readonly verdict: ReturnType<typeof verdictOn>;
    readonly checked: number;
    readonly missed: number;
    readonly falseAlarms: number;
  } {
    const { missed, falseAlarms } = this.#round;
    return { verdict: verdictOn(this.#all), checked: this.#checked, missed, falseAlarms };
  }
}
