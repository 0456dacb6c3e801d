import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseGuard } from '../../../src/core/lease-expiry.ts';
import { LeaseMonitor } from '../../../src/crawl/unit/lease-monitor.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';

function watched(): { clock: ManualClock; guard: LeaseGuard; watch: LeaseMonitor; seen: string[] } {
  const clock = new ManualClock();
  const guard = new LeaseGuard(undefined, { monotonicMs: clock.now, wallMs: clock.now });
  guard.extend(clock.now(), 1_000);
  const seen: string[] = [];
  return { clock, guard, watch: new LeaseMonitor(guard, clock, () => seen.push('lapsed')), seen };
}

test('W13 what is under way is ended when the leases lapse, without anybody asking', () => {
  const { clock, watch, seen } = watched();
  clock.advance(999);
  assert.deepEqual(seen, []);
  clock.advance(1);
  assert.deepEqual(seen, ['lapsed']);
  assert.equal(watch.lapses, 1);
  clock.advance(10_000);
  assert.deepEqual(seen, ['lapsed'], 'once');
});

test('while they are renewed in time nothing happens', () => {
  const { clock, guard, watch, seen } = watched();
  for (let i = 0; i < 20; i++) {
    clock.advance(400);
    guard.extend(clock.now(), 1_000);
    assert.equal(watch.isGood(), true);
  }
  assert.deepEqual(seen, []);
});

test('whoever asks first after the process stood still finds them lapsed, before any timer', () => {
  let nowMs = 0;
  const guard = new LeaseGuard(undefined, { monotonicMs: () => nowMs, wallMs: () => nowMs });
  guard.extend(0, 1_000);
  let lapses = 0;
  const never = { now: () => nowMs, after: () => () => {} };
  const watch = new LeaseMonitor(guard, never, () => lapses++);
  nowMs = 5_000;
  assert.equal(watch.isGood(), false);
  assert.equal(lapses, 1);
});

test('once lapsed they stay so until the word that what was lost is known, whatever the memory says', () => {
  const { clock, guard, watch, seen } = watched();
  clock.advance(1_500);
  guard.extend(clock.now(), 1_000);
  assert.equal(watch.isGood(), false);
  watch.renewed();
  assert.equal(watch.isGood(), true);
  clock.advance(1_000);
  assert.deepEqual(seen, ['lapsed', 'lapsed'], 'and it wakes for the next time');
});

test('one that was stopped keeps no timer', () => {
  const { clock, watch } = watched();
  watch.stop();
  assert.equal(clock.pending, 0);
});
