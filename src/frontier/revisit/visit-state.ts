/**
 * What is remembered of a page's looks, and all the store has to keep for the schedule. It holds no opinion: nothing of a prior is
 * in it, so that priors can be learned anew at any time, and it does not grow with the number of looks.
 */
import { FIRST_INTERVAL_MS, nextInterval } from './policies/nutch-interval.ts';

export interface VisitState {
  /** The last look. */
  readonly checkedAtMs: number;
  /** Intervals between two looks in which it changed; a fraction, because old ones fade. */
  readonly changes: number;
  /** The sum of ln(length in ms) over these intervals. */
  readonly changedLogMs: number;
  /** The length of all the other intervals together. */
  readonly quietMs: number;
  /** The interval of the `nutch` policy, which has a memory of its own. */
  readonly intervalMs: number;
}

/**
 * Each look leaves so much of what the earlier ones said: in the long run the last sixty count. Fewer make every estimate
 * rougher, which costs freshness for ever; more make a page whose habits change wait longer to be noticed (docs/revisit.md).
 */
export const KEPT_A_LOOK = 1 - 1 / 60;
/** Shorter intervals count as this: two looks within a second are one. */
export const SHORTEST_MS = 1_000;
/**
 * Longer ones count as this, thrice the usual floor. They come from a copy that lay idle or from a clock that jumped, and one of
 * them must not outweigh all that was seen before.
 */
export const LONGEST_MS = 90 * 86_400_000;

export function firstLook(atMs: number): VisitState {
  return { checkedAtMs: atMs, changes: 0, changedLogMs: 0, quietMs: 0, intervalMs: FIRST_INTERVAL_MS };
}

/** A look at a time before the last one says when it was, and nothing else. */
export function afterLook(before: VisitState, atMs: number, changed: boolean): VisitState {
  const elapsedMs = Math.min(atMs - before.checkedAtMs, LONGEST_MS);
  if (!(elapsedMs > 0)) return { ...before, checkedAtMs: atMs };
  return {
    checkedAtMs: atMs,
    changes: before.changes * KEPT_A_LOOK + (changed ? 1 : 0),
    changedLogMs: before.changedLogMs * KEPT_A_LOOK + (changed ? Math.log(Math.max(elapsedMs, SHORTEST_MS)) : 0),
    quietMs: before.quietMs * KEPT_A_LOOK + (changed ? 0 : elapsedMs),
    intervalMs: nextInterval(before.intervalMs, changed),
  };
}
