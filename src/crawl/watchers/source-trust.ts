/**
 * Whether the change sources of a host, its sitemaps and feeds, are believed, and by the same rule its watcher. In: what looks at the pages they tell of have
 * shown. Out: the verdict that the plan of a refresh follows and that `status` and `explain` tell.
 *
 * A source is judged by its silence: a false alarm costs a look, a change it does not tell of would be missed.
 */
import type { SourceRecord, VisitRecord } from '../store/contract.ts';

/** Looks at pages a source was silent about, before it is judged; and how many of them may have changed all the same. */
const PROVEN_BY = 20;
const MOST_MISSED = 0.02;

export const SOURCE_VERDICTS = ['believed', 'not-believed', 'unproven'] as const;
export type SourceVerdict = (typeof SOURCE_VERDICTS)[number];

/** Looks at pages that it was silent about: those that had changed, and those that had not. */
export type Silence = Pick<SourceRecord, 'missed' | 'quiet'>;

export function verdictOn(source: Silence): SourceVerdict {
  if (!isProven(source)) return 'unproven';
  return isBelieved(source) ? 'believed' : 'not-believed';
}

/** Whether it is known well enough to be judged. */
export function isProven(source: Silence | undefined): boolean {
  return source !== undefined && source.missed + source.quiet >= PROVEN_BY;
}

export function isBelieved(source: Silence | undefined): boolean {
  return isProven(source) && isTrue(source!);
}

/** Whether hardly any of the looks found a change, however few they were. */
export function isTrue({ missed, quiet }: Silence): boolean {
  return missed <= MOST_MISSED * (missed + quiet);
}

/** The share of changes it does not tell of, rather too large than too small. */
export function missShare({ missed, confirmed }: SourceRecord): number {
  return (missed + 1) / (missed + confirmed + 2);
}

/** Whether a source says that a page has changed since it was looked at. */
export function isClaimed({
  claimedMs,
  claimSeenMs,
  checkedAtMs,
}: Pick<VisitRecord, 'claimedMs' | 'claimSeenMs' | 'checkedAtMs'>): boolean {
  return claimedMs > (claimSeenMs > 0 ? claimSeenMs : checkedAtMs);
}
