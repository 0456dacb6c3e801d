/**
 * M5: tests that several workers crawl a large host at once, each with a share of its
 * URLs. Each worker has its own store here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostLease } from '../../../src/store/contract.ts';
import type { PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { claim, claimOne, commit, found, LEASE_MS, NOW_MS, page, resultOf } from '../rows.ts';
import { openStores } from './setup/postgres-stores.ts';

const URLS = 3_000;
const MANNERS = { askedAtMs: NOW_MS, delayMs: 0, blockedUntilMs: 0 };

/** A host with many URLs, leased entirely to `a`. */
async function largeHost(store: PostgresStore, urls = URLS): Promise<HostLease> {
  await store.seed(
    Array.from({ length: urls }, (_, i) => found(`http://large.test/${i}`)),
    NOW_MS,
  );
  return claimOne(store, { owner: 'a', urlsPerHost: 1 });
}

const offer = (store: PostgresStore, { hostId }: HostLease, shares: number) =>
  store.sharing.offerShares(hostId, 'a', shares, NOW_MS, LEASE_MS);

/** Retries, because a claim at the same moment as another claim is passed over. */
async function claimShare(store: PostgresStore, owner: string): Promise<HostLease> {
  for (const endMs = performance.now() + 60_000; performance.now() < endMs; ) {
    const [taken] = await claim(store, { owner, urlsPerHost: URLS });
    if (taken) return taken;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`nothing was left for ${owner}`);
}

test('M5 an offered host is claimed in shares, one for each worker, and the shares have different URLs', {
  skip: noPostgres,
}, async (t) => {
  const [a, b, c, d] = await openStores(t, 4);
  const whole = await largeHost(a!);
  assert.deepEqual(await a!.sharing.crowdedHosts('a', 3), [whole.hostId]);
  assert.deepEqual(await a!.sharing.crowdedHosts('a', 50), [], 'a host with so few URLs is not shared');
  const first = await offer(a!, whole, 3);
  assert.deepEqual(first?.share, { index: 0, of: 3 });
  assert.deepEqual(await offer(a!, whole, 3), first, 'an offer whose response was lost can be repeated');
  const [second, third] = await Promise.all([claimShare(b!, 'b'), claimShare(c!, 'c')]);
  assert.deepEqual([second.share!.index, third.share!.index].sort(), [1, 2]);
  for (const [store, owner] of [
    [a, 'a'],
    [b, 'b'],
    [c, 'c'],
    [d, 'd'],
  ] as const) {
    assert.deepEqual(await claim(store!, { owner }), [], `nothing is left for ${owner}`);
  }
  const own = await a!.claimMore(whole.hostId, {
    limit: URLS,
    besides: new Set(),
    nowMs: NOW_MS,
    lists: [1],
    share: first!.share,
  });
  const inLists = await a!.claimMore(whole.hostId, {
    limit: URLS,
    besides: new Set(),
    nowMs: NOW_MS,
    lists: [4, 2, 1],
    share: first!.share,
  });
  const ids = [own, second.urls, third.urls].map((urls) => urls.map(({ id }) => id));
  assert.equal(new Set(ids.flat()).size, URLS);
  assert.equal(ids.flat().length, URLS);
  assert.deepEqual(new Set(inLists.map(({ id }) => id)), new Set(ids[0]));
});

test('M5 only the holder of a share can commit its URLs, and all holders learn the manners of the host', {
  skip: noPostgres,
}, async (t) => {
  const [a, b] = await openStores(t, 2);
  const whole = await largeHost(a!);
  const { hostId } = whole;
  const before = await a!.claimMore(hostId, { limit: 10, besides: new Set(), nowMs: NOW_MS });
  await offer(a!, whole, 2);
  const results = before.map((task) => resultOf({ hostId }, task, { page: page(task.url) }));
  const { states } = await commit(a!, results, { owner: 'a' });
  assert.deepEqual(
    states,
    before.map(({ id }) => (id % 2 === 0 ? 'fetched' : null)),
  );
  const taken = await claimOne(b!, { owner: 'b', urlsPerHost: 4 });
  assert.deepEqual(taken.share, { index: 1, of: 2 });
  const blocked = { askedAtMs: NOW_MS + 5, delayMs: 250, blockedUntilMs: NOW_MS + 60_000 };
  const heard = await commit(b!, [resultOf({ hostId }, taken.urls[0]!, { page: page('b') })], {
    owner: 'b',
    hosts: [{ hostId, manners: blocked }],
  });
  assert.deepEqual(heard.states, ['fetched']);
  // `a` does not know of the block yet, and its manners do not undo it.
  const next = await commit(a!, [], { owner: 'a', hosts: [{ hostId, manners: MANNERS }] });
  assert.deepEqual(next.sharedManners?.get(hostId), blocked);
  const strangers = await commit(a!, [], { owner: 'c', hosts: [{ hostId, manners: { ...blocked, delayMs: 9_999 } }] });
  assert.equal(strangers.sharedManners, undefined);
  assert.equal((await a!.host('http://large.test'))!.manners.delayMs, 250);
  await b!.release('b', [hostId], NOW_MS);
  assert.deepEqual(
    await claim(b!, { owner: 'b', nowMs: NOW_MS + 59_000 }),
    [],
    'a host with a delay is shared no more',
  );
  await a!.release('a', [hostId], NOW_MS);
  const joined = await claimOne(b!, { owner: 'b', nowMs: NOW_MS + 60_000 });
  assert.equal(joined.share, undefined);
});

test('M5 W13 an offer that arrives late does not shorten a lease that was renewed since', {
  skip: noPostgres,
}, async (t) => {
  const [a, b] = await openStores(t, 2);
  const whole = await largeHost(a!);
  const lateMs = Date.now() + LEASE_MS;
  await a!.renew('a', lateMs);
  await offer(a!, whole, 2);
  const [other, none] = [await claimShare(b!, 'b'), await claim(b!, { owner: 'c', nowMs: lateMs - 1 })];
  assert.deepEqual([other.share?.index, none], [1, []], 'the own share does not count as one that has run out');
});

test('M5 no worker takes a share whose lease is valid by the clock of the server, whatever its own clock shows', {
  skip: noPostgres,
}, async (t) => {
  const [a, b] = await openStores(t, 2);
  await offer(a!, await largeHost(a!), 2);
  await claimOne(b!, { owner: 'b', urlsPerHost: 1 });
  const nowMs = Date.now();
  await Promise.all([a!.renew('a', nowMs + LEASE_MS), b!.renew('b', nowMs + LEASE_MS)]);
  const asked = { owner: 'c', nowMs: nowMs + 10 * LEASE_MS };
  assert.deepEqual(await claim(a!, asked), []);
  await b!.renew('b', nowMs - 1);
  // The failed claim postponed the next check of the host.
  const { share } = await claimOne(a!, { ...asked, nowMs: asked.nowMs + LEASE_MS });
  assert.deepEqual(share, { index: 1, of: 2 });
});

test('M5 the share of a dead worker is taken by another worker, and when all holders are dead the host is whole again', {
  skip: noPostgres,
}, async (t) => {
  const [a, b, c] = await openStores(t, 3);
  const whole = await largeHost(a!);
  await offer(a!, whole, 2);
  const dead = await claimOne(b!, { owner: 'b', urlsPerHost: 3 });
  const endMs = NOW_MS + LEASE_MS;
  await a!.renew('a', endMs + LEASE_MS);
  assert.deepEqual(await claim(c!, { owner: 'c', nowMs: endMs - 1 }), []);
  const taken = await claimOne(c!, { owner: 'c', nowMs: endMs, urlsPerHost: 3 });
  assert.deepEqual([taken.share, taken.urls], [dead.share, dead.urls]);
  assert.equal(taken.manners.askedAtMs, endMs, 'the host may have received requests until the end of the lease');
  const late = await commit(b!, [resultOf(dead, dead.urls[0]!, { page: page('late') })], { owner: 'b' });
  assert.deepEqual(late.states, [null]);
  const next = await claimOne(b!, { owner: 'd', nowMs: endMs + LEASE_MS });
  assert.equal(next.share, undefined, 'both leases have run out');
  assert.equal(next.manners.askedAtMs, endMs + LEASE_MS);
  const tooLate = await commit(c!, [resultOf(taken, taken.urls[0]!, { page: page('late') })], { owner: 'c' });
  assert.deepEqual(tooLate.states, [null]);
});

test('M5 released shares are taken again while many URLs wait, and the host is whole again after the last release', {
  skip: noPostgres,
}, async (t) => {
  const [a, b] = await openStores(t, 2);
  const whole = await largeHost(a!, 1_500);
  const { hostId } = whole;
  await offer(a!, whole, 2);
  const second = await claimOne(b!, { owner: 'b' });
  await b!.release('b', [hostId], NOW_MS);
  assert.deepEqual(await claim(b!, { owner: 'b', nowMs: NOW_MS + 500 }), [], 'the share had no work just now');
  const again = await claimOne(b!, { owner: 'b', nowMs: NOW_MS + 1_000, urlsPerHost: 600 });
  assert.deepEqual(again.share, second.share);
  const failed = (lease: { hostId: number }, urls: HostLease['urls']) =>
    urls.map((task) => resultOf(lease, task, { state: 'failed', reason: 'gone' }));
  await commit(b!, failed(again, again.urls), { owner: 'b' });
  await b!.release('b', [hostId], NOW_MS + 1_000);
  assert.deepEqual(
    await claim(b!, { owner: 'b', nowMs: NOW_MS + 20_000 }),
    [],
    'little waits: the other may be done first',
  );
  await a!.release('a', [hostId], NOW_MS + 20_000);
  const record = (await a!.host('http://large.test'))!;
  assert.deepEqual([record.leasedBy, record.readyAtMs], [null, NOW_MS + 20_000]);
  const joined = await claimOne(b!, { owner: 'b', nowMs: NOW_MS + 20_000, urlsPerHost: 2_000 });
  assert.deepEqual([joined.share, joined.urls.length], [undefined, 900]);
});

test('M5 four workers that crawl a shared host fetch each URL once, and there are never more holders than shares', {
  skip: noPostgres,
}, async (t) => {
  const stores = await openStores(t, 4);
  const whole = await largeHost(stores[0]!);
  const { hostId } = whole;
  await offer(stores[0]!, whole, 4);
  const held = new Map<string, string>();
  const fetched = new Map<number, number>();
  let nowMs = NOW_MS;
  const work = async (store: PostgresStore, owner: string, first: HostLease | undefined): Promise<void> => {
    for (let lease = first, idle = 0; idle < 20; ) {
      lease ??= (await claim(store, { owner, urlsPerHost: 1, nowMs, leaseMs: 1e9 }))[0];
      if (!lease) {
        idle++;
        nowMs += 1_000;
        continue;
      }
      const { index, of } = lease.share ?? { index: 0, of: 1 };
      const name = `${index}/${of}`;
      assert.equal(held.get(name), undefined, `${name} is held twice`);
      if (of === 1) assert.equal(held.size, 0, 'a whole host has no shares');
      held.set(name, owner);
      const urls = await store.claimMore(hostId, {
        limit: 100,
        besides: new Set(),
        nowMs,
        lists: [1],
        share: lease.share,
      });
      for (const { id } of urls) fetched.set(id, (fetched.get(id) ?? 0) + 1);
      const results = urls.map((task) => resultOf({ hostId }, task, { page: page(task.url) }));
      const { states } = await commit(store, results, { owner, hosts: [{ hostId, manners: MANNERS }] });
      assert.ok(states.every((state) => state === 'fetched'));
      held.delete(name);
      await store.release(owner, [hostId], nowMs);
      lease = undefined;
    }
  };
  const kept = { ...whole, share: { index: 0, of: 4 } };
  await Promise.all(stores.map((store, i) => work(store, i === 0 ? 'a' : `w${i}`, i === 0 ? kept : undefined)));
  assert.equal(fetched.size, URLS);
  assert.ok([...fetched.values()].every((times) => times === 1));
  assert.equal((await stores[0]!.counts()).states.fetched, URLS);
});
