/**
 * The rhythm of a page that changes at a fixed hour: every day, on some days of the week, or once a week. In: visits.
 * Out: for both periods, the part of the period in which the change comes, and the odds that the page has this rhythm.
 *
 * A visit shows whether the page changed since the last one. If it did, the hour of change lies between the two visits,
 * otherwise not. So each visit that is shorter than a period narrows the arc of possible hours. The odds grow with
 * each visit that the rhythm predicts better than a steady rate does. What always holds: everything fits into one
 * integer below 2^53, and 0 is a page of which nothing is known. Times are in UTC.
 */
const DAY_MS = 86_400_000;

export interface Period {
  readonly lengthMs: number;
  /** The resolution of the arc. */
  readonly slots: number;
}

/** Four minutes of a day, half an hour of a week. */
export const PERIODS: readonly [day: Period, week: Period] = [
  { lengthMs: DAY_MS, slots: 360 },
  { lengthMs: 7 * DAY_MS, slots: 336 },
];

export interface Arc {
  /** From the beginning of the period (of the Unix time). The end may lie in the next period. */
  readonly startMs: number;
  readonly widthMs: number;
  /** The logarithm of the odds of this rhythm against a steady rate. */
  readonly odds: number;
  /** One bit for each day of the week without a change, for the period of a day. */
  readonly daysOff: number;
}

export type Rhythm = readonly [day: Arc, week: Arc];

/** One page in two hundred is assumed to have a rhythm, until its visits tell more. */
export const FIRST_ODDS = -5.2;
const LEAST_ODDS = -9.2;
const MOST_ODDS = 3.2;
const ODDS_STEP = 0.4;
/** The chance that a page with a rhythm does something else. */
const EXCEPTION = 0.02;
/** An exception this close to the arc (in parts of the period) widens it, because hours of change are not exact. */
const MARGIN = 1 / 96;
/** A rhythm with smaller odds is given up at the next exception. */
const LEAST_KEPT = FIRST_ODDS - 3.6;
/** What a refuted rhythm takes from the odds of the next one. */
const AGAIN = 1;
/** The chance of an exception close to the arc, spread over twice the margin. */
const CLOSE = 0.3;
/** The chance that a page with a daily rhythm does not change on a day of the week. */
const DAY_OFF = 0.05;
const MOST_DAYS_OFF = 3;

/** The hours of the arc whose change would have come between two visits, as offsets in the period. */
export interface Covered {
  /** The share of the arc. */
  readonly share: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** The longest part of the arc that is not covered. */
  readonly gapFromMs: number;
  readonly gapToMs: number;
  /** One bit for each day of the week whose change would have come. */
  readonly days: number;
}

export function coveredBy(arc: Arc, { lengthMs }: Period, sinceMs: number, nowMs: number): Covered {
  const { startMs, widthMs, daysOff } = arc;
  const endMs = startMs + widthMs;
  let lowMs = endMs;
  let [fromMs, toMs, gapFromMs, gapToMs, covered, days] = [endMs, startMs, endMs, endMs, 0, 0];
  const note = (gapEndMs: number, gapStartMs: number) => {
    if (gapEndMs - gapStartMs > gapToMs - gapFromMs) [gapFromMs, gapToMs] = [gapStartMs, gapEndMs];
  };
  // After eight periods every change has come.
  const first = Math.floor((Math.max(sinceMs, nowMs - 9 * lengthMs) - endMs) / lengthMs);
  for (let n = Math.max(0, first); n * lengthMs + startMs <= nowMs; n++) {
    const low = Math.max(startMs, sinceMs - n * lengthMs);
    const high = Math.min(endMs, nowMs - n * lengthMs);
    if (high <= low || (daysOff >> (n % 7)) & 1) continue;
    days |= 1 << (n % 7);
    fromMs = Math.min(fromMs, low);
    toMs = Math.max(toMs, high);
    if (high < lowMs) note(lowMs, high);
    covered += Math.max(0, Math.min(high, lowMs) - low);
    lowMs = Math.min(lowMs, low);
  }
  note(lowMs, startMs);
  return { share: Math.min(1, covered / widthMs), fromMs, toMs, gapFromMs, gapToMs, days };
}

/** `chance` is the probability that a steady rate gave to what the visit found. */
export function afterVisit(packed: number, sinceMs: number, nowMs: number, changed: boolean, chance: number): number {
  const [day, week] = unpackRhythm(packed);
  const next = (arc: Arc, period: Period) => narrowed(arc, period, { sinceMs, nowMs, changed, chance });
  return packRhythm([next(day, PERIODS[0]), next(week, PERIODS[1])]);
}

interface Seen {
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly changed: boolean;
  readonly chance: number;
}

function narrowed(before: Arc, period: Period, { sinceMs, nowMs, changed, chance }: Seen): Arc {
  // A whole period is cut open at the visit, so that the possible hours are one piece.
  const isWhole = before.widthMs > (1 - 1 / period.slots) * period.lengthMs;
  const arc = isWhole ? { ...before, startMs: nowMs % period.lengthMs, daysOff: 0 } : before;
  const covered = coveredBy(arc, period, sinceMs, nowMs);
  const share = changed ? covered.share : 1 - covered.share;
  if (share > 1e-9) {
    const odds = arc.odds + Math.log((EXCEPTION + (1 - EXCEPTION) * share) / chance);
    if (share > 1 - 1e-9) return { ...arc, odds };
    return changed
      ? arcOf(period, covered.fromMs, covered.toMs, odds, arc.daysOff)
      : arcOf(period, covered.gapFromMs, covered.gapToMs, odds, arc.daysOff);
  }
  const surprised = afterException(arc, period, { sinceMs, nowMs, changed, chance });
  return surprised.odds > LEAST_KEPT ? surprised : startAgain(period, arc.odds);
}

/** The page did what its rhythm excludes. */
function afterException(arc: Arc, period: Period, { sinceMs, nowMs, changed, chance }: Seen): Arc {
  const marginMs = period.lengthMs * MARGIN;
  const [startMs, endMs] = [arc.startMs - marginMs, arc.startMs + arc.widthMs + marginMs];
  const isClose = Math.log((CLOSE * marginMs * 2) / period.lengthMs / chance);
  const wide = arcOf(period, startMs, endMs, arc.odds + isClose, arc.daysOff);
  const around = coveredBy(wide, period, sinceMs, nowMs);
  if (changed ? around.share > 0 : around.share < 1 - 1e-9) return wide;
  if (period.lengthMs === DAY_MS) {
    const { share, days } = coveredBy(changed ? { ...arc, daysOff: 0 } : arc, period, sinceMs, nowMs);
    const odds = arc.odds + Math.log(DAY_OFF / chance);
    if (changed && share > 0) return { ...arc, odds, daysOff: arc.daysOff & ~days };
    const daysOff = arc.daysOff | days;
    if (!changed && daysIn(daysOff) <= MOST_DAYS_OFF) return { ...arc, odds, daysOff };
  }
  const odds = arc.odds + Math.log(EXCEPTION / chance);
  return odds > 0 ? { ...arc, odds } : startAgain(period, arc.odds);
}

/** A page whose rhythm was refuted is less likely to have another one. */
function startAgain(period: Period, odds: number): Arc {
  return { startMs: 0, widthMs: period.lengthMs, odds: Math.min(FIRST_ODDS, odds) - AGAIN, daysOff: 0 };
}

function arcOf(period: Period, fromMs: number, toMs: number, odds: number, daysOff: number): Arc {
  const { lengthMs } = period;
  const periods = Math.floor(fromMs / lengthMs);
  const startMs = fromMs - periods * lengthMs;
  const widthMs = Math.min(lengthMs, toMs - fromMs);
  // The same day of change has another number when the arc begins in another period.
  return { startMs, widthMs, odds, daysOff: lengthMs === DAY_MS ? rotated(daysOff, periods) : 0 };
}

function daysIn(days: number): number {
  let count = 0;
  for (let rest = days; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

function rotated(days: number, by: number): number {
  const shift = ((by % 7) + 7) % 7;
  return ((days << shift) | (days >> (7 - shift))) & 0x7f;
}

const NOTHING: Rhythm = [
  { startMs: 0, widthMs: DAY_MS, odds: FIRST_ODDS, daysOff: 0 },
  { startMs: 0, widthMs: 7 * DAY_MS, odds: FIRST_ODDS, daysOff: 0 },
];

const ARC_PARTS = 2 ** 23;
const ODDS_BIT = 18;
const NINE_BITS = 0x1ff;

/** From low to high: the arc of the day, the arc of the week, the days off. */
export function packRhythm([day, week]: Rhythm): number {
  return packArc(day, PERIODS[0]) + packArc(week, PERIODS[1]) * ARC_PARTS + day.daysOff * ARC_PARTS ** 2;
}

export function unpackRhythm(packed: number): Rhythm {
  if (packed === 0) return NOTHING;
  const daysOff = Math.floor(packed / ARC_PARTS ** 2) % 0x7f;
  const ofWeek = Math.floor(packed / ARC_PARTS) % ARC_PARTS;
  return [unpackArc(packed % ARC_PARTS, PERIODS[0], daysOff), unpackArc(ofWeek, PERIODS[1], 0)];
}

/** The odds alone, which are needed more often than the arcs. */
export function oddsOf(packed: number, period: number): number {
  if (packed === 0) return FIRST_ODDS;
  const arc = (period === 0 ? packed : Math.floor(packed / ARC_PARTS)) % ARC_PARTS;
  return LEAST_ODDS + (arc >> ODDS_BIT) * ODDS_STEP;
}

/** Rounds the arc up, so that no possible hour is lost. The width is stored as what is missing to the whole period. */
function packArc({ startMs, widthMs, odds }: Arc, { lengthMs, slots }: Period): number {
  const slotMs = lengthMs / slots;
  const start = Math.floor(startMs / slotMs + 1e-6);
  const width = Math.min(slots, Math.max(1, Math.ceil((startMs + widthMs) / slotMs - start - 1e-6)));
  const steps = Math.round((Math.min(MOST_ODDS, Math.max(LEAST_ODDS, odds)) - LEAST_ODDS) / ODDS_STEP);
  return (start % slots) + (slots - width) * 2 ** 9 + steps * 2 ** ODDS_BIT;
}

function unpackArc(packed: number, { lengthMs, slots }: Period, daysOff: number): Arc {
  const slotMs = lengthMs / slots;
  const width = Math.max(1, slots - ((packed >> 9) & NINE_BITS));
  return {
    startMs: (packed & NINE_BITS) * slotMs,
    widthMs: width * slotMs,
    odds: LEAST_ODDS + (packed >> ODDS_BIT) * ODDS_STEP,
    daysOff,
  };
}
