import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chanceOfChange,
  gainOfVisit,
  gainShare,
  MOST_GAIN_SHARE,
  RATES,
} from '../../../src/frontier/revisit/rate-grid.ts';
import {
  FIRST_PRIOR,
  learnPrior,
  logLikelihood,
  mostLikelyRate,
  writeLikelihood,
} from '../../../src/frontier/revisit/rate-prior.ts';
import { Outlook } from '../../../src/frontier/revisit/visit-forecast.ts';
import { afterLook, firstLook, KEPT_A_LOOK, LONGEST_MS } from '../../../src/frontier/revisit/visit-state.ts';
import { seededRandom } from '../../../testbed/random.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface Interval {
  readonly ms: number;
  readonly changed: boolean;
}

function irregularLooks(
  rateADay: number,
  looks: number,
  shortDays: number,
  longDays: number,
  seed: number,
): Interval[] {
  const random = seededRandom(seed);
  return Array.from({ length: looks }, () => {
    const ms = DAY_MS * shortDays * (longDays / shortDays) ** random();
    return { ms, changed: random() < 1 - Math.exp((-rateADay * ms) / DAY_MS) };
  });
}

/** Evidence that does not fade with time. */
function evidenceOf(intervals: readonly Interval[]) {
  const changed = intervals.filter((each) => each.changed);
  return {
    changes: changed.length,
    changedLogMs: changed.reduce((sum, { ms }) => sum + Math.log(ms), 0),
    quietMs: intervals.reduce((sum, { ms, changed: has }) => sum + (has ? 0 : ms), 0),
  };
}

/** Finds the rate with the largest value by trying rates one after the other, 0.2 % apart. */
function bruteForce(of: (rate: number) => number): number {
  let best = 0;
  let rate = 0;
  for (let each = 1e-3 / DAY_MS; each < 20 / DAY_MS; each *= 1.002) {
    const value = of(each);
    if (rate === 0 || value > best) [best, rate] = [value, each];
  }
  return rate;
}

function exactLog(intervals: readonly Interval[], rate: number): number {
  return intervals.reduce(
    (sum, { ms, changed }) => sum + (changed ? Math.log(-Math.expm1(-rate * ms)) : -rate * ms),
    0,
  );
}

test('the most likely rate is where the likelihood is largest', () => {
  for (const [i, rate] of [0.01, 0.3, 2].entries()) {
    const evidence = evidenceOf(irregularLooks(rate, 60, 0.2, 5, i + 1));
    assert.ok(evidence.changes > 0 && evidence.quietMs > 0);
    const found = bruteForce((each) => logLikelihood(evidence, each));
    assert.ok(Math.abs(Math.log(mostLikelyRate(evidence) / found)) < 0.0021, `${rate}: ${found}`);
  }
  assert.equal(mostLikelyRate({ changes: 0, changedLogMs: 0, quietMs: DAY_MS }), 0);
  assert.equal(
    mostLikelyRate({ changes: 2, changedLogMs: 2 * Math.log(DAY_MS), quietMs: 0 }),
    Number.POSITIVE_INFINITY,
  );
});

test('the geometric mean of the intervals is exact if they are equal and close if they are not', () => {
  const apart = (rate: number, short: number, long: number, count = 100) => {
    const ratios = Array.from({ length: 12 }, (_, seed) => {
      const intervals = irregularLooks(rate, count, short, long, seed + 10);
      return Math.log(mostLikelyRate(evidenceOf(intervals)) / bruteForce((each) => exactLog(intervals, each)));
    });
    return {
      bias: ratios.reduce((sum, each) => sum + each, 0) / ratios.length,
      worst: Math.max(...ratios.map(Math.abs)),
    };
  };
  assert.ok(apart(0.7, 1, 1).worst < 0.0021, 'equal intervals');
  const small = apart(0.05, 0.2, 2, 300);
  assert.ok(small.worst < 0.01, `λτ small: ${JSON.stringify(small)}`);
  const wide = apart(0.7, 0.5, 5);
  assert.ok(wide.worst < 0.08, `over a factor of ten around 1/λ: ${JSON.stringify(wide)}`);
  // The random error of an estimate from 100 visits. The error of the approximation must be smaller.
  const errors = Array.from({ length: 12 }, (_, seed) =>
    Math.abs(
      Math.log((bruteForce((each) => exactLog(irregularLooks(0.7, 100, 0.5, 5, seed + 10), each)) * DAY_MS) / 0.7),
    ),
  );
  assert.ok(Math.abs(wide.bias) < Math.max(...errors), `${wide.bias} against ${errors}`);
});

test('the gain at its limits', () => {
  const rate = 1 / DAY_MS;
  // λτ → 0: half of λτ²; λτ → ∞: the time that a new copy stays fresh.
  assert.ok(Math.abs(gainOfVisit(rate, 1, 1) / (rate / 2) - 1) < 1e-6);
  assert.ok(Math.abs(gainOfVisit(rate, 1e4 * DAY_MS, 3) / (3 * DAY_MS) - 1) < 1e-12);
  assert.equal(gainOfVisit(rate, 0, 1), 0);
  assert.equal(gainOfVisit(rate, -5, 1), 0);
  assert.ok(Math.abs(gainShare(0.99e-4) / gainShare(1.01e-4) - 0.99 / 1.01) < 1e-5, 'the two formulas meet');
  let largest = 0;
  for (let x = 0.01; x < 50; x += 0.001) largest = Math.max(largest, gainShare(x));
  assert.ok(largest <= MOST_GAIN_SHARE && largest > MOST_GAIN_SHARE - 1e-4, String(largest));
});

test('an outlook equals the mean over the posterior, computed as a plain sum', () => {
  const outlook = new Outlook();
  const cases = [
    { changes: 0, changedLogMs: 0, quietMs: 0 },
    { changes: 3, changedLogMs: 3 * Math.log(2 * DAY_MS), quietMs: 9 * DAY_MS },
    { changes: 5, changedLogMs: 5 * Math.log(DAY_MS), quietMs: 0 },
    { changes: 0, changedLogMs: 0, quietMs: 200 * DAY_MS },
  ];
  for (const evidence of cases) {
    for (const elapsedMs of [HOUR_MS, 3 * DAY_MS, 300 * DAY_MS]) {
      const sums = { total: 0, chance: 0, gain: 0, fresh: 0 };
      for (const [i, rate] of RATES.entries()) {
        const weight = FIRST_PRIOR[i]! * Math.exp(logLikelihood(evidence, rate));
        sums.total += weight;
        sums.chance += weight * chanceOfChange(rate, elapsedMs);
        sums.gain += weight * gainOfVisit(rate, elapsedMs, 1);
        sums.fresh += (weight * chanceOfChange(rate, elapsedMs)) / rate;
      }
      outlook.of(FIRST_PRIOR, evidence.changes, evidence.changedLogMs, evidence.quietMs, elapsedMs);
      assert.ok(
        Math.abs(outlook.chance / (sums.chance / sums.total) - 1) < 1e-3,
        JSON.stringify({ evidence, elapsedMs }),
      );
      assert.ok(
        Math.abs(outlook.gainMs / (sums.gain / sums.total) - 1) < 1e-3,
        JSON.stringify({ evidence, elapsedMs }),
      );
      assert.ok(Math.abs(outlook.claimedGainMs / (sums.fresh / sums.chance) - 1) < 1e-3);
    }
  }
});

test('the posterior follows the visits and never leaves its bounds', () => {
  const outlook = new Outlook();
  const rateOf = (changes: number, quietDays: number) => {
    outlook.of(FIRST_PRIOR, changes, changes * Math.log(DAY_MS), quietDays * DAY_MS, DAY_MS);
    return outlook.rate * DAY_MS;
  };
  assert.ok(rateOf(20, 20) > rateOf(5, 20) && rateOf(5, 20) > rateOf(1, 20) && rateOf(1, 20) > rateOf(0, 20));
  assert.ok(rateOf(0, 300) < rateOf(0, 3));
  assert.ok(Math.abs(rateOf(40, 40) - Math.LN2) < 0.1, `half of the days: ${rateOf(40, 40)}`);
  for (const changes of [0, 1e-9, 1, 1e9]) {
    for (const quietMs of [0, 1, 1e18]) {
      for (const elapsedMs of [0, 1e-9, 1, 1e18]) {
        outlook.of(FIRST_PRIOR, changes, changes * 50, quietMs, elapsedMs);
        const { chance, gainMs, claimedGainMs, rate } = outlook;
        assert.ok(
          chance >= 0 && chance <= 1 && gainMs >= 0 && gainMs <= elapsedMs,
          `${changes} ${quietMs} ${elapsedMs}`,
        );
        assert.ok(
          claimedGainMs > 0 && Number.isFinite(claimedGainMs) && rate > 0,
          `${changes} ${quietMs} ${elapsedMs}`,
        );
      }
    }
  }
});

test('a prior is learned from pages, is close to its parent if there are few pages, and excludes no rate', () => {
  const learnFrom = (pages: number, rateADay: number) => {
    const likelihoods = new Float32Array(pages * RATES.length);
    for (let page = 0; page < pages; page++) {
      const evidence = evidenceOf(irregularLooks(rateADay, 12, 0.3, 3, page + 1));
      writeLikelihood(likelihoods, page * RATES.length, evidence);
    }
    return learnPrior(likelihoods, pages, FIRST_PRIOR);
  };
  const within = (prior: Float32Array, low: number, high: number) =>
    prior.reduce((sum, weight, i) => sum + (RATES[i]! * DAY_MS >= low && RATES[i]! * DAY_MS <= high ? weight : 0), 0);
  const many = learnFrom(200, 1);
  assert.ok(within(many, 0.7, 1.4) > 0.7, String(within(many, 0.7, 1.4)));
  assert.ok(within(learnFrom(3, 1), 0.7, 1.4) < within(many, 0.7, 1.4) / 1.5);
  assert.ok(within(FIRST_PRIOR, 0.7, 1.4) < 0.2);
  assert.ok(Math.abs(many.reduce((sum, weight) => sum + weight, 0) - 1) < 1e-5);
  assert.ok(many.every((weight) => weight > 0));
});

test('old visits fade: a change of habits is noticed within about thirty visits', () => {
  let state = firstLook(0);
  const look = (afterMs: number, changed: boolean) => {
    state = afterLook(state, state.checkedAtMs + afterMs, changed);
  };
  for (let i = 0; i < 500; i++) look(DAY_MS, i % 10 === 0);
  const settled = mostLikelyRate(state) * DAY_MS;
  assert.ok(Math.abs(settled / -Math.log(0.9) - 1) < 0.1, String(settled));
  assert.ok(state.changes < 0.15 / (1 - KEPT_A_LOOK), 'it does not grow with the number of looks');
  let needed = 0;
  while (mostLikelyRate(state) * DAY_MS < 3 * settled) {
    look(DAY_MS, needed++ % 10 !== 0);
    assert.ok(needed < 30, `${mostLikelyRate(state) * DAY_MS} after ${needed} looks`);
  }
  assert.ok(needed > 5, 'and not by one look');
});

test('a visit before the last one gives no evidence, and a visit after a year counts as the longest interval', () => {
  const start = { ...firstLook(10 * DAY_MS), changes: 2, changedLogMs: 40, quietMs: 5 };
  for (const atMs of [10 * DAY_MS, 3 * DAY_MS]) {
    for (const changed of [true, false]) {
      assert.deepEqual(afterLook(start, atMs, changed), { ...start, checkedAtMs: atMs });
    }
  }
  const year = 375 * DAY_MS;
  assert.equal(afterLook(start, year, false).quietMs, 5 * KEPT_A_LOOK + LONGEST_MS);
  assert.equal(afterLook(start, year, true).changedLogMs, 40 * KEPT_A_LOOK + Math.log(LONGEST_MS));
});
