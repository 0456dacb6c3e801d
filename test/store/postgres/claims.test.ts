/**
 * Tests several processes that claim, hold and lose hosts of one crawl on PostgreSQL at
 * once. Each process is a separate store here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../../src/store/contract.ts';
import { slotOf } from '../../../src/url/host.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { claim, claimOne, commit, found, LEASE_MS, NOW_MS, page, recordOf, resultOf } from '../rows.ts';
import { openStores } from './setup/postgres-stores.ts';

const STORES = 8;
const HOSTS = 500;
const hostNames = Array.from({ length: HOSTS }, (_, i) => `http://h${i}.test`);

/** Claims all hosts. Each host has its one URL, unless another owner may have committed it meanwhile. */
async function takeAll(store: Store, owner: string, hosts: number, nowMs = NOW_MS): Promise<number[]> {
  const taken: number[] = [];
  for (;;) {
    const leases = await claim(store, { owner, hosts, urlsPerHost: 1, nowMs });
    if (leases.length === 0) return taken;
    for (const { hostId, urls } of leases) {
      assert.ok(urls.length === 1 || nowMs > NOW_MS, `${urls.length} URLs of one host`);
      taken.push(hostId);
    }
  }
}

test('M2 W13 when eight stores claim 500 hosts at once, each host is claimed exactly once', {
  skip: noPostgres,
}, async (t) => {
  const stores = await openStores(t, STORES);
  await stores[0]!.seed(
    hostNames.map((host) => found(`${host}/`)),
    NOW_MS,
  );
  const taken = await Promise.all(stores.map((store, i) => takeAll(store, `w${i}`, 1 + i)));
  const all = taken.flat();
  // A store that was delayed may have got no host.
  assert.ok(taken.filter(({ length }) => length > 0).length > 1);
  assert.equal(new Set(all).size, HOSTS);
  assert.equal(all.length, HOSTS);
});

test('M2 each lease that has run out is taken over by one worker, and late results of its former owner are refused', {
  skip: noPostgres,
}, async (t) => {
  const stores = await openStores(t, STORES);
  const names = hostNames.slice(0, 60);
  await stores[0]!.seed(
    names.map((host) => found(`${host}/`)),
    NOW_MS,
  );
  const dead = await claim(stores[0]!, { owner: 'dead' });
  assert.equal(dead.length, names.length);
  await stores[0]!.renew('dead', NOW_MS + 2 * LEASE_MS);
  const endMs = NOW_MS + 2 * LEASE_MS;
  assert.deepEqual(await claim(stores[1]!, { owner: 'w1', nowMs: endMs - 1 }), []);
  const late = dead.map((lease) => resultOf(lease, lease.urls[0]!, { page: page(`late ${lease.host}`) }));
  // While the hosts change owners, a commit counts only for the hosts that still belong to the sender.
  const [receipt, ...taken] = await Promise.all([
    commit(stores[0]!, late, { owner: 'dead', nowMs: endMs }),
    ...stores.slice(1).map((store, i) => takeAll(store, `w${i + 1}`, 3, endMs)),
  ]);
  const all = taken.flat();
  assert.equal(new Set(all).size, all.length, 'no host is leased twice');
  await stores[0]!.renew('dead', endMs + LEASE_MS);
  for (const [i, state] of receipt.states.entries()) {
    const { state: stored } = await recordOf(stores[0]!, `${dead[i]!.host}/`);
    assert.equal(stored, state ?? 'waiting');
  }
  const again = await commit(stores[0]!, late, { owner: 'dead', nowMs: endMs });
  const own = new Set(
    (await stores[0]!.hosts(0, HOSTS)).filter(({ leasedBy }) => leasedBy === 'dead').map(({ id }) => id),
  );
  for (const [i, state] of again.states.entries()) {
    const isOwn = own.has(dead[i]!.hostId) && receipt.states[i] === null;
    assert.equal(state, isOwn ? 'fetched' : null, dead[i]!.host);
  }
});

test('a worker can renew its own lease that has run out until another worker takes it', {
  skip: noPostgres,
}, async (t) => {
  const [first, second] = await openStores(t, 2);
  await first!.seed([found('http://a.test/')], NOW_MS);
  const { hostId } = await claimOne(first!, { owner: 'a' });
  await first!.renew('a', NOW_MS + 9 * LEASE_MS);
  assert.deepEqual(await claim(second!, { owner: 'b', nowMs: NOW_MS + 8 * LEASE_MS }), []);
  await claimOne(second!, { owner: 'b', nowMs: NOW_MS + 9 * LEASE_MS });
  await first!.renew('a', NOW_MS + 99 * LEASE_MS);
  await first!.release('a', [hostId], NOW_MS);
  const [record] = await first!.hosts(0, 1);
  assert.deepEqual([record!.leasedBy, record!.readyAtMs], ['b', NOW_MS + 10 * LEASE_MS]);
});

test('W12 a worker claims the hosts of its own slots first, and then hosts that no worker has claimed in time', {
  skip: noPostgres,
}, async (t) => {
  const [a, b] = await openStores(t, 2);
  await a!.seed(
    hostNames.slice(0, 40).map((host) => found(`${host}/`)),
    NOW_MS,
  );
  const all = new Uint8Array(2_048).fill(0xff);
  const even = new Uint8Array(2_048).fill(0b0101_0101);
  const odd = new Uint8Array(2_048).fill(0b1010_1010);
  const graceMs = 5_000;
  const evens = await claim(a!, { owner: 'a', slots: even, graceMs });
  assert.ok(evens.length > 5 && evens.length < 35, `${evens.length} hosts have an even slot`);
  assert.deepEqual(await claim(a!, { owner: 'a', slots: even, graceMs, nowMs: NOW_MS + graceMs - 1 }), []);
  const odds = await claim(b!, { owner: 'b', slots: odd, graceMs, hosts: 3 });
  assert.equal(odds.length, 3);
  const rest = await claim(a!, { owner: 'a', slots: even, graceMs, nowMs: NOW_MS + graceMs });
  assert.equal(rest.length, 40 - 3 - evens.length);
  assert.deepEqual(await claim(b!, { owner: 'b', slots: all, graceMs, nowMs: NOW_MS + graceMs }), []);
});

test('W12 a worker claims its own hosts before those of other workers, however long these have been ready', {
  skip: noPostgres,
}, async (t) => {
  const [a] = await openStores(t, 1);
  const even = new Uint8Array(2_048).fill(0b0101_0101);
  const isEven = (host: string): boolean => slotOf(host) % 2 === 0;
  const [own, others] = [hostNames.filter(isEven), hostNames.filter((host) => !isEven(host))];
  await a!.seed(
    others.map((host) => found(`${host}/`)),
    NOW_MS - 60_000,
  );
  await a!.seed(
    own.slice(0, 5).map((host) => found(`${host}/`)),
    NOW_MS,
  );
  const leases = await claim(a!, { owner: 'a', slots: even, graceMs: 2_000, hosts: 8 });
  assert.deepEqual(
    leases
      .slice(0, 5)
      .map(({ host }) => host)
      .sort(),
    own.slice(0, 5).sort(),
  );
  assert.ok(leases.length === 8 && leases.slice(5).every(({ host }) => others.includes(host)));
});

test('a host that is released while another worker finds a URL there is ready again', {
  skip: noPostgres,
}, async (t) => {
  const [a, b] = await openStores(t, 2);
  await a!.seed([found('http://a.test/')], NOW_MS);
  const lease = await claimOne(a!, { owner: 'a' });
  await commit(a!, [resultOf(lease, lease.urls[0]!, { page: page('x') })], { owner: 'a' });
  for (let round = 0; round < 30; round++) {
    await Promise.all([a!.release('a', [lease.hostId], NOW_MS), b!.seed([found(`http://a.test/${round}`)], NOW_MS)]);
    const [again] = await claim(a!, { owner: 'a' });
    assert.ok(again, `round ${round}: a URL waits, and its host is never ready`);
    await commit(
      a!,
      again.urls.map((task) => resultOf(again, task, { state: 'failed', reason: 'gone' })),
      { owner: 'a' },
    );
  }
});

test('M2 no worker takes a lease that is valid by the clock of the server, whatever its own clock shows', {
  skip: noPostgres,
}, async (t) => {
  const [a, b] = await openStores(t, 2);
  // a uses the time of the current server. b still uses the time of the previous server, which was ahead.
  const nowMs = Date.now();
  const aheadMs = nowMs + 10 * LEASE_MS;
  await a!.seed([found('http://a.test/')], nowMs);
  const { hostId } = await claimOne(a!, { owner: 'a', nowMs });
  const taking = { owner: 'b', hostIds: [hostId], nowMs: aheadMs, leaseMs: LEASE_MS };
  assert.deepEqual(await claim(b!, { owner: 'b', nowMs: aheadMs }), []);
  assert.deepEqual(await b!.lease(taking), []);
  await a!.renew('a', nowMs - 1);
  assert.equal((await b!.lease(taking)).length, 1, 'the lease has run out by both clocks');
  await b!.renew('b', nowMs - 1);
  await claimOne(a!, { owner: 'a', nowMs });
  await a!.release('a', [hostId], aheadMs);
  await claimOne(b!, { owner: 'b', nowMs: aheadMs });
});
