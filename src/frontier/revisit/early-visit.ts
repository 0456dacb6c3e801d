/**
 * Early visits. A visit that comes after more than a period always finds a change on a page that changes once a period,
 * and shows nothing about the hour. So if nearly all visits found a change, some of the next visits come early, after a
 * quarter to three quarters of the period.
 */
import type { Evidence } from './rate-prior.ts';
import { PERIODS } from './rhythm.ts';

const LEAST_CHANGES = 3;
/** The first visits of a page decide soon whether it has a rhythm. */
const EARLY_CHANGES = 13;
/** One in this many visits comes early, for pages of which little is known or expected, and for others. */
const OFTEN = 2;
const SELDOM = 256;
/** Pages with a longer quiet time than this part of the other intervals show their rate without early visits. */
const QUIET_PART = 1 / 6;
/** Intervals shorter than this part of a period show the hour without early visits. */
const SHORT = 2 / 3;

/**
 * The time that a page counts as having waited: that of its usual interval and some more if an early visit is due,
 * otherwise the time since its last visit.
 */
export function countedMs(
  id: number,
  checkedAtMs: number,
  elapsedMs: number,
  { changes, changedLogMs, quietMs }: Evidence,
  isExpected: boolean,
): number {
  if (changes < LEAST_CHANGES) return elapsedMs;
  const usualMs = Math.exp(changedLogMs / changes);
  if (quietMs > QUIET_PART * changes * usualMs) return elapsedMs;
  const [{ lengthMs: dayMs }, { lengthMs: weekMs }] = PERIODS;
  const periodMs = usualMs > SHORT * weekMs ? weekMs : dayMs;
  if (usualMs < SHORT * periodMs) return elapsedMs;
  let hash = Math.imul(id ^ Math.imul(Math.floor(checkedAtMs / 1_000), 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = (hash ^ (hash >>> 13)) >>> 0;
  if (hash % (isExpected || changes < EARLY_CHANGES ? OFTEN : SELDOM) !== 0) return elapsedMs;
  const afterMs = Math.min(usualMs, periodMs) * (0.25 + hash / 2 ** 33);
  return elapsedMs < afterMs ? elapsedMs : Math.max(elapsedMs, 1.2 * usualMs);
}
