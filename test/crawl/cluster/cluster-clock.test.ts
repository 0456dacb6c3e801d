import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterClock } from '../../../src/crawl/unit/cluster-clock.ts';
import { SeededRandom } from '../../../testbed/random.ts';

/** How far the server's clock is ahead of the monotonic clock of this machine, which starts at an arbitrary value. */
const AHEAD_MS = 1_700_000_000_000;

class TwoClocks {
  localMs = 250_000;
  aheadMs = AHEAD_MS;
  readonly clock = new ClusterClock(undefined, () => this.localMs);

  get serverMs(): number {
    return this.localMs + this.aheadMs;
  }

  /** Sends a request that takes `thereMs` to the server; the response takes `backMs` to return. */
  ask(thereMs: number, backMs: number): void {
    const askedAtMs = this.localMs;
    this.localMs += thereMs;
    const serverMs = this.serverMs;
    this.localMs += backMs;
    this.clock.measure(serverMs, askedAtMs, this.localMs);
  }

  get errorMs(): number {
    return Math.abs(this.clock.now() - this.serverMs);
  }
}

test('the clock is within half a round trip of the server clock, whatever the local clock says', () => {
  const clocks = new TwoClocks();
  clocks.ask(30, 10);
  assert.ok(clocks.errorMs <= 21, `${clocks.errorMs}`);
  clocks.ask(1, 1);
  // The local estimate was ahead, so it stands still until the server's clock has caught up.
  clocks.localMs += 20;
  assert.ok(clocks.errorMs <= 2, `${clocks.errorMs}`);
});

test('a slow heartbeat does not make the clock less accurate', () => {
  const clocks = new TwoClocks();
  clocks.ask(1, 1);
  clocks.ask(4_000, 5);
  assert.ok(clocks.errorMs <= 2, `${clocks.errorMs}`);
});

test('over thousands of heartbeats the clock stays within a round trip and never goes back', () => {
  const random = new SeededRandom(3);
  const clocks = new TwoClocks();
  clocks.ask(3, 3);
  let lastMs = clocks.clock.now();
  for (let i = 0; i < 5_000; i++) {
    // The clocks drift apart and together again, like the clocks of two machines.
    clocks.aheadMs += Math.sin(i / 500) * 0.2;
    clocks.localMs += random.below(3_000);
    clocks.ask(1 + random.below(random.pick([2, 2, 40])), 1 + random.below(random.pick([2, 2, 400])));
    const nowMs = clocks.clock.now();
    assert.ok(nowMs >= lastMs, 'it goes forward');
    lastMs = nowMs;
    assert.ok(clocks.errorMs <= 25, `${clocks.errorMs} after ${i}`);
  }
});

test('the clock stands still if the server clock is set back a little, and follows if it is a lot', () => {
  const clocks = new TwoClocks();
  clocks.ask(1, 1);
  const beforeMs = clocks.clock.now();
  clocks.aheadMs -= 500;
  clocks.ask(1, 1);
  assert.equal(clocks.clock.now(), beforeMs);
  clocks.localMs += 600;
  assert.ok(clocks.errorMs <= 2, 'until it is right again');
  clocks.aheadMs -= 3_600_000;
  clocks.ask(1, 1);
  assert.ok(clocks.errorMs <= 2, `${clocks.errorMs}`);
});

test('threads share the clock, and its times are whole milliseconds', () => {
  const clocks = new TwoClocks();
  clocks.ask(1.25, 1.5);
  const there = new ClusterClock(clocks.clock.memory, () => clocks.localMs);
  assert.equal(there.now(), clocks.clock.now());
  assert.ok(Number.isInteger(there.now()));
});

test('the clock is set forward slowly, because delays depend on it, and far forward at once', () => {
  const clocks = new TwoClocks();
  clocks.ask(1, 1);
  clocks.aheadMs += 500;
  clocks.ask(1, 1);
  const [localMs, nowMs] = [clocks.localMs, clocks.clock.now()];
  for (const passedMs of [1_000, 10_000, 100_000]) {
    clocks.localMs = localMs + passedMs;
    assert.ok(Math.abs(clocks.clock.now() + clocks.clock.behindMs - clocks.serverMs) <= 2, 'what is missing is known');
    assert.ok(clocks.clock.now() - nowMs <= passedMs * 1.001 + 1, 'no delay is shorter by more than a thousandth');
  }
  clocks.localMs = localMs + 600_000;
  assert.ok(clocks.errorMs <= 2, 'in the end it is right');
  clocks.aheadMs += 3_600_000;
  clocks.ask(1, 1);
  assert.ok(clocks.errorMs <= 2, `${clocks.errorMs}`);
});
