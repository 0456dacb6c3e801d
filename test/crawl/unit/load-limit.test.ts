import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestLimit } from '../../../src/crawl/unit/load-limit.ts';

const LOOK_MS = 50;

/** The limits over the given number of checks, while the load of the thread stays the same. */
function limits(cap: RequestLimit, looks: number, fromMs: number): number[] {
  return Array.from({ length: looks }, (_, i) => cap.limit(fromMs + i * LOOK_MS));
}

test('a waiting thread gets more requests, up to the window and within half a second', () => {
  const cap = new RequestLimit(128, () => 0.3);
  const seen = limits(cap, 10, 1_000);
  assert.equal(seen.at(-1), 128);
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  assert.equal(cap.nextUpdateMs(), Number.POSITIVE_INFINITY, 'more is not to be had');
});

test('a thread that is always busy gets fewer requests, but enough to stay busy', () => {
  let busy = 0.3;
  const cap = new RequestLimit(128, () => busy);
  limits(cap, 10, 1_000);
  busy = 1;
  const seen = limits(cap, 40, 2_000);
  assert.ok(seen[0]! < 128 && seen[0]! > 100, 'it declines gently');
  assert.equal(seen.at(-1), 16);
  busy = 0.5;
  assert.ok(cap.limit(5_000) > 16, 'and grows again');
});

test('the limit is not updated too often, and a clock that is set back does not stop the updates', () => {
  let looks = 0;
  const cap = new RequestLimit(100_000, () => {
    looks++;
    return 0;
  });
  for (let ms = 10_000; ms < 10_500; ms++) cap.limit(ms);
  assert.equal(looks, 10);
  assert.equal(cap.nextUpdateMs(), 10_500);
  cap.limit(3_000);
  assert.equal(looks, 11);
});

test('the limit never exceeds a small window', () => {
  const cap = new RequestLimit(4, () => 0);
  assert.deepEqual(limits(cap, 5, 0), [4, 4, 4, 4, 4]);
});
