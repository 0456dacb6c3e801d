/**
 * Whether the change sources of a host (its sitemaps and feeds) are trusted, and by the same rule its watcher. In: the
 * results of visits. Out: the verdict that the plan of a refresh follows and that `status` and `explain` show.
 *
 * A source is judged by the pages that it does not report: a false alarm costs one visit,
 * but an unreported change would be missed.
 */
import type { SourceRecord, VisitRecord } from '../../store/contract.ts';

/** Spot checks of unreported pages before a source is judged, and the share of them that may have changed. */
const MIN_SPOT_CHECKS = 20;
const MAX_MISSED_SHARE = 0.02;

const SOURCE_VERDICTS = ['believed', 'not-believed', 'unproven'] as const;
export type SourceVerdict = (typeof SOURCE_VERDICTS)[number];

/** Spot checks of unreported pages: how many had changed (`missed`) and how many had not (`quiet`). */
export type Silence = Pick<SourceRecord, 'missed' | 'quiet'>;

export function verdictOn(source: Silence): SourceVerdict {
  if (!isProven(source)) return 'unproven';
  return isTrusted(source) ? 'believed' : 'not-believed';
}

/** Whether there were enough spot checks for a verdict. */
export function isProven(source: Silence | undefined): boolean {
  return source !== undefined && source.missed + source.quiet >= MIN_SPOT_CHECKS;
}

export function isTrusted(source: Silence | undefined): boolean {
  return isProven(source) && isTrue(source!);
}

/** Whether almost none of the spot checks found a change, however few there were. */
export function isTrue({ missed, quiet }: Silence): boolean {
  return missed <= MAX_MISSED_SHARE * (missed + quiet);
}

/** The share of changes that the source does not report, estimated on the high side. */
export function missShare({ missed, confirmed }: SourceRecord): number {
  return (missed + 1) / (missed + confirmed + 2);
}

/** Whether a source says that a page has changed since its last visit. */
export function isClaimed({
  claimedMs,
  claimSeenMs,
  checkedAtMs,
}: Pick<VisitRecord, 'claimedMs' | 'claimSeenMs' | 'checkedAtMs'>): boolean {
  return claimedMs > (claimSeenMs > 0 ? claimSeenMs : checkedAtMs);
}
