/** What a source's word about a page means, and whether a look bore it out, whichever engine keeps it. */
import type { Finding, SourceRecord } from './contract.ts';

/** Clocks differ, and days are written without their zone. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Looks at pages a source was silent about, beyond which all its counts are halved: one that stops telling the truth is found out soon. */
export const MOST_JUDGED = 200;

export type Outcome = Exclude<keyof SourceRecord, 'hostId' | 'host'>;

/** Of a page's visit, as it was before a look. */
export interface Claimed {
  readonly checked_at: number;
  readonly claimed_at: number;
  readonly claim_seen: number;
}

/** When a page changed by a source's word: now at most; null where it says nothing that can be true. */
export function claimedTime(timeMs: number, nowMs: number): number | null {
  // Not a number is neither.
  if (!(timeMs >= 1 && timeMs <= nowMs + MAX_AHEAD_MS)) return null;
  return Math.floor(Math.min(timeMs, nowMs));
}

/** How a source did with a page that was looked at; null where none has told of it. */
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
