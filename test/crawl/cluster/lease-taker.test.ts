/** Tests which leases may be used, with a fake membership, a fake guard and a manual clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseGuard } from '../../../src/core/lease-expiry.ts';
import { LeaseTaker } from '../../../src/crawl/cluster/lease-taker.ts';
import { SharedNotes } from '../../../src/crawl/cluster/shared-notes.ts';
import { ClusterClock } from '../../../src/crawl/unit/cluster-clock.ts';
import type { HostLease, Store } from '../../../src/store/contract.ts';
import { FakeCluster } from './setup/fake-cluster.ts';

const MARGIN_MS = 10_000;
const LEASE = { hostId: 5, host: 'http://h.example', urls: [] } as unknown as HostLease;

function setUp() {
  const state = { localMs: 1_000, seen: [] as string[] };
  const cluster = new FakeCluster();
  const clock = new ClusterClock(undefined, () => state.localMs);
  const guard = new LeaseGuard(undefined, { monotonicMs: () => state.localMs, wallMs: () => state.localMs });
  const membership = { owner: 'here#1', expiries: 0, marginMs: MARGIN_MS };
  const store = {
    release: async (owner: string, ids: readonly number[]) => void state.seen.push(`release ${ids} of ${owner}`),
    note: async () => null,
    lessons: async () => [],
    watchers: async () => [],
  } as unknown as Store;
  const notes = new SharedNotes(store, cluster, 1);
  notes.listen(() => state.seen.push('heard'));
  guard.extend(state.localMs, 50_000);
  return { state, cluster, guard, membership, leases: new LeaseTaker({ store, membership, guard, clock, notes }) };
}

test('W13 hosts whose URLs are read slowly are used, hosts that were leased slowly are not', async () => {
  const { state, leases } = setUp();
  const slow = async (some: readonly HostLease[]) => {
    state.localMs += MARGIN_MS + 1;
    return some.map((lease) => ({ ...lease, urls: [{ id: 1 }] as unknown as HostLease['urls'] }));
  };
  const [filled] = (await leases.take(async () => [LEASE], slow))!;
  assert.equal(filled!.urls.length, 1);
  assert.equal(await leases.take(() => slow([LEASE])), null);
  assert.deepEqual(state.seen, ['release 5 of here#1']);
});

test('W13 hosts are released if leases expired while their URLs were read, even if they are valid again', async () => {
  const { state, membership, guard, leases } = setUp();
  for (const trouble of [() => void membership.expiries++, () => guard.end()]) {
    const taken = await leases.take(
      async () => [LEASE],
      async (some) => {
        trouble();
        return some;
      },
    );
    assert.equal(taken, null);
  }
  assert.deepEqual(state.seen, ['release 5 of here#1', 'release 5 of here#1']);
  const neverAsked = async (): Promise<never> => assert.fail('leased while nothing is sure');
  assert.equal(await leases.take(neverAsked), null);
});

test('notes that other workers write while URLs are read take effect before the URLs are used', async () => {
  const { state, cluster, leases } = setUp();
  assert.equal(leases.isTaking, false);
  const taken = await leases.take(
    async () => [LEASE],
    async (some) => {
      assert.equal(leases.isTaking, true);
      cluster.version = 2;
      return some;
    },
  );
  assert.deepEqual([taken, state.seen, leases.isTaking], [[LEASE], ['heard'], false]);
});

test('W13 no host is leased while lost hosts are dropped, and claims in progress are completed first', async () => {
  const { state, leases } = setUp();
  const leased = Promise.withResolvers<readonly HostLease[]>();
  const live: number[] = [];
  const taking = leases.take(() => leased.promise).then((taken) => live.push(...taken!.map(({ hostId }) => hostId)));
  const ending = Promise.withResolvers<void>();
  const apart = leases.exclusively(() => {
    state.seen.push(`apart from ${live}`);
    return ending.promise;
  });
  const next = leases.take(async () => {
    state.seen.push('leased');
    return [LEASE];
  });
  assert.equal(leases.mayTake, false);
  assert.deepEqual(state.seen, []);
  leased.resolve([LEASE]);
  await taking;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(state.seen, ['apart from 5'], 'who came meanwhile waits');
  ending.resolve();
  await Promise.all([apart, next]);
  assert.deepEqual([state.seen, leases.mayTake], [['apart from 5', 'leased'], true]);
  await assert.rejects(
    leases.exclusively(() => Promise.reject(new Error('away'))),
    /away/,
  );
  assert.equal((await leases.take(async () => [LEASE]))!.length, 1);
});
