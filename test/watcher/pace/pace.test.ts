import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pace, type PaceOptions } from '../../../src/watcher/pace/pace.ts';
import { isRushHour, parseRushHours } from '../../../src/watcher/pace/rush-hours.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';

/** A process whose work takes exactly the given CPU time. Time passes only by working and by waiting. */
class Machine {
  readonly clock = new ManualClock();
  cpuMs = 0;
  load = 0;
  readonly pace: Pace;

  constructor(options: Partial<PaceOptions> = {}) {
    this.pace = new Pace({
      share: 0.1,
      rushHours: null,
      maxLoad: null,
      clock: this.clock,
      cpuMs: () => this.cpuMs,
      loadAverage: () => this.load,
      ...options,
    });
  }

  work(ms: number): void {
    this.cpuMs += ms;
    this.clock.advance(ms);
  }

  /** Advances the clock until the pause is over. Returns the length of the pause. */
  async pause(stepMs = 1, signal?: AbortSignal): Promise<number> {
    const fromMs = this.clock.now();
    let isDone = false;
    const breath = this.pace.pause(signal).then(() => {
      isDone = true;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (isDone) break;
      this.clock.advance(stepMs);
    }
    await breath;
    return this.clock.now() - fromMs;
  }
}

for (const share of [0.02, 0.1, 0.5, 1]) {
  test(`W9 the CPU time stays within a share of ${share}`, async () => {
    const machine = new Machine({ share });
    const startMs = machine.clock.now();
    let mostAtOnceMs = 0;
    let unbroken = 0;
    for (let slice = 0; slice < 300; slice++) {
      while (!machine.pace.isPauseDue) machine.work(3);
      const waitedMs = await machine.pause();
      unbroken = waitedMs === 0 ? unbroken + 12 : 0;
      mostAtOnceMs = Math.max(mostAtOnceMs, unbroken);
    }
    const tookMs = machine.clock.now() - startMs;
    assert.ok(machine.cpuMs <= share * tookMs + 50, `${machine.cpuMs} ms of ${tookMs}`);
    assert.ok(machine.cpuMs >= share * tookMs * 0.9, `not slower than necessary: ${machine.cpuMs} ms of ${tookMs}`);
    if (share < 0.9) assert.ok(mostAtOnceMs <= 60, `${mostAtOnceMs} ms at once`);
    assert.equal(machine.pace.counters.cpuMs, machine.cpuMs);
    assert.ok(share === 1 || machine.pace.counters.pausedMs > 0);
  });
}

test('W9 CPU time saved in idle hours allows only a short burst', async () => {
  const machine = new Machine({ share: 0.1 });
  machine.clock.advance(3_600_000);
  await machine.pause();
  let burstMs = 0;
  while (burstMs < 1_000) {
    machine.work(10);
    burstMs += 10;
    if ((await machine.pause()) > 0) break;
  }
  assert.ok(burstMs <= 70, `${burstMs}`);
});

test('W9 the extra CPU time of the start can be used once', async () => {
  const machine = new Machine({ share: 0.1, startMs: 1_000 });
  const fromMs = machine.clock.now();
  while (machine.cpuMs < 1_000) {
    machine.work(10);
    assert.equal(await machine.pause(), 0);
  }
  machine.work(1_000);
  assert.ok((await machine.pause()) > 7_000);
  assert.ok(machine.cpuMs <= 1_000 + 0.1 * (machine.clock.now() - fromMs) + 50);
});

test('W9 the extra CPU time of the start expires when the start is over', async () => {
  let isStarting = true;
  const machine = new Machine({ share: 0.1, startMs: 1_000, isStarting: () => isStarting });
  machine.work(500);
  assert.equal(await machine.pause(), 0);
  isStarting = false;
  machine.work(100);
  assert.ok((await machine.pause()) > 500);
});

test('W9 CPU time of the rest of the process is compensated within seconds, not hours', async () => {
  const machine = new Machine({ share: 0.1 });
  machine.cpuMs += 3_600_000;
  const waitedMs = await machine.pause(100);
  assert.ok(waitedMs >= 9_000 && waitedMs <= 11_000, `${waitedMs}`);
});

test('W9 work continues slowly if the rest of the process always uses more than the share', async () => {
  const machine = new Machine({ share: 0.01 });
  let isDone = false;
  machine.work(10);
  const breath = machine.pace.pause().then(() => {
    isDone = true;
  });
  const fromMs = machine.clock.now();
  while (!isDone && machine.clock.now() - fromMs < 60_000) {
    await new Promise((resolve) => setImmediate(resolve));
    machine.cpuMs += 10;
    machine.clock.advance(100);
  }
  assert.equal(isDone, true, 'a flood of questions must not end the sweeps');
  assert.ok(machine.clock.now() - fromMs >= 9_000, 'the work does not use more because others do');
  await breath;
});

test('W9 a clock that is set back neither stops the work nor removes the limit', async () => {
  const machine = new Machine({ share: 0.5 });
  machine.work(100);
  machine.clock.advance(-3_600_000);
  assert.equal(machine.pace.isPauseDue, true);
  const waitedMs = await machine.pause();
  assert.ok(waitedMs > 50 && waitedMs < 1_000, `${waitedMs}`);
});

test('W9 heavy work pauses in rush hours and continues after them', async () => {
  const clock = new ManualClock();
  clock.advance(new Date(2026, 4, 4, 7, 59, 0).getTime() - clock.now());
  const pace = new Pace({ share: 1, rushHours: parseRushHours('08:00-10:00'), maxLoad: null, clock, cpuMs: () => 0 });
  assert.equal(pace.isRush, false);
  await pace.pause();
  clock.advance(60_000);
  assert.equal(pace.isRush, true);
  let isDone = false;
  const breath = pace.pause().then(() => {
    isDone = true;
  });
  while (clock.now() < new Date(2026, 4, 4, 9, 59, 30).getTime()) {
    clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isDone, false);
  }
  for (let step = 0; step < 20 && !isDone; step++) {
    clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(isDone, true);
  await breath;
  assert.ok(pace.counters.rushMs >= 7_000_000, `${pace.counters.rushMs}`);
});

test('W9 heavy work pauses while the load of the machine is above the limit', async () => {
  const machine = new Machine({ share: 1, maxLoad: 0.8 });
  machine.load = 0.9;
  assert.equal(machine.pace.isRush, true);
  setImmediate(() => setImmediate(() => (machine.load = 0.5)));
  const waitedMs = await machine.pause(1_000);
  assert.ok(waitedMs >= 5_000 && waitedMs <= 60_000, `${waitedMs}`);
  assert.equal(machine.pace.isRush, false);
});

test('an abort signal ends the wait at once', async () => {
  const machine = new Machine({ share: 0.01 });
  machine.work(1_000);
  const stop = new AbortController();
  const breath = machine.pace.pause(stop.signal);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(machine.clock.pending, 1);
  stop.abort();
  await breath;
  assert.equal(machine.clock.pending, 0);
});

test('rush hours are parsed, and invalid text is refused', () => {
  const hours = parseRushHours('08:00-10:00, 17:30-19:00,22:00-02:00,23:00-24:00')!;
  const at = (hour: number, minute: number) => isRushHour(hours, new Date(2026, 0, 5, hour, minute).getTime());
  for (const [hour, minute] of [
    [8, 0],
    [9, 59],
    [17, 30],
    [22, 0],
    [23, 59],
    [0, 0],
    [1, 59],
  ] as const)
    assert.equal(at(hour, minute), true, `${hour}:${minute}`);
  for (const [hour, minute] of [
    [7, 59],
    [10, 0],
    [17, 29],
    [19, 0],
    [21, 59],
    [2, 0],
  ] as const)
    assert.equal(at(hour, minute), false, `${hour}:${minute}`);
  for (const text of [
    '',
    'x',
    '8-10',
    '08:00',
    '08:00-08:00',
    '25:00-26:00',
    '08:60-09:00',
    '08:00-24:30',
    '08:00-09:00,',
    `${'08:00-09:00,'.repeat(30)}08:00-09:00`,
  ]) {
    assert.equal(parseRushHours(text), null, text);
  }
});

test('W9 CPU time of responses is not charged to the work, and many visitors do not stop the work', async () => {
  let answersMs = 0;
  const machine = new Machine({ share: 0.01, answersMs: () => answersMs });
  machine.clock.advance(60_000);
  await machine.pause();
  // All of this CPU time is known to be spent on answers.
  machine.cpuMs += 500;
  answersMs += 500;
  machine.clock.advance(1_000);
  assert.equal(await machine.pause(), 0);
  // The purpose of more than half of this CPU time is unknown.
  let waitedMs = 0;
  for (let slice = 0; slice < 10; slice++) {
    machine.cpuMs += 500;
    answersMs += 200;
    machine.clock.advance(1_000);
    const stop = machine.clock.after(1, function visit() {
      machine.cpuMs += 0.5;
      answersMs += 0.2;
      machine.clock.after(1, visit);
    });
    waitedMs += await machine.pause();
    stop();
  }
  assert.ok(waitedMs <= 11_000, `${waitedMs}`);
});
