import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterVisit,
  coveredBy,
  oddsOf,
  PERIODS,
  packRhythm,
  unpackRhythm,
} from '../../../src/frontier/revisit/rhythm.ts';
import { blendRhythm, hasRhythm } from '../../../src/frontier/revisit/rhythm-forecast.ts';
import { Schedule } from '../../../src/frontier/revisit/schedule.ts';
import { Outlook } from '../../../src/frontier/revisit/visit-forecast.ts';
import { afterLook, firstLook, type VisitState } from '../../../src/frontier/revisit/visit-state.ts';
import { seededRandom } from '../../../testbed/random.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday. */
const START_MS = Date.UTC(2025, 0, 6);
const NO_BONUS = () => 0;

/** Visits at irregular intervals to a page that changes at these times. */
function visited(
  changes: readonly number[],
  visits: number,
  [shortHours, longHours]: readonly [number, number],
  seed = 1,
  start: VisitState = firstLook(START_MS),
): VisitState {
  const random = seededRandom(seed);
  let state = start;
  for (let i = 0; i < visits; i++) {
    const nowMs = state.checkedAtMs + HOUR_MS * (shortHours + (longHours - shortHours) * random());
    const changed = changes.some((atMs) => atMs > state.checkedAtMs && atMs <= nowMs);
    state = afterLook(state, nowMs, changed);
  }
  return state;
}

/** The times at this hour of 400 days, except on days of the week that are left out. 0 is a Monday. */
function daily(hour: number, weekdays = [0, 1, 2, 3, 4, 5, 6]): number[] {
  const days = Array.from({ length: 400 }, (_, day) => day).filter((day) => weekdays.includes(day % 7));
  return days.map((day) => START_MS + day * DAY_MS + hour * HOUR_MS);
}

test('a page that changes every day at six is expected to change at six', () => {
  for (const hour of [6, 0.1, 23.8]) {
    const state = visited(daily(hour), 40, [5, 30]);
    const [arc] = unpackRhythm(state.rhythm);
    const inArc = (((hour * HOUR_MS - arc.startMs) % DAY_MS) + DAY_MS) % DAY_MS;
    assert.ok(hasRhythm(state.rhythm, NO_BONUS), `${hour}: odds ${arc.odds}`);
    assert.ok(inArc <= arc.widthMs && arc.widthMs < 4 * HOUR_MS, `${hour}: ${JSON.stringify(arc)}`);
  }
  const state = visited(daily(6), 40, [5, 30]);
  const schedule = new Schedule();
  const nextChange = daily(6).find((atMs) => atMs > state.checkedAtMs)!;
  // The last visit was right after a change.
  schedule.add({ id: 1, host: 1, ...state, checkedAtMs: nextChange + HOUR_MS });
  const before = schedule.outlook(1, nextChange + 22 * HOUR_MS)!;
  const after = schedule.outlook(1, nextChange + 25 * HOUR_MS)!;
  const evening = schedule.outlook(1, nextChange + 40 * HOUR_MS)!;
  assert.ok(before.chance < 0.2 && after.chance > 0.9, JSON.stringify({ before, after }));
  assert.ok(after.gain > 18 * HOUR_MS && after.gain > 4 * before.gain, 'a new copy stays fresh for a day');
  assert.ok(evening.gain < after.gain / 2, 'and in the evening only for the night');
});

test('the weekend of a page that changes on workdays is learned', () => {
  const state = visited(daily(9, [0, 1, 2, 3, 4]), 90, [6, 26]);
  assert.ok(hasRhythm(state.rhythm, NO_BONUS), String(oddsOf(state.rhythm, 0)));
  const schedule = new Schedule();
  const friday = START_MS + 7 * 40 * DAY_MS + 4 * DAY_MS + 12 * HOUR_MS;
  schedule.add({ id: 1, host: 1, ...state, checkedAtMs: friday });
  const chanceAfter = (hours: number) => schedule.outlook(1, friday + hours * HOUR_MS)!.chance;
  assert.ok(chanceAfter(48) < 0.2, `Sunday at noon: ${chanceAfter(48)}`);
  assert.ok(chanceAfter(72) > 0.8, `Monday at noon: ${chanceAfter(72)}`);
});

test('a page that changes every Monday is expected to change on Monday', () => {
  const state = visited(daily(10, [0]), 60, [30, 100]);
  const [, week] = unpackRhythm(state.rhythm);
  assert.ok(hasRhythm(state.rhythm, NO_BONUS) && week.widthMs < DAY_MS, JSON.stringify(week));
  const schedule = new Schedule();
  const tuesday = START_MS + 7 * 50 * DAY_MS + DAY_MS;
  schedule.add({ id: 1, host: 1, ...state, checkedAtMs: tuesday });
  assert.ok(schedule.outlook(1, tuesday + 5 * DAY_MS)!.chance < 0.2);
  assert.ok(schedule.outlook(1, tuesday + 7 * DAY_MS)!.chance > 0.9);
});

test('pages that change at random get no rhythm, except a few', () => {
  let believed = 0;
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed, 7);
    const changes: number[] = [];
    for (let atMs = START_MS; changes.length < 150; ) {
      atMs -= Math.log(1 - random()) * DAY_MS;
      changes.push(atMs);
    }
    if (hasRhythm(visited(changes, 100, [4, 40], seed).rhythm, NO_BONUS)) believed++;
  }
  assert.ok(believed <= 4, String(believed));
});

test('a rhythm ends when the page no longer keeps it, and a new hour is learned', () => {
  const early = visited(daily(6), 40, [5, 30]);
  const moved = visited(daily(15), 60, [5, 30], 2, early);
  const [arc] = unpackRhythm(moved.rhythm);
  const inArc = (((15 * HOUR_MS - arc.startMs) % DAY_MS) + DAY_MS) % DAY_MS;
  assert.ok(inArc <= arc.widthMs && arc.widthMs < 6 * HOUR_MS, JSON.stringify(arc));
});

test('a rhythm is one integer that a number holds exactly, and no value of the store does harm', () => {
  const random = seededRandom(4);
  for (let i = 0; i < 200; i++) {
    const arcOf = (lengthMs: number, daysOff: number) => ({
      startMs: random() * lengthMs,
      widthMs: random() * lengthMs,
      odds: -8 + 12 * random(),
      daysOff,
    });
    const rhythm = [arcOf(DAY_MS, i % 0x7f), arcOf(7 * DAY_MS, 0)] as const;
    const packed = packRhythm(rhythm);
    assert.ok(Number.isSafeInteger(packed) && packed >= 0, String(packed));
    const again = unpackRhythm(packed);
    assert.equal(packRhythm(again), packed);
    for (const [k, arc] of again.entries()) {
      const slotMs = PERIODS[k]!.lengthMs / PERIODS[k]!.slots;
      assert.ok(Math.abs(arc.startMs - rhythm[k]!.startMs) <= slotMs + 1);
      assert.ok(arc.widthMs >= Math.min(rhythm[k]!.widthMs, PERIODS[k]!.lengthMs) - 1);
    }
  }
  for (const rhythm of [2 ** 53 - 1, 2 ** 60, 0.5, Number.MAX_VALUE, 127 * 2 ** 46 + 2 ** 23 - 1]) {
    const schedule = new Schedule();
    schedule.add({ id: 1, host: 1, checkedAtMs: START_MS, changes: 3, changedLogMs: 55, rhythm });
    for (const hours of [0, 1, 30, 900]) {
      const { chance, gain } = schedule.outlook(1, START_MS + hours * HOUR_MS)!;
      assert.ok(chance >= 0 && chance <= 1 && gain >= 0 && Number.isFinite(gain), `${rhythm}: ${chance} ${gain}`);
    }
    const { rhythm: after } = schedule.observe(1, START_MS + DAY_MS, true);
    assert.ok(Number.isSafeInteger(after) && after >= 0, `${rhythm} became ${after}`);
  }
});

test('the hours between two visits are those that the visits enclose', () => {
  const arc = { startMs: 5 * HOUR_MS, widthMs: 4 * HOUR_MS, odds: 0, daysOff: 0 };
  const covered = (fromHour: number, toHour: number) =>
    coveredBy(arc, PERIODS[0], START_MS + fromHour * HOUR_MS, START_MS + toHour * HOUR_MS);
  assert.equal(covered(10, 28).share, 0);
  assert.equal(covered(3, 7).share, 0.5);
  assert.equal(covered(3, 12).share, 1);
  assert.equal(covered(3, 300).share, 1);
  const split = covered(7, 30);
  assert.deepEqual([split.share, split.gapFromMs, split.gapToMs], [0.75, 6 * HOUR_MS, 7 * HOUR_MS]);
  assert.equal(afterVisit(0, START_MS, START_MS + 3 * DAY_MS, true, 1) > 0, true);
});

test('a new page of a group whose pages change every day is expected to do so', () => {
  const schedule = new Schedule();
  const odds = (id: number) => schedule.outlook(id, START_MS + 300 * DAY_MS + HOUR_MS)!;
  for (let id = 0; id < 40; id++) {
    schedule.add({ id, host: 1, pattern: 1, ...visited(daily(6 + (id % 9)), 40, [5, 30], id + 1) });
  }
  const fresh = { host: 1, checkedAtMs: START_MS + 300 * DAY_MS - 27 * HOUR_MS };
  schedule.add({ ...fresh, id: 50, pattern: 1 });
  const before = odds(50);
  schedule.learnPriors();
  const after = odds(50);
  assert.ok(after.chance > before.chance && after.chance > 0.7, JSON.stringify({ before, after }));
});

test('where the budget allows few visits, one within the hours of change comes first, because it narrows them', () => {
  const arc = { startMs: 5 * HOUR_MS, widthMs: 8 * HOUR_MS, odds: 0, daysOff: 0 };
  const week = { startMs: 0, widthMs: 7 * DAY_MS, odds: -9, daysOff: 0 };
  // The last visit came after the hours of change of a day, and the next one comes a day later.
  const gain = (hour: number, usualDays: number, bonus: number): number => {
    const outlook = new Outlook();
    const times = {
      sinceMs: START_MS + 14 * HOUR_MS,
      nowMs: START_MS + DAY_MS + hour * HOUR_MS,
      usualMs: usualDays * DAY_MS,
    };
    blendRhythm(outlook, packRhythm([arc, week]), (period) => (period === 0 ? bonus : 0), times);
    return outlook.gainMs;
  };
  assert.ok(gain(9, 2, 5) > gain(13, 2, 5), 'the middle of the hours shows in which half the change comes');
  assert.ok(gain(9, 1, 5) < gain(13, 1, 5), 'a page that is visited every day is visited after its change');
  assert.equal(gain(9, 2, 0), 0, 'a page alone is not believed');
});
