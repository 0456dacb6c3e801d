/**
 * The forecast for a page with a rhythm. In: the forecast with a steady rate, and the rhythm (rhythm.ts). Out: the mean
 * of both, by the odds of the rhythm.
 *
 * The gain of a visit is (1 − p)·G − τ·p. p is the chance that the copy is still fresh, G the expected time until the
 * next change, τ the time since the last visit. With a steady rate, p = e^(−λτ) and G = 1/λ, so this is the gain in
 * rate-grid.ts. With a known hour it is 0 until the change, and then the time until the next one.
 */
import { type Arc, coveredBy, oddsOf, PERIODS, type Period, unpackRhythm } from './rhythm.ts';
import type { Outlook } from './visit-forecast.ts';

/** Rhythms with smaller odds are left out, so that most pages cost nothing. */
const LEAST_ODDS = 2.6;
/** An arc narrower than this part of the period needs no early visits. */
const SETTLED = 1 / 6;
/** An arc wider than this part of the period is worth narrowing by an early visit. */
const NARROW = 1 / 16;

/** What the group of the page adds to the odds of each period. */
export type Bonus = (period: number) => number;

/** Changes the outlook of a page that was last visited at `sinceMs`. */
export function blendRhythm(outlook: Outlook, packed: number, bonus: Bonus, sinceMs: number, nowMs: number): void {
  let total = 1;
  let chance = outlook.chance;
  let gainMs = outlook.gainMs;
  let claimedGainMs = outlook.claimedGainMs;
  for (const [i, arc] of unpackRhythm(packed).entries()) {
    const odds = arc.odds + bonus(i);
    if (odds <= LEAST_ODDS) continue;
    const weight = Math.exp(odds);
    const period = PERIODS[i]!;
    const { share, fromMs, toMs } = coveredBy(arc, period, sinceMs, nowMs);
    const middleMs = share > 0 ? (fromMs + toMs) / 2 : arc.startMs + arc.widthMs / 2;
    const freshMs = untilNext(arc, period, middleMs, nowMs);
    const waitedMs = arc.widthMs > period.lengthMs * NARROW ? 0 : nowMs - sinceMs;
    total += weight;
    chance += weight * share;
    gainMs += weight * Math.max(0, share * freshMs - (1 - share) * waitedMs);
    claimedGainMs += weight * freshMs;
  }
  outlook.chance = chance / total;
  outlook.gainMs = gainMs / total;
  outlook.claimedGainMs = claimedGainMs / total;
}

export function hasRhythm(packed: number, bonus: Bonus): boolean {
  return oddsOf(packed, 0) + bonus(0) > LEAST_ODDS || oddsOf(packed, 1) + bonus(1) > LEAST_ODDS;
}

/** Whether the hour of change is known well. */
export function isSettled(packed: number, bonus: Bonus): boolean {
  if (!hasRhythm(packed, bonus)) return false;
  return unpackRhythm(packed).some(
    ({ odds, widthMs }, i) => odds + bonus(i) > LEAST_ODDS && widthMs < PERIODS[i]!.lengthMs * SETTLED,
  );
}

function untilNext({ daysOff }: Arc, { lengthMs }: Period, offsetMs: number, nowMs: number): number {
  let n = Math.floor((nowMs - offsetMs) / lengthMs) + 1;
  while ((daysOff >> (n % 7)) & 1) n++;
  return n * lengthMs + offsetMs - nowMs;
}
