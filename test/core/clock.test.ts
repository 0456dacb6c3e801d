/** A timer that keeps to the wall clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everySteady } from '../../src/core/clock.ts';

test('the work is done once in each period of the wall clock', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_230 });
  const at: number[] = [];
  const stop = everySteady(500, () => {
    at.push(Date.now());
  });
  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 10) t.mock.timers.tick(10);
  };
  pass(2_000);
  assert.deepEqual(at, [1_500, 2_000, 2_500, 3_000]);
  stop();
  pass(2_000);
  assert.equal(at.length, 4);
});

test('a timer that is a little early is not followed by another one at once', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 999 });
  let calls = 0;
  const stop = everySteady(500, () => {
    calls++;
  });
  t.mock.timers.tick(499);
  assert.equal(calls, 0, 'the period that is nearly over does not count');
  t.mock.timers.tick(2);
  assert.equal(calls, 1);
  stop();
});
