import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inStage } from '../../src/core/stage-events.ts';
import { STAGE_BUCKETS_MS, StageTimes } from '../../src/core/stage-times.ts';

test('M6 the times of a stage are summed, each in the bucket of its bound', () => {
  const times = new StageTimes();
  for (const tookMs of [0, 0.1, 0.11, 30_000, 30_001, 1e9]) times.count({ stage: 'page', tookMs });
  times.count({ stage: 'robots', tookMs: 2 });
  const [robots, page, ...others] = times.read();
  assert.deepEqual(others, []);
  assert.deepEqual([robots?.stage, robots?.unit, robots?.count, robots?.tookMs], ['robots', 'crawler', 1, 2]);
  assert.equal(robots?.buckets[STAGE_BUCKETS_MS.indexOf(3)], 1);
  assert.deepEqual([page?.count, page?.tookMs], [6, 1e9 + 60_001.21]);
  assert.deepEqual(page?.buckets, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
});

test('M6 sums are in memory that other threads can read, and are added up', () => {
  const unit = new StageTimes();
  const seen = new StageTimes(unit.memory);
  unit.count({ stage: 'fetch', tookMs: 5 });
  assert.deepEqual(seen.read(), unit.read());
  const all = new StageTimes();
  all.add(unit);
  all.add(seen);
  assert.deepEqual(
    all.read().map(({ stage, count, tookMs }) => [stage, count, tookMs]),
    [['fetch', 2, 10]],
  );
});

test('M6 a listener counts the stages of its thread until it stops, also stages that fail', async () => {
  const times = new StageTimes();
  const stop = times.listen();
  inStage('page', null, () => 1);
  await assert.rejects(inStage('fetch', null, () => Promise.reject(new Error('reset'))));
  stop();
  inStage('page', null, () => 1);
  assert.deepEqual(
    times.read().map(({ stage, count }) => [stage, count]),
    [
      ['fetch', 1],
      ['page', 1],
    ],
  );
});
