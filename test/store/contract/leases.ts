/** Tests that a host is leased to one owner at a time (M2, W13), and that only reports of the owner count. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoreTraits } from '../contract.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import {
  claim,
  claimOne,
  commit,
  everything,
  found,
  LEASE_MS,
  NOW_MS,
  OTHER_OWNER,
  OWNER,
  page,
  recordOf,
  resultOf,
} from '../rows.ts';

const SEED = 'http://a.test/';
const hostNames = Array.from({ length: 40 }, (_, i) => `http://h${i}.test`);

export function leasesContract(open: OpenStore, { sharedBecause = '' }: StoreTraits = {}): void {
  test('M2 W13 a leased host is not handed out again, to others or to its owner', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const { hostId, host, urls } = await claimOne(store);
    assert.equal(host, 'http://a.test');
    assert.equal(urls.length, 1);
    assert.deepEqual(await claim(store, { owner: OTHER_OWNER }), []);
    assert.deepEqual(await claim(store), []);
    const [record] = await store.hosts(0, 1);
    assert.deepEqual([record?.id, record?.leasedBy], [hostId, OWNER]);
    await store.seed([found('http://a.test/new')], NOW_MS);
    assert.deepEqual(await claim(store, { owner: OTHER_OWNER }), [], 'nor when it gets a new URL');
  });

  test('M2 owners that claim at the same time get hosts without overlap', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed(
      hostNames.map((host) => found(`${host}/`)),
      NOW_MS,
    );
    const owners = ['a', 'b', 'c', 'd'];
    const taken: number[] = [];
    for (let round = 0; round < 5; round++) {
      const leases = await Promise.all(owners.map((owner) => claim(store, { owner, hosts: 2 })));
      taken.push(...leases.flat().map(({ hostId }) => hostId));
    }
    assert.equal(taken.length, hostNames.length);
    assert.equal(new Set(taken).size, hostNames.length);
  });

  test('a claim takes no more hosts and URLs than it asks for', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const seeds = hostNames.slice(0, 5).flatMap((host) => [1, 2, 3].map((n) => found(`${host}/${n}`)));
    await store.seed(seeds, NOW_MS);
    const leases = await claim(store, { hosts: 2, urlsPerHost: 2 });
    assert.deepEqual(
      leases.map(({ urls }) => urls.length),
      [2, 2],
    );
    assert.equal((await claim(store)).length, 3);
  });

  for (const field of ['template', 'noise'] as const)
    test(`a lease brings what its holders learned about the ${field} of the host, and only theirs`, async (t) => {
      const dir = temporaryFolder(t);
      const first = await open(dir, NOW_MS);
      await first.seed([found(SEED), found('http://b.test/')], NOW_MS);
      const leases = await claim(first);
      const { hostId, [field]: none } = leases.find(({ host }) => host === 'http://a.test')!;
      assert.equal(none, undefined, 'nothing was learned yet');
      const manners = { askedAtMs: NOW_MS, delayMs: null, blockedUntilMs: 0 };
      const learned = (bytes: Uint8Array) => [{ hostId, manners, [field]: bytes }];
      await commit(first, [], { hosts: learned(Uint8Array.of(1, 2, 3)) });
      await commit(first, [], { hosts: learned(Uint8Array.of(0, 255, 7, 7)) });
      await commit(first, [], { hosts: [{ hostId, manners }] });
      await commit(first, [], { owner: OTHER_OWNER, hosts: learned(Uint8Array.of(9)) });
      const ids = leases.map((lease) => lease.hostId);
      await first.release(OWNER, ids, NOW_MS);
      await first.close();

      const store = await open(dir, NOW_MS);
      t.after(() => store.close());
      const claimed = await claim(store);
      const known = claimed.map(({ host, [field]: bytes }) => [host, bytes && [...bytes]]).sort();
      const expected = [
        ['http://a.test', [0, 255, 7, 7]],
        ['http://b.test', undefined],
      ];
      assert.deepEqual(known, expected);
      const read = field === 'template' ? store.template : store.noiseEvidence;
      assert.deepEqual([...(await read('http://a.test'))!], [0, 255, 7, 7]);
      assert.equal(await read('http://b.test'), null);
      await store.release(OWNER, ids, NOW_MS);
      const [leased] = await store.lease({ owner: OWNER, hostIds: [hostId], nowMs: NOW_MS, leaseMs: LEASE_MS });
      assert.deepEqual([...leased![field]!], [0, 255, 7, 7], 'also without URLs');
    });

  test('an expired lease is taken over, and results of the former owner are refused from then on', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const endMs = NOW_MS + LEASE_MS;
    assert.deepEqual(await claim(store, { owner: OTHER_OWNER, nowMs: endMs - 1 }), []);
    const taken = await claimOne(store, { owner: OTHER_OWNER, nowMs: endMs });
    assert.equal(taken.hostId, lease.hostId);

    const late = resultOf(lease, lease.urls[0]!, { page: page('late') });
    const manners = { askedAtMs: endMs + 7, delayMs: 7, blockedUntilMs: 7 };
    const robots = { status: 200, body: 'late', fetchedAtMs: 7 };
    const before = await everything(store);
    const receipt = await commit(store, [late], { hosts: [{ hostId: lease.hostId, manners, robots }] });
    assert.deepEqual(receipt.states, [null]);
    await store.release(OWNER, [lease.hostId], endMs);
    await store.renew(OWNER, endMs + 99);
    assert.deepEqual(await everything(store), before);

    const intime = resultOf(taken, taken.urls[0]!, { page: page('in time') });
    assert.deepEqual((await commit(store, [intime], { owner: OTHER_OWNER })).states, ['fetched']);
    assert.equal((await recordOf(store, SEED)).title, 'Title of in time');
  });

  test('an owner that was away longer than its lease does not get a host that it still holds', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    assert.deepEqual(await claim(store, { nowMs: NOW_MS + LEASE_MS }), []);
    const result = resultOf(lease, lease.urls[0]!, { page: page('x') });
    assert.deepEqual((await commit(store, [result])).states, ['fetched']);
  });

  test('renew extends only the leases of its owner', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED), found('http://b.test/')], NOW_MS);
    await claim(store, { hosts: 1 });
    const other = await claimOne(store, { owner: OTHER_OWNER });
    await store.renew(OWNER, NOW_MS + 3 * LEASE_MS);
    const taken = await claim(store, { owner: 'third', nowMs: NOW_MS + 2 * LEASE_MS });
    assert.deepEqual(
      taken.map(({ hostId }) => hostId),
      [other.hostId],
    );
  });

  test('manners and robots.txt are passed on from one lease to the next', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const first = await claimOne(store);
    assert.deepEqual(first.manners, { askedAtMs: 0, delayMs: null, blockedUntilMs: 0 });
    assert.equal(first.robots, null);
    const manners = { askedAtMs: NOW_MS + 10, delayMs: 2_500, blockedUntilMs: 0 };
    const robots = { status: 404, body: 'none\0here', fetchedAtMs: NOW_MS + 5 };
    await commit(store, [], { hosts: [{ hostId: first.hostId, manners, robots }] });
    await commit(store, [], { hosts: [{ hostId: first.hostId, manners }] });
    await store.release(OWNER, [first.hostId], NOW_MS + 20);
    assert.equal(await store.nextReadyAtMs(), NOW_MS + 2_510, 'not before the delay has passed');
    assert.deepEqual(await claim(store, { nowMs: NOW_MS + 2_509 }), []);
    const next = await claimOne(store, { owner: OTHER_OWNER, nowMs: NOW_MS + 2_510 });
    assert.deepEqual([next.manners, next.robots], [manners, robots]);
  });

  test('without a known last request, the delay of a released host counts from its release', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const { hostId } = await claimOne(store);
    const manners = { askedAtMs: NOW_MS + 10, delayMs: 2_500, blockedUntilMs: 0 };
    await commit(store, [], { hosts: [{ hostId, manners }] });
    await store.release(OTHER_OWNER, [hostId], NOW_MS + 2_000, NOW_MS + 9_000);
    await store.release(OWNER, [hostId], NOW_MS + 2_000, NOW_MS + 2_000);
    assert.equal(await store.nextReadyAtMs(), NOW_MS + 4_500);
    const next = await claimOne(store, { owner: OTHER_OWNER, nowMs: NOW_MS + 4_500 });
    assert.deepEqual(next.manners, { ...manners, askedAtMs: NOW_MS + 2_000 });
  });

  const name = 'a crash leaves no host behind: the next start has them all, and its delays count from then';
  test(name, { skip: sharedBecause }, async (t) => {
    const dir = temporaryFolder(t);
    const crashed = await open(dir, NOW_MS);
    await crashed.seed([found(SEED), found('http://b.test/')], NOW_MS);
    const [a, b] = await claim(crashed);
    const blockedUntilMs = NOW_MS + 3_600_000;
    await commit(crashed, [], {
      hosts: [
        { hostId: a!.hostId, manners: { askedAtMs: NOW_MS + 1, delayMs: 1_000, blockedUntilMs: 0 } },
        { hostId: b!.hostId, manners: { askedAtMs: NOW_MS + 1, delayMs: 1_000, blockedUntilMs } },
      ],
    });
    await crashed.close();

    const store = await open(dir, NOW_MS + 500);
    t.after(() => store.close());
    const lease = await claimOne(store, { nowMs: NOW_MS + 500 });
    assert.equal(lease.hostId, a!.hostId);
    assert.equal(lease.manners.askedAtMs, NOW_MS + 500);
    assert.deepEqual(await claim(store, { nowMs: blockedUntilMs - 1 }), []);
    const blocked = await claimOne(store, { nowMs: blockedUntilMs });
    assert.equal(blocked.hostId, b!.hostId, 'a host that is blocked is ready when the block ends');
  });

  test('a host of a dead owner is taken over when the lease expires, and its delay counts from then', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const manners = { askedAtMs: NOW_MS + 1, delayMs: 1_000, blockedUntilMs: 0 };
    await commit(store, [], { hosts: [{ hostId: lease.hostId, manners }] });
    const endMs = NOW_MS + LEASE_MS;
    const taken = await claimOne(store, { owner: OTHER_OWNER, nowMs: endMs + 7 });
    assert.deepEqual(taken.manners, { ...manners, askedAtMs: endMs });
    const [again] = await store.lease({ owner: 'third', hostIds: [lease.hostId], nowMs: endMs + 8, leaseMs: 1 });
    assert.equal(again, undefined, 'and nobody else has it now');
    const lateMs = endMs + 7 + LEASE_MS;
    const [named] = await store.lease({ owner: 'third', hostIds: [lease.hostId], nowMs: lateMs + 9, leaseMs: 1 });
    assert.equal(named?.manners.askedAtMs, lateMs, 'the same where it is leased by name');
  });
}
