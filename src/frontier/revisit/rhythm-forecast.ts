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
/**
 * Visits that are this many periods apart come late anyway and always find a change, so they show nothing about the
 * hour. If the budget allows no more, a visit within the arc is worth what it saves at this many later visits.
 */
const RARE = 1.3;
const LATER_VISITS = 160;
/** An arc that is narrower than this part of the period needs no more narrowing. */
const FINE = 1 / 32;

const EXPECTED_BONUS = 2;

/** What the group of the page adds to the odds of each period. */
export type Bonus = (period: number) => number;

export interface VisitTimes {
  /** The last visit. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** The usual time between two visits of which the second found a change; 0 if none did. */
  readonly usualMs: number;
}

/** Changes the outlook of a page. */
export function blendRhythm(outlook: Outlook, packed: number, bonus: Bonus, times: VisitTimes): void {
  const { sinceMs, nowMs, usualMs } = times;
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
    const isNarrowed = usualMs > period.lengthMs * RARE && isRhythmExpected(bonus, i);
    const narrowedMs = isNarrowed ? narrowing(arc, period, share) : 0;
    gainMs += weight * Math.max(0, share * freshMs - (1 - share) * waitedMs + LATER_VISITS * narrowedMs);
    claimedGainMs += weight * freshMs;
  }
  outlook.chance = chance / total;
  outlook.gainMs = gainMs / total;
  outlook.claimedGainMs = claimedGainMs / total;
}

export function hasRhythm(packed: number, bonus: Bonus): boolean {
  return oddsOf(packed, 0) + bonus(0) > LEAST_ODDS || oddsOf(packed, 1) + bonus(1) > LEAST_ODDS;
}

/** Whether the pages of the group are expected to have a rhythm. A page alone may look rhythmic by chance. */
export function isRhythmExpected(bonus: Bonus, period: number): boolean {
  return bonus(period) > EXPECTED_BONUS;
}

/** Whether the hour of change is known well. */
export function isSettled(packed: number, bonus: Bonus): boolean {
  if (!hasRhythm(packed, bonus)) return false;
  return unpackRhythm(packed).some(
    ({ odds, widthMs }, i) => odds + bonus(i) > LEAST_ODDS && widthMs < PERIODS[i]!.lengthMs * SETTLED,
  );
}

/**
 * A visit at the end of the arc comes half of the arc too late, on average. A visit that parts the arc leaves one of
 * both parts, so each later visit comes earlier by this time.
 */
function narrowing({ widthMs }: Arc, { lengthMs }: Period, share: number): number {
  return share * (1 - share) * Math.max(0, widthMs - lengthMs * FINE);
}

function untilNext({ daysOff }: Arc, { lengthMs }: Period, offsetMs: number, nowMs: number): number {
  let n = Math.floor((nowMs - offsetMs) / lengthMs) + 1;
  while ((daysOff >> (n % 7)) & 1) n++;
  return n * lengthMs + offsetMs - nowMs;
}
