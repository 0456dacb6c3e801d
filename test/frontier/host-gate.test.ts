/**
 * The guarantees of the gate, as the server sees them: the test records the beginning
 * and end of every request and checks them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Answer,
  adaptDelay,
  type GateRules,
  HostGate,
  LeaseExpiredError,
  type Manners,
} from '../../src/frontier/host-gate.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { ManualClock } from '../fetch/manual-clock.ts';

const STRANGER: Manners = { askedAtMs: 0, delayMs: null, blockedUntilMs: 0 };
const FINE: Answer = { tookMs: 10, strained: false, blockUntilMs: 0 };

/** One host and its clients, which ask through one gate after another. */
class AskedHost {
  readonly clock = new ManualClock();
  readonly #rules: GateRules;
  readonly #random: SeededRandom;
  gate: HostGate;
  #crawlDelayMs: number | null = null;
  /** The limits that the host may expect now, tracked independently of the gate. */
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #blockedUntilMs = 0;
  #underWay = 0;
  begun = 0;
  refused = 0;

  constructor(rules: GateRules, random: SeededRandom) {
    this.#rules = rules;
    this.#random = random;
    this.gate = new HostGate(rules, STRANGER, this.clock);
  }

  step(): void {
    const kind = this.#random.below(20);
    if (kind < 8) this.#tryToBegin();
    else if (kind < 14) this.#end();
    else if (kind < 18) this.clock.advance(this.#random.below(this.#random.pick([700, 10_000])));
    else if (kind === 18) this.#block();
    else this.#restartOrHonour();
    assert.equal(this.gate.underWay, this.#underWay);
  }

  /**
   * The delay that holds whatever the host answered: the configured delay, the
   * delay that the host asked for, or one second.
   */
  get #leastDelayMs(): number {
    return Math.max(this.#rules.delayMs ?? 1_000, this.#crawlDelayMs ?? 0);
  }

  #tryToBegin(): void {
    const nowMs = this.clock.now();
    if (this.gate.nextAtMs() > nowMs) {
      assert.throws(() => this.gate.begin(), /sooner than allowed/);
      this.refused++;
      return;
    }
    assert.ok(nowMs >= this.#blockedUntilMs, 'asked while it was blocked');
    if (this.#leastDelayMs > 0) {
      assert.equal(this.#underWay, 0, 'one at a time');
      assert.ok(nowMs >= this.#endedAtMs + this.#leastDelayMs, 'asked before the delay was over');
    }
    assert.ok(this.#underWay < this.#rules.parallel, 'C5');
    this.gate.begin();
    this.#underWay++;
    this.begun++;
  }

  #end(): void {
    if (this.#underWay === 0) return;
    const nowMs = this.clock.now();
    const blockUntilMs = this.#random.below(10) === 0 ? nowMs + this.#random.below(5_000) : 0;
    this.gate.end({ tookMs: this.#random.below(3_000), strained: this.#random.below(5) === 0, blockUntilMs });
    this.#underWay--;
    this.#endedAtMs = nowMs;
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, blockUntilMs);
  }

  #block(): void {
    const untilMs = this.clock.now() + this.#random.below(3_000);
    this.gate.block(untilMs);
    this.#blockedUntilMs = Math.max(this.#blockedUntilMs, untilMs);
  }

  #restartOrHonour(): void {
    if (this.#underWay > 0) return;
    if (this.#random.below(2) === 0) {
      // A new gate learns the Crawl-delay only when robots.txt is read. By then it may have sent one request.
      this.gate = new HostGate(this.#rules, this.gate.manners, this.clock);
      this.#firstAfterRestart();
    }
    this.#crawlDelayMs = this.#random.pick([null, null, 0, 400, 2_500]);
    this.gate.honour(this.#crawlDelayMs);
  }

  #firstAfterRestart(): void {
    const soonestMs = Math.max(this.#blockedUntilMs, this.#endedAtMs + this.#leastDelayMs);
    assert.ok(this.gate.nextAtMs() >= soonestMs, 'a restart shortened a delay or a block');
  }
}

const RULES: readonly GateRules[] = [
  { parallel: 1, delayMs: 0 },
  { parallel: 4, delayMs: 0 },
  { parallel: 10, delayMs: 500 },
  { parallel: 10, delayMs: null },
];

for (const rules of RULES) {
  test(`C5 random requests never break the manners: parallel ${rules.parallel}, delay ${rules.delayMs}`, () => {
    let begun = 0;
    let refused = 0;
    for (let seed = 1; seed <= 30; seed++) {
      const host = new AskedHost(rules, new SeededRandom(seed));
      for (let step = 0; step < 600; step++) host.step();
      begun += host.begun;
      refused += host.refused;
    }
    assert.ok(begun > 300 && refused > 300, `${begun} requests were made, ${refused} were too early`);
  });
}

test('C5 a host without a delay gets as many requests at once as allowed, and one more only when one ends', () => {
  const gate = new HostGate({ parallel: 3, delayMs: 0 }, STRANGER, new ManualClock());
  for (let i = 0; i < 3; i++) gate.begin();
  assert.equal(gate.nextAtMs(), Number.POSITIVE_INFINITY);
  assert.throws(() => gate.begin(), /sooner than allowed/);
  gate.end(FINE);
  gate.begin();
  assert.equal(gate.underWay, 3);
});

test('the delay counts from the end of a request, to the millisecond', () => {
  const clock = new ManualClock();
  const gate = new HostGate({ parallel: 9, delayMs: 500 }, STRANGER, clock);
  gate.begin();
  clock.advance(2_000);
  assert.equal(gate.nextAtMs(), Number.POSITIVE_INFINITY);
  gate.end(FINE);
  assert.equal(gate.nextAtMs(), clock.now() + 500);
  clock.advance(499);
  assert.throws(() => gate.begin());
  clock.advance(1);
  gate.begin();
});

test('a Crawl-delay lengthens the delay, never shortens it, and makes a parallel host serial', () => {
  const clock = new ManualClock();
  const gate = new HostGate({ parallel: 2, delayMs: 0 }, STRANGER, clock);
  gate.begin();
  gate.begin();
  gate.honour(3_000);
  gate.end(FINE);
  assert.equal(gate.nextAtMs(), Number.POSITIVE_INFINITY, 'the other request is still under way');
  gate.end(FINE);
  assert.equal(gate.nextAtMs(), clock.now() + 3_000);
  const slow = new HostGate({ parallel: 1, delayMs: 5_000 }, STRANGER, clock);
  slow.honour(3_000);
  assert.equal(slow.delayMs, 5_000);
});

test('the length of the last block is known until a request has another result, also to the next gate', () => {
  const clock = new ManualClock();
  const rules = { parallel: 2, delayMs: 0 };
  const first = new HostGate(rules, STRANGER, clock);
  const fail = (gate: HostGate, pauseMs: number): void => gate.end({ ...FINE, blockUntilMs: clock.now() + pauseMs });
  first.begin();
  first.begin();
  fail(first, 1_000);
  assert.equal(first.lastPauseMs, 0, 'the other request began before the block');
  fail(first, 1_000);
  clock.advance(1_000);
  first.begin();
  first.begin();
  assert.equal(first.lastPauseMs, 1_000);
  fail(first, 5_000);
  const next = new HostGate(rules, first.manners, clock);
  clock.advance(5_000);
  next.begin();
  assert.equal(next.lastPauseMs, 5_000);
  next.end(FINE);
  assert.equal(next.lastPauseMs, 0);
  next.begin();
  assert.equal(next.lastPauseMs, 0);
});

test('a block lasts until its end, and a shorter block does not end it earlier', () => {
  const clock = new ManualClock();
  const gate = new HostGate({ parallel: 4, delayMs: 0 }, STRANGER, clock);
  const untilMs = clock.now() + 9_000;
  gate.begin();
  gate.end({ ...FINE, blockUntilMs: untilMs });
  gate.block(clock.now() + 10);
  assert.equal(gate.nextAtMs(), untilMs);
  assert.equal(gate.manners.blockedUntilMs, untilMs);
});

test('a new gate continues with the manners of the gate before it, including its Crawl-delay', () => {
  const clock = new ManualClock();
  const first = new HostGate({ parallel: 4, delayMs: 0 }, STRANGER, clock);
  first.honour(8_000);
  first.begin();
  first.end(FINE);
  const endedAtMs = clock.now();
  clock.advance(100);
  const second = new HostGate({ parallel: 4, delayMs: 0 }, first.manners, clock);
  assert.equal(second.nextAtMs(), endedAtMs + 8_000, 'robots.txt itself comes no sooner');
  clock.advance(7_900);
  second.begin();
  assert.equal(second.delayMs, 0, 'from then on the rules and robots.txt of now count');
});

test('a host without earlier requests may be asked at once', () => {
  const clock = new ManualClock();
  const gate = new HostGate({ parallel: 1, delayMs: null }, STRANGER, clock);
  assert.ok(gate.nextAtMs() <= clock.now());
  assert.equal(gate.delayMs, 1_000);
});

test('the adaptive delay stays between one second and half a minute, whatever the response times are', () => {
  const random = new SeededRandom(3);
  let delayMs = adaptDelay(null, null);
  for (let i = 0; i < 5_000; i++) {
    const tookMs = random.below(2) === 0 ? random.below(100) : random.below(100_000);
    delayMs = adaptDelay(delayMs, { tookMs, strained: random.below(4) === 0 });
    assert.ok(Number.isInteger(delayMs) && delayMs >= 1_000 && delayMs <= 30_000, String(delayMs));
  }
});

test('the adaptive delay doubles under load, approaches four times the response time, and falls again', () => {
  assert.equal(adaptDelay(2_000, { tookMs: 0, strained: true }), 4_000);
  assert.equal(adaptDelay(30_000, { tookMs: 0, strained: true }), 30_000);
  let delayMs = 1_000;
  for (let i = 0; i < 60; i++) delayMs = adaptDelay(delayMs, { tookMs: 2_000, strained: false });
  assert.ok(Math.abs(delayMs - 8_000) < 10, String(delayMs));
  for (let i = 0; i < 60; i++) delayMs = adaptDelay(delayMs, { tookMs: 5, strained: false });
  assert.equal(delayMs, 1_000);
});

test('if the clock is set back before a gate opens, the delay counts from now', () => {
  const clock = new ManualClock();
  const hourMs = 3_600_000;
  const manners = { askedAtMs: clock.now() + hourMs, delayMs: 700, blockedUntilMs: 0 };
  for (const rules of [
    { parallel: 1, delayMs: 700 },
    { parallel: 4, delayMs: 0 },
    { parallel: 1, delayMs: null },
  ]) {
    const gate = new HostGate(rules, manners, clock);
    assert.equal(gate.nextAtMs(), clock.now() + 700);
    assert.equal(gate.manners.askedAtMs, clock.now(), 'nor is it kept as it was');
  }
});

test('if the clock is set back while a gate is open, the delay counts from then, once', () => {
  const clock = new ManualClock();
  const gate = new HostGate({ parallel: 1, delayMs: 500 }, STRANGER, clock);
  gate.begin();
  gate.end(FINE);
  clock.advance(-600_000);
  const putBackAtMs = clock.now();
  assert.equal(gate.nextAtMs(), putBackAtMs + 500);
  clock.advance(499);
  assert.equal(gate.nextAtMs(), putBackAtMs + 500);
  assert.throws(() => gate.begin(), /sooner than allowed/);
  clock.advance(1);
  gate.begin();
});

test('a clock that is set back does not shorten a delay that an earlier gate began', () => {
  const clock = new ManualClock();
  const manners = { askedAtMs: clock.now() - 100, delayMs: 8_000, blockedUntilMs: 0 };
  const gate = new HostGate({ parallel: 4, delayMs: 0 }, manners, clock);
  clock.advance(-50_000);
  assert.equal(gate.nextAtMs(), clock.now() + 8_000);
});

test('W13 no request begins while the lease is not certainly alive, and no next time is given before then', () => {
  let isGood = true;
  const clock = new ManualClock();
  const gate = new HostGate({ parallel: 4, delayMs: 0 }, STRANGER, clock, { isGood: () => isGood });
  gate.begin();
  isGood = false;
  assert.equal(gate.nextAtMs(), Number.POSITIVE_INFINITY);
  assert.throws(() => gate.begin(), LeaseExpiredError);
  assert.equal(gate.underWay, 1);
  isGood = true;
  assert.ok(gate.nextAtMs() <= clock.now());
  gate.begin();
});

test('W13 a closed gate never opens again, and running requests can still end', () => {
  const gate = new HostGate({ parallel: 4, delayMs: 0 }, STRANGER, new ManualClock());
  gate.begin();
  gate.shut();
  gate.end(FINE);
  assert.equal(gate.nextAtMs(), Number.POSITIVE_INFINITY);
  assert.throws(() => gate.begin(), LeaseExpiredError);
});
