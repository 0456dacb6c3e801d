/** Tests the rounds of a refresh with a manual clock that goes forward and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../../src/core/clock.ts';
import { LeaseGuard } from '../../../src/core/lease-expiry.ts';
import type { ProcessRole } from '../../../src/crawl/process-role.ts';
import { RefreshCounter } from '../../../src/crawl/refresh/refresh-counter.ts';
import type { PlannedPage, RefreshPlan } from '../../../src/crawl/refresh/refresh-plan.ts';
import { RevisitWork } from '../../../src/crawl/refresh/revisit-work.ts';
import type { Work } from '../../../src/crawl/work.ts';
import type { ClaimedUrl, HostLease, Store } from '../../../src/store/contract.ts';

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
  const role: Pick<ProcessRole, 'owner' | 'leaseMs' | 'guard' | 'take' | 'catchUp'> = {
    owner: 'me',
    leaseMs: LEASE_MS,
    guard: null,
    take: (lease) => lease(),
    catchUp: async () => {},
  };
  const work = new RevisitWork({
    ...{ store, role, clock, frontier, plan, counter, rules, onRound },
    onCommit: () => {},
  });
  return { state, work, counter, leased };
}

test('without --watch there is one round', async () => {
  const { work, state } = setUp(null);
  assert.equal(await work.nextAtMs(), null);
  assert.equal(state.rounds, 0);
  assert.equal(state.ended, 1, 'its end is told while the units can still release the leases of watchers');
});

test('with --watch, the next round begins one interval after the start of the last round', async () => {
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

test('a clock set forward starts one round, and a clock set back delays a round by one interval at most', async () => {
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

test('the budget is per round: the next round has all of it again', async () => {
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

test('a step of the plan begins when the step before is done', async () => {
  const { work } = setUp(null, 0, [[{ id: 1, hostId: 7 }], [{ id: 2, hostId: 7 }]]);
  assert.equal(await work.nextAtMs(), START_MS);
  assert.equal(work.left, 1);
  assert.equal(await work.nextAtMs(), 0, 'it can be done at any time');
  assert.equal(work.left, 1);
});

test('W13 hosts are leased for the full lease time of the process', async () => {
  const { work, leased } = setUp(null, 0, [[{ id: 1, hostId: 7 }]]);
  await work.nextAtMs();
  await work.claim(10, 10, new Map());
  assert.deepEqual(leased, [LEASE_MS]);
});

function leaseOf(hostId: number, urls: readonly ClaimedUrl[] = []): HostLease {
  const manners = { askedAtMs: 0, delayMs: null, blockedUntilMs: 0 };
  return { hostId, host: `http://${hostId}.example`, manners, robots: null, urls };
}

/**
 * A refresh of one planned page and one new URL of another host, in a fake
 * cluster that says whether the leases are valid.
 */
function amongOthers() {
  const state = { nowMs: START_MS, isSure: true, leases: 0, caughtUp: 0, touched: new Set<number>() };
  const clock: Clock = { now: () => state.nowMs, after: () => () => {} };
  const steps = [[{ id: 1, hostId: 7 }]];
  const plan = {
    next: async () => steps.shift() ?? null,
    heldUntilMs: () => Number.POSITIVE_INFINITY,
    isReportedGone: () => false,
    untouched: async (ids: readonly number[]) => new Set(ids.filter((id) => !state.touched.has(id))),
  } as unknown as RefreshPlan;
  const frontier = {
    nextAtMs: async () => null,
    claim: async () => [leaseOf(8, [{ id: 2 } as ClaimedUrl])],
    more: async () => [{ id: 2 }],
  } as unknown as Work;
  const store = {
    lease: async () => {
      state.leases++;
      return [leaseOf(7)];
    },
    revisits: async (ids: readonly number[]) => ids.map((id) => ({ id, earlier: { checkedAtMs: 0 } })),
  } as unknown as Store;
  const role: Pick<ProcessRole, 'owner' | 'leaseMs' | 'guard' | 'take' | 'catchUp'> = {
    owner: 'me',
    leaseMs: LEASE_MS,
    guard: new LeaseGuard(),
    take: async (lease, fill) => {
      const filled = await fill!(await lease());
      return state.isSure ? filled : null;
    },
    catchUp: async () => void state.caughtUp++,
  };
  const rules = {
    budget: 0,
    endsAtMs: Number.POSITIVE_INFINITY,
    patienceMs: 0,
    everyMs: null,
    takesNew: true,
    pagesLeft: async () => 1,
  };
  const nothing = async (): Promise<void> => {};
  const counter = new RefreshCounter();
  const work = new RevisitWork({
    ...{ store, role, clock, frontier, plan, counter, rules },
    onRound: nothing,
    onCommit: () => {},
  });
  const claim = async () => (await work.claim(10, 10, new Map())).map(({ hostId, urls }) => [hostId, urls.length]);
  return { state, work, claim, counter };
}

test('W13 URLs of an uncertain lease are not handed out, wait a moment, and all come the next time', async () => {
  const { state, work, claim } = amongOthers();
  await work.nextAtMs();
  state.isSure = false;
  assert.deepEqual(await claim(), []);
  assert.equal(await work.nextAtMs(), START_MS + 250, 'the store is not asked without a pause');
  state.nowMs += 250;
  state.isSure = true;
  assert.deepEqual(await claim(), [
    [7, 1],
    [8, 1],
  ]);
  assert.equal(state.leases, 2);
});

test('notes of other workers are read before more URLs of a host are handed out', async () => {
  const { state, work } = amongOthers();
  await work.nextAtMs();
  assert.equal((await work.more(7, 10, new Set())).length, 2);
  assert.equal(state.caughtUp, 1);
});

test('a page that another refresh visited is done, and does not count as left over', async () => {
  const { state, work, claim, counter } = amongOthers();
  await work.nextAtMs();
  state.touched.add(1);
  assert.deepEqual((await claim())[0], [7, 0]);
  assert.deepEqual([work.left, counter.visitedByOthers], [0, 1]);
});
