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
  return { clock, guard, watch: new LeaseMonitor(guard, clock, () => seen.push('expired')), seen };
}

test('W13 a timer reports expired leases, without any other call', () => {
  const { clock, watch, seen } = watched();
  clock.advance(999);
  assert.deepEqual(seen, []);
  clock.advance(1);
  assert.deepEqual(seen, ['expired']);
  assert.equal(watch.expiries, 1);
  clock.advance(10_000);
  assert.deepEqual(seen, ['expired'], 'once');
});

test('nothing happens while leases are renewed in time', () => {
  const { clock, guard, watch, seen } = watched();
  for (let i = 0; i < 20; i++) {
    clock.advance(400);
    guard.extend(clock.now(), 1_000);
    assert.equal(watch.isGood(), true);
  }
  assert.deepEqual(seen, []);
});

test('the first check after the process stood still finds the leases expired, before any timer', () => {
  let nowMs = 0;
  const guard = new LeaseGuard(undefined, { monotonicMs: () => nowMs, wallMs: () => nowMs });
  guard.extend(0, 1_000);
  let expiries = 0;
  const never = { now: () => nowMs, after: () => () => {} };
  const watch = new LeaseMonitor(guard, never, () => expiries++);
  nowMs = 5_000;
  assert.equal(watch.isGood(), false);
  assert.equal(expiries, 1);
});

test('expired leases stay expired until the losses are known, whatever the shared memory says', () => {
  const { clock, guard, watch, seen } = watched();
  clock.advance(1_500);
  guard.extend(clock.now(), 1_000);
  assert.equal(watch.isGood(), false);
  watch.renewed();
  assert.equal(watch.isGood(), true);
  clock.advance(1_000);
  assert.deepEqual(seen, ['expired', 'expired'], 'and it wakes for the next time');
});

test('a stopped monitor has no timer', () => {
  const { clock, watch } = watched();
  watch.stop();
  assert.equal(clock.pending, 0);
});
