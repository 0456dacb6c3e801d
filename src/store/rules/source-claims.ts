/** The meaning of a change source's claim about a page, and whether a visit confirmed it. The same for every engine. */
import type { Finding, SourceRecord } from '../contract.ts';

/** Clocks differ, and some dates have no time zone. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * With more visits than this to pages that a source did not report, all its counts are
 * halved. So a source that becomes wrong loses trust quickly.
 */
export const MOST_JUDGED = 200;

export type Outcome = Exclude<keyof SourceRecord, 'hostId' | 'host'>;

/** The claim columns of a page's visit row, before a visit. */
export interface Claimed {
  readonly checked_at: number;
  readonly claimed_at: number;
  readonly claim_seen: number;
}

/** The time of a change that a source claims, at most now; null if the claim cannot be true. */
export function claimedTime(timeMs: number, nowMs: number): number | null {
  // NaN fails this test, too.
  if (!(timeMs >= 1 && timeMs <= nowMs + MAX_AHEAD_MS)) return null;
  return Math.floor(Math.min(timeMs, nowMs));
}

/** How right a source was about a visited page; null if no source has listed the page. */
export function outcomeOf({ checked_at, claimed_at, claim_seen }: Claimed, finding: Finding): Outcome | null {
  if (claimed_at === 0) return null;
  const isClaimed = claimed_at > (claim_seen > 0 ? claim_seen : checked_at);
  const isChanged = finding !== 'same' && finding !== 'noise';
  if (isClaimed) return isChanged ? 'confirmed' : 'falseAlarms';
  return isChanged ? 'missed' : 'quiet';
}

export function noOutcomes(): Record<Outcome, number> {
  return { confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };
}
