import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../src/core/clock.ts';
import { UnitMonitor } from '../../../src/crawl/crew/unit-monitor.ts';
import type { UnitThread } from '../../../src/crawl/crew/unit-thread.ts';

function setUp() {
  const state = { nowMs: 1_000, parsingId: 0, killed: [] as string[] };
  const clock: Clock = { now: () => state.nowMs, after: () => () => {} };
  const unit = {
    get parsingId() {
      return state.parsingId;
    },
    kill: (cause: string) => state.killed.push(cause),
  } as unknown as UnitThread;
  const watch = new UnitMonitor(clock, 10_000);
  const lookAfter = (ms: number, parsingId: number): void => {
    state.nowMs += ms;
    state.parsingId = parsingId;
    watch.check([unit]);
  };
  return { state, lookAfter };
}

test('a unit that is busy with the same page for too long is stopped', () => {
  const { state, lookAfter } = setUp();
  lookAfter(0, 7);
  lookAfter(9_999, 7);
  assert.deepEqual(state.killed, []);
  lookAfter(1, 7);
  assert.deepEqual(state.killed, ['it was busy with one page for more than 10 seconds']);
});

test('another page, a pause or a clock that is set back restarts the measurement', () => {
  const { state, lookAfter } = setUp();
  lookAfter(0, 7);
  lookAfter(6_000, 8);
  lookAfter(6_000, 0);
  lookAfter(60_000, 8);
  lookAfter(-1_000_000, 8);
  lookAfter(9_999, 8);
  assert.deepEqual(state.killed, []);
});
