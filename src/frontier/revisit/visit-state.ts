/**
 * The summary of a page's visits, and all that the store must keep for the schedule. It contains only observations and
 * no prior, so priors can be learned again at any time. Its size does not grow with the number of visits.
 */
import { mostLikelyRate } from './rate-prior.ts';
import { afterVisit } from './rhythm.ts';

export interface VisitState {
  /** Time of the last visit. */
  readonly checkedAtMs: number;
  /** Number of intervals between visits in which the page changed. It is a fraction, because old intervals fade. */
  readonly changes: number;
  /** The sum of ln(length in ms) over these intervals. */
  readonly changedLogMs: number;
  /** The total length of all other intervals. */
  readonly quietMs: number;
  /** The interval of the `nutch` policy, which keeps its own state. */
  readonly intervalMs: number;
  /** The hours of change, as one integer (rhythm.ts). 0 if nothing is known. */
  readonly rhythm: number;
}

/**
 * Each visit keeps this share of the earlier evidence, so in the long run the last sixty visits count. With fewer,
 * every estimate is less precise, which costs freshness permanently. With more, a change of a page's habits is
 * noticed later (docs/revisit.md).
 */
export const KEPT_A_LOOK = 1 - 1 / 60;
/** Shorter intervals count as this length: two visits within a second are one. */
export const SHORTEST_MS = 1_000;
/**
 * Longer intervals count as this length, three times the usual floor. They come from a copy that was idle or from a
 * clock that jumped, and one such interval must not outweigh all earlier evidence.
 */
export const LONGEST_MS = 90 * 86_400_000;

export function firstLook(atMs: number): VisitState {
  return { checkedAtMs: atMs, changes: 0, changedLogMs: 0, quietMs: 0, intervalMs: FIRST_INTERVAL_MS, rhythm: 0 };
}

/** A visit dated before the last visit only sets the time. */
export function afterLook(before: VisitState, atMs: number, changed: boolean): VisitState {
  const elapsedMs = Math.min(atMs - before.checkedAtMs, LONGEST_MS);
  if (!(elapsedMs > 0)) return { ...before, checkedAtMs: atMs };
  return {
    checkedAtMs: atMs,
    changes: before.changes * KEPT_A_LOOK + (changed ? 1 : 0),
    changedLogMs: before.changedLogMs * KEPT_A_LOOK + (changed ? Math.log(Math.max(elapsedMs, SHORTEST_MS)) : 0),
    quietMs: before.quietMs * KEPT_A_LOOK + (changed ? 0 : elapsedMs),
    intervalMs: nextInterval(before.intervalMs, changed),
    rhythm: afterVisit(before.rhythm, before.checkedAtMs, atMs, changed, chanceOf(before, elapsedMs, changed)),
  };
}

/** The probability that a steady rate gives to a visit, with half a visit of each kind in advance. */
function chanceOf({ changes, changedLogMs, quietMs }: VisitState, elapsedMs: number, changed: boolean): number {
  const rate = mostLikelyRate({
    changes: changes + 0.5,
    changedLogMs: changedLogMs + 0.5 * Math.log(Math.max(elapsedMs, SHORTEST_MS)),
    quietMs: quietMs + 0.5 * elapsedMs,
  });
  const quiet = Math.exp(-rate * elapsedMs);
  return changed ? 1 - quiet : quiet;
}

/**
 * The rule of Nutch's AdaptiveFetchSchedule with the defaults of its code: a fifth longer, a
 * fifth shorter, within limits.
 */
const LONGER = 1.2;
const SHORTER = 0.8;
const LEAST_MS = 60_000;
const MOST_MS = 365 * 86_400_000;
/** The interval of a page that was visited once. */
export const FIRST_INTERVAL_MS = 30 * 86_400_000;

export function nextInterval(intervalMs: number, changed: boolean): number {
  const next = (intervalMs > 0 ? intervalMs : FIRST_INTERVAL_MS) * (changed ? SHORTER : LONGER);
  return Math.min(MOST_MS, Math.max(LEAST_MS, next));
}
