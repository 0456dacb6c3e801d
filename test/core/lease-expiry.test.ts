import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { monotonicMs } from '../../src/core/clock.ts';
import { LeaseGuard } from '../../src/core/lease-expiry.ts';

/** A monotonic clock and a wall clock. The test moves each of them separately. */
class TurnedTime {
  evenMs = 5_000;
  wallsMs = 1_700_000_000_000;
  monotonicMs = (): number => this.evenMs;
  wallMs = (): number => this.wallsMs;

  pass(ms: number): void {
    this.evenMs += ms;
    this.wallsMs += ms;
  }
}

function guarded(): { time: TurnedTime; guard: LeaseGuard } {
  const time = new TurnedTime();
  return { time, guard: new LeaseGuard(undefined, time) };
}

test('leases count from the request for a renewal, not from its response', () => {
  const { time, guard } = guarded();
  assert.equal(guard.isGood(), false, 'leases are invalid before the first renewal');
  const askedAtMs = time.evenMs;
  time.pass(400);
  guard.extend(askedAtMs, 1_000);
  time.pass(599);
  assert.equal(guard.isGood(), true);
  time.pass(1);
  assert.equal(guard.isGood(), false);
});

test('a late response after a newer one does not shorten the leases', () => {
  const { time, guard } = guarded();
  guard.extend(time.evenMs, 1_000);
  guard.extend(time.evenMs - 900, 1_000);
  assert.equal(guard.remainingMs(), 1_000);
  guard.extend(time.evenMs - 5_000, 1_000);
  time.pass(999);
  assert.equal(guard.isGood(), true);
});

test('the wall clock detects that the machine slept while the monotonic clock stood still', () => {
  const { time, guard } = guarded();
  guard.extend(time.evenMs, 60_000);
  time.wallsMs += 3_600_000;
  assert.equal(guard.isGood(), false);
  guard.extend(time.evenMs + 1, 60_000);
  assert.equal(guard.isGood(), true, 'the next renewal makes the leases valid by the current wall clock');
});

test('a wall clock that is set back does not extend the leases', () => {
  const { time, guard } = guarded();
  guard.extend(time.evenMs, 1_000);
  time.wallsMs -= 3_600_000;
  time.evenMs += 1_000;
  assert.equal(guard.isGood(), false);
});

test('ended leases are invalid until they are renewed', () => {
  const { time, guard } = guarded();
  guard.extend(time.evenMs, 1_000);
  guard.end();
  assert.equal(guard.isGood(), false);
  guard.extend(time.evenMs, 1_000);
  assert.equal(guard.isGood(), true);
});

test('another thread sees the same leases by the same clock', async () => {
  const guard = new LeaseGuard();
  guard.extend(monotonicMs(), 60_000);
  const module = new URL('../../src/core/lease-expiry.ts', import.meta.url).href;
  const code = `const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(module)}).then(({ LeaseGuard }) => {
      parentPort.postMessage(new LeaseGuard(workerData).remainingMs());
    });`;
  const worker = new Worker(code, { eval: true, workerData: guard.memory });
  const [thereMs] = await new Promise<number[]>((resolve, reject) => {
    worker.once('message', (ms) => resolve([ms]));
    worker.once('error', reject);
  });
  assert.ok(thereMs! <= 60_000 && thereMs! >= guard.remainingMs(), `${thereMs}`);
});
