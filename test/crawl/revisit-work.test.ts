/** The rounds of a refresh by a clock that the test turns, forward and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/core/clock.ts';
import { RefreshCounter } from '../../src/crawl/refresh-counter.ts';
import type { PlannedPage, RefreshPlan } from '../../src/crawl/refresh-plan.ts';
import { RevisitWork } from '../../src/crawl/revisit-work.ts';
import type { Work } from '../../src/crawl/work.ts';
import type { Store } from '../../src/store/contract.ts';

const START_MS = 1_000_000_000_000;
const EVERY_MS = 60_000;
const LEASE_MS = 300_000;
const YEAR_MS = 365 * 86_400_000;

function setUp(everyMs: number | null, budget = 0, steps: (readonly PlannedPage[])[] = []) {
  const state = { nowMs: START_MS, rounds: 0, ended: 0 };
  const clock: Clock = { now: () => state.nowMs, after: () => () => {} };
  const plan = {
    beginRound: () => {
      state.rounds++;
    },
    next: () => Promise.resolve(steps.shift() ?? null),
    observe: () => [],
    marks: () => [],
    heldUntilMs: () => Number.POSITIVE_INFINITY,
  } as unknown as RefreshPlan;
  const frontier = { nextAtMs: async () => null, claim: async () => [] } as unknown as Work;
  const counter = new RefreshCounter();
  const rules = {
    budget,
    leaseMs: () => LEASE_MS,
    endsAtMs: Number.POSITIVE_INFINITY,
    patienceMs: 0,
    everyMs,
    takesNew: true,
    pagesLeft: () => Promise.resolve(Number.POSITIVE_INFINITY),
  };
  const onRound = async (): Promise<void> => {
    state.ended++;
  };
  const leased: number[] = [];
  const store = {
    lease: async ({ leaseMs }: { leaseMs: number }) => {
      leased.push(leaseMs);
      return [];
    },
  } as unknown as Store;
  const work = new RevisitWork(store, 'me', clock, frontier, plan, counter, rules, onRound, () => {});
  return { state, work, counter, leased };
}

test('without --watch there is one round', async () => {
  const { work, state } = setUp(null);
  assert.equal(await work.nextAtMs(), null);
  assert.equal(state.rounds, 0);
});

test('with --watch the next round begins one interval after the last began', async () => {
  const { work, state } = setUp(EVERY_MS);
  assert.equal(await work.nextAtMs(), START_MS + EVERY_MS);
  assert.equal(state.ended, 1);
  state.nowMs += EVERY_MS / 2;
  assert.equal(await work.nextAtMs(), START_MS + EVERY_MS);
  assert.equal(state.ended, 1, 'a round ends once');
  state.nowMs = START_MS + EVERY_MS;
  assert.equal(await work.nextAtMs(), state.nowMs);
  assert.equal(state.rounds, 1);
});

test('a clock put forward brings the next round, once; one put back never puts it off for longer than an interval', async () => {
  const { work, state } = setUp(EVERY_MS);
  await work.nextAtMs();
  state.nowMs += YEAR_MS;
  assert.equal(await work.nextAtMs(), state.nowMs);
  assert.equal(state.rounds, 1);
  assert.equal(await work.nextAtMs(), state.nowMs + EVERY_MS);
  state.nowMs -= 2 * YEAR_MS;
  assert.equal(await work.nextAtMs(), state.nowMs + EVERY_MS);
  state.nowMs += EVERY_MS;
  assert.equal(await work.nextAtMs(), state.nowMs);
  assert.equal(state.rounds, 2);
});

test('the budget is of a round: the next one has it whole again', async () => {
  const { work, state, counter } = setUp(EVERY_MS, 10);
  counter.requests = 10;
  assert.equal(work.allowance(0), 0);
  assert.equal(work.isSpent, false, 'there will be another round');
  await work.nextAtMs();
  state.nowMs += EVERY_MS;
  await work.nextAtMs();
  assert.equal(work.allowance(0), 10);
  assert.equal(work.allowance(4), 6);
});

test('a step of the plan is begun when the one before is done', async () => {
  const { work } = setUp(null, 0, [[{ id: 1, hostId: 7 }], [{ id: 2, hostId: 7 }]]);
  assert.equal(await work.nextAtMs(), START_MS);
  assert.equal(work.left, 1);
  assert.equal(await work.nextAtMs(), 0, 'it can be done at any time');
  assert.equal(work.left, 1);
});

test('W13 hosts are leased for as long as their lease is kept alive for, not for less', async () => {
  const { work, leased } = setUp(null, 0, [[{ id: 1, hostId: 7 }]]);
  await work.nextAtMs();
  await work.claim(10, 10, new Map());
  assert.deepEqual(leased, [LEASE_MS]);
});
