import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsOf, runContender } from '../../bench/freshness/compare.ts';
import { KNOWN, OURS } from '../../bench/freshness/contenders.ts';
import { drawBudgets, drawLearning } from '../../bench/freshness/draw.ts';
import { factsOf } from '../../bench/freshness/evolving-web.ts';
import { bestFreshness, freshShare, noticedFreshness } from '../../bench/freshness/optimum.ts';

const SIZE = { pages: 80, warmUpLooks: 14, countedLooks: 12, roundsALook: 40 };

test('the schedule is nearly as fresh as the optimum, for known and unknown rates, and beats the others', () => {
  const floors = { equal: { 0.2: 0.92, 0.5: 0.96 }, zipf: { 0.2: 0.94, 0.5: 0.96 } } as const;
  for (const importance of ['equal', 'zipf'] as const) {
    for (const budget of [0.2, 0.5] as const) {
      const bounds = boundsOf({ sigma: 1.5, importance, budget }, SIZE, 11);
      const known = runContender(KNOWN, bounds, SIZE);
      const ours = runContender(OURS, bounds, SIZE);
      const cell = `${importance}, budget ${budget}`;
      assert.ok(known.share > 0.985 && known.share < 1.005, `${cell}: known rates ${known.share}`);
      assert.ok(ours.share > floors[importance][budget], `${cell}: ${ours.share}`);
      assert.ok(Math.abs(known.share - known.realShare) < 0.08, `${cell}: as it happened to be ${known.realShare}`);
      for (const other of ['uniform', 'proportional', 'nutch'] as const) {
        const { share, usedShare } = runContender(other, bounds, SIZE);
        assert.ok(ours.share > share, `${cell}: ${ours.share}, ${other} ${share}`);
        assert.ok(usedShare > 0.95 && usedShare <= 1, `${cell}: ${other} used ${usedShare} of the budget`);
      }
      assert.match(drawBudgets([bounds], [known, ours]), /^<svg [\s\S]*<polyline [\s\S]*<\/svg>\n$/);
      assert.match(drawLearning([known, ours], SIZE), /^<svg [\s\S]*<polyline [\s\S]*<\/svg>\n$/);
    }
  }
});

test('the optimum is uniform for equal pages, and better than every other division for unequal pages', () => {
  const equal = { rates: new Float64Array(10).fill(1), weights: new Float64Array(10).fill(0.1) };
  assert.ok(Math.abs(bestFreshness(equal, 5) - freshShare(2)) < 1e-9);
  const two = { rates: Float64Array.of(0.2, 3), weights: Float64Array.of(0.5, 0.5) };
  let best = 0;
  for (let part = 0.0005; part < 1; part += 0.0005) {
    best = Math.max(best, 0.5 * freshShare(0.2 / part) + 0.5 * freshShare(3 / (1 - part)));
  }
  assert.ok(Math.abs(bestFreshness(two, 1) - best) < 1e-5, `${bestFreshness(two, 1)} ${best}`);
  assert.equal(noticedFreshness(two, 3.2), 1);
  assert.ok(Math.abs(noticedFreshness(two, 0.2) - 0.5) < 1e-12);
});

test('the web is the same from the same seed, its mean rate 1 and its weights 1 in all', () => {
  const kind = { pages: 300, sigma: 2, importance: 'zipf', seed: 3 } as const;
  const facts = factsOf(kind);
  assert.deepEqual(facts, factsOf(kind));
  const sum = (values: Float64Array) => values.reduce((all, each) => all + each, 0);
  assert.ok(Math.abs(sum(facts.rates) / 300 - 1) < 1e-9 && Math.abs(sum(facts.weights) - 1) < 1e-9);
});
