/**
 * How far a watcher is trusted, in one round of a refresh. In: the results of visits to its pages. Out: whether
 * unreported pages count as unchanged, whether pages may be dropped because of a report, and the counts for the store.
 *
 * A watcher is judged like a change source, by spot checks of unreported pages. A page that it reports as deleted and
 * that still exists also counts against it.
 */
import type { WatcherNews, WatcherOutcomes, WatcherRecord } from '../../store/contract.ts';
import type { WholeReport } from './read-report.ts';
import { isTrue, isTrusted, type Silence, verdictOn } from './trust-rule.ts';

/** A few more than a verdict needs, because some pages will not answer. */
const MAX_SPOT_CHECKS = 32;
/** One in this many unreported pages of a trusted watcher is spot-checked, and never more than MAX_SPOT_CHECKS. */
const PAGES_PER_SPOT_CHECK = 64;
/** This many of the pages reported as deleted are visited before the others are dropped. */
export const DELETED_SAMPLE = 8;

/**
 * A watcher that checks its site less often than this, or that died and left its file
 * behind, does not know about changes.
 */
const MAX_SWEEP_AGE_MS = 2 * 86_400_000;

type Counts = { -readonly [Name in keyof WatcherOutcomes]: number };

export class WatcherTrust {
  readonly #record: WatcherRecord;
  readonly #round: Counts = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
  /** The counts of the round that the store does not have yet. */
  #news: Counts = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
  #checked = 0;
  /** Pages reported as deleted that were visited: how many were deleted, and how many were not. */
  #deleted = { true: 0, false: 0 };
  /**
   * Unreported pages that have changed, either before the report was read (a missed change) or
   * since. And when the last one was visited.
   */
  readonly #suspects = new Set<number>();
  #suspectsSeenMs = 0;
  /** Unreported pages that the server did not have for the first time: an accident, or a missed change. */
  readonly #missing = new Set<number>();
  #isUndecided = false;
  /** The watcher proved unreliable, and the pages that were not visited since are marked. */
  #areUnseenNoted = false;

  constructor(record: WatcherRecord) {
    this.#record = record;
  }

  /** Whether the watcher was trusted before the round. */
  get wasTrusted(): boolean {
    return isTrusted(this.#record);
  }

  /** How many unreported pages of a host with this many pages are spot-checked. */
  sampleSize(pages: number): number {
    return this.wasTrusted ? Math.min(MAX_SPOT_CHECKS, Math.ceil(pages / PAGES_PER_SPOT_CHECK)) : MAX_SPOT_CHECKS;
  }

  /** Counts the visit to a page that was reported as changed. */
  sawReported(hasChanged: boolean): void {
    this.#count(hasChanged ? 'confirmed' : 'falseAlarms');
  }

  sawDeleted(isGone: boolean): void {
    this.#deleted[isGone ? 'true' : 'false']++;
    this.#count(isGone ? 'confirmed' : 'falseAlarms');
  }

  sawUnreported(id: number, hasChanged: boolean, checkedAtMs: number): void {
    // The ordinary schedule may visit thousands of pages. Unchanged ones are counted only up to MAX_SPOT_CHECKS, so
    // that they do not outweigh a missed change.
    if (this.#checked >= MAX_SPOT_CHECKS && !hasChanged) return;
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

  /** A later report names these pages: they changed in between. */
  clear(isNamed: (id: number) => boolean): void {
    for (const some of [this.#suspects, this.#missing]) for (const id of some) if (isNamed(id)) some.delete(id);
  }

  /** Called after the report was read again and the pages that it names now were cleared. */
  judgeSuspects(again: WholeReport | null): void {
    if (this.#missing.size > 0) this.#isUndecided = true;
    this.#missing.clear();
    if (this.#suspects.size === 0) return;
    const sweptAtMs = again === null ? 0 : again.head.atMs - again.clockAheadMs;
    // The watcher may not have checked its site since our visit. Then it is unknown whether it would have reported the
    // change, unless its last check was days ago.
    const isLate = again !== null && sweptAtMs < this.#suspectsSeenMs - MAX_SWEEP_AGE_MS;
    if (isLate || sweptAtMs >= this.#suspectsSeenMs) this.#count('missed', this.#suspects.size);
    else this.#isUndecided = true;
    this.#suspects.clear();
  }

  /** Whether all results so far justify trust. */
  get isTrustworthy(): boolean {
    return isTrusted(this.#all) && isTrue(this.#round) && !this.#isUndecided && this.#deleted.false === 0;
  }

  /** Whether enough of the pages reported as deleted were deleted. */
  get hasProvedDeletions(): boolean {
    return this.#deleted.true >= DELETED_SAMPLE;
  }

  /** Whether the pages that were not visited since are marked. A visit removes the mark. */
  get areUnseenNoted(): boolean {
    return this.#areUnseenNoted;
  }

  get #all(): Silence {
    const { missed, quiet } = this.#record;
    return { missed: missed + this.#round.missed, quiet: quiet + this.#round.quiet };
  }

  /**
   * The counts that the store does not have yet. If one page changed without a report, other pages that
   * the budget postpones may have changed, too.
   */
  takeNews(firstReadAtMs: number): WatcherNews | null {
    const outcomes = this.#news;
    this.#news = { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
    const isUnseen = !this.#areUnseenNoted && (this.#isUndecided || this.#round.missed > 0);
    if (isUnseen) this.#areUnseenNoted = true;
    if (!isUnseen && Object.values(outcomes).every((count) => count === 0)) return null;
    return { outcomes, ...(isUnseen ? { unseenBeforeMs: firstReadAtMs } : {}) };
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
