import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Deadlines } from '../../src/fetch/deadlines.ts';
import { ManualClock } from './manual-clock.ts';

test('every timed object is checked at every tick, and the timer stops when there is none', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, 100);
  assert.equal(clock.pending, 0);
  const asked: number[] = [];
  const timed = { expire: (nowMs: number) => asked.push(nowMs) };
  deadlines.add(timed);
  assert.equal(clock.pending, 1);
  clock.advance(99);
  await nextTurn();
  assert.equal(asked.length, 0);
  clock.advance(1);
  await nextTurn();
  assert.deepEqual(asked, [clock.now()]);
  assert.equal(clock.pending, 1);
  deadlines.delete(timed);
  clock.advance(100);
  await nextTurn();
  assert.equal(asked.length, 1);
  assert.equal(clock.pending, 0);
});

test('objects that are added while others expire are timed, too', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, 100);
  const asked: string[] = [];
  const late = { expire: () => asked.push('late') };
  const first = {
    expire: () => {
      asked.push('first');
      deadlines.delete(first);
      deadlines.add(late);
    },
  };
  deadlines.add(first);
  clock.advance(100);
  await nextTurn();
  assert.equal(clock.pending, 1);
  clock.advance(100);
  await nextTurn();
  assert.ok(asked.includes('late'));
  assert.equal(asked.filter((name) => name === 'first').length, 1);
});

test('after stop, no object is checked', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, 100);
  deadlines.add({ expire: () => assert.fail('asked after stop') });
  clock.advance(100);
  deadlines.stop();
  await nextTurn();
  assert.equal(clock.pending, 0);
});
