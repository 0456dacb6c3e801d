/** Tests the parallelism of a worker under simulated loads. The effect of the rule is computed, not timed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Measured, Parallelism } from '../../../src/crawl/cluster/parallelism.ts';

const MOST = { units: 4, window: 256 };

/** A network line that carries `pagesPerSecond`. Further pages wait in its queue and finally time out. */
class Line {
  pagesPerSecond = 100;
  latencyMs = 200;
  timeoutMs = 10_000;
  /** Share of the hosts that never answer. */
  deadShare = 0;
  /** Milliseconds of thread time per page. */
  workMs = 1;
  memoryShare = 0.2;
  carried = 0;

  second({ window, units }: Parallelism): Measured {
    const waitMs = Math.max(this.latencyMs, (window / this.pagesPerSecond) * 1_000);
    const cpuLimit = (units * 1_000) / this.workMs;
    const done = Math.min(this.pagesPerSecond, (window / this.latencyMs) * 1_000, cpuLimit);
    const failing = Math.max(this.deadShare, waitMs > this.timeoutMs ? 1 - this.timeoutMs / waitMs : 0);
    const answers = Math.round(done);
    this.carried = done * (1 - failing);
    return {
      busyShare: Math.min(1, (done * this.workMs) / 1_000 / units),
      usedShare: 1,
      answers,
      failures: Math.round(answers * failing),
      memoryShare: this.memoryShare,
    };
  }
}

/** Simulates `seconds` seconds with the line as it is. */
function run(line: Line, parallelism: Parallelism, seconds: number): void {
  for (let second = 0; second < seconds; second++) {
    parallelism.adjust(line.second(parallelism));
    assert.ok(parallelism.units >= 1 && parallelism.units <= MOST.units);
    assert.ok(parallelism.window >= 1 && parallelism.window <= MOST.window);
  }
}

test('W12 a slow connection is used fully, but not with more requests than it can carry', () => {
  const line = new Line();
  line.pagesPerSecond = 20;
  const parallelism = new Parallelism(MOST);
  run(line, parallelism, 120);
  assert.ok(line.carried >= 0.9 * line.pagesPerSecond, `${line.carried}`);
  // Four requests fill the line, and it began with sixteen times as many.
  assert.ok(parallelism.window <= 24, `${parallelism.window}`);
});

test('W12 a fast connection gets all requests that are allowed', () => {
  const line = new Line();
  line.pagesPerSecond = 5_000;
  const parallelism = new Parallelism(MOST);
  run(line, parallelism, 60);
  assert.ok(parallelism.window >= 0.75 * MOST.window, `${parallelism.window}`);
});

test('W12 a worker adapts when the connection becomes faster or slower', () => {
  const line = new Line();
  line.pagesPerSecond = 40;
  const parallelism = new Parallelism(MOST);
  run(line, parallelism, 120);
  const before = parallelism.window;
  line.pagesPerSecond = 1_000;
  run(line, parallelism, 60);
  assert.ok(parallelism.window > 3 * before, `${before} → ${parallelism.window}`);
  line.pagesPerSecond = 40;
  run(line, parallelism, 120);
  assert.ok(parallelism.window < 60, `${parallelism.window}`);
});

test('W12 a tenth or a third of hosts that never answer does not slow a worker down', () => {
  for (const deadShare of [0.1, 0.3]) {
    const line = Object.assign(new Line(), { pagesPerSecond: 2_000, deadShare });
    const parallelism = new Parallelism(MOST);
    run(line, parallelism, 200);
    assert.ok(parallelism.window >= 0.75 * MOST.window, `${deadShare}: ${parallelism.window}`);
  }
});

test('W12 a worker sends fewer parallel requests when suddenly many more fail than usual', () => {
  const line = Object.assign(new Line(), { pagesPerSecond: 2_000 });
  const parallelism = new Parallelism(MOST);
  run(line, parallelism, 60);
  line.deadShare = 0.5;
  run(line, parallelism, 3);
  assert.ok(parallelism.window < MOST.window / 2, `${parallelism.window}`);
});

test('W12 threads are added while the existing ones are always busy, and removed after a long calm', () => {
  const line = Object.assign(new Line(), { pagesPerSecond: 3_000, workMs: 1, latencyMs: 20 });
  const parallelism = new Parallelism(MOST);
  run(line, parallelism, 30);
  assert.ok(parallelism.units >= 3, `${parallelism.units}`);
  const busiest = parallelism.units;
  line.pagesPerSecond = 300;
  run(line, parallelism, 20);
  assert.equal(parallelism.units, busiest, 'a short calm changes nothing');
  run(line, parallelism, 200);
  assert.equal(parallelism.units, 1);
});

test('W12 low memory reduces requests and threads, down to the minimum that keeps the worker running', () => {
  const line = Object.assign(new Line(), { pagesPerSecond: 3_000, workMs: 1, latencyMs: 20 });
  const parallelism = new Parallelism(MOST);
  run(line, parallelism, 30);
  line.memoryShare = 0.9;
  run(line, parallelism, 20);
  assert.equal(parallelism.units, 1);
  assert.ok(parallelism.window <= 16);
});

test('W12 small limits are respected', () => {
  const parallelism = new Parallelism({ units: 1, window: 5 });
  const line = Object.assign(new Line(), { workMs: 100 });
  for (let second = 0; second < 50; second++) parallelism.adjust(line.second(parallelism));
  assert.deepEqual([parallelism.units, parallelism.window], [1, 5]);
});
