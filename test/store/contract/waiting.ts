/** Tests which URLs are handed out, in which order, and when a host has a URL ready again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { claim, claimOne, commit, found, NOW_MS, OTHER_OWNER, OWNER, page, recordOf, resultOf } from '../rows.ts';

const DUE_MS = NOW_MS + 90_000;

export function waitingContract(open: OpenStore): void {
  test('URLs are handed out by rank, and equal ranks in the order of discovery', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const ranks = [2, -1, 0.5, 2, 0, -1];
    await store.seed(
      ranks.map((rank, i) => found(`http://a.test/${i}`, { rank })),
      NOW_MS,
    );
    const { urls } = await claimOne(store);
    assert.deepEqual(
      urls.map(({ url }) => Number(url.slice(-1))),
      [1, 5, 4, 2, 0, 3],
    );
  });

  test('claimMore continues after the claimed URLs and includes URLs that were found in the meantime', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const seeds = [3, 1, 4, 2, 5].map((rank) => found(`http://a.test/${rank}`, { rank }));
    await store.seed(seeds, NOW_MS);
    const { hostId, urls } = await claimOne(store, { urlsPerHost: 2 });
    const out = new Set(urls.map(({ id }) => id));
    const ranksOf = (more: readonly { url: string }[]) => more.map(({ url }) => Number(url.slice(14)));
    assert.deepEqual(ranksOf(urls), [1, 2]);
    assert.deepEqual(ranksOf(await store.claimMore(hostId, { limit: 2, besides: out, nowMs: NOW_MS })), [3, 4]);
    await store.seed([found('http://a.test/0', { rank: 0 }), found('http://b.test/9')], NOW_MS);
    assert.deepEqual(ranksOf(await store.claimMore(hostId, { limit: 10, besides: out, nowMs: NOW_MS })), [0, 3, 4, 5]);
    assert.deepEqual(ranksOf(await store.claimMore(hostId, { limit: 1, besides: new Set(), nowMs: NOW_MS })), [0]);
  });

  test('a host has the reason of its last failure until it answers, and can be asked again at once', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/'), found('http://b.test/')], NOW_MS);
    const [lease, other] = await claim(store);
    const manners = { askedAtMs: NOW_MS, delayMs: null, blockedUntilMs: DUE_MS };
    const robots = { status: 0, body: '', fetchedAtMs: NOW_MS, failingSinceMs: NOW_MS - 5_000 };
    const { hostId } = lease!;
    const retry = { state: 'waiting', reason: 'dns-failed', failures: 1, dueAtMs: DUE_MS } as const;
    await commit(store, [resultOf(lease!, lease!.urls[0]!, retry)], {
      hosts: [{ hostId, manners, robots, trouble: 'dns-failed' }],
    });
    await commit(store, [], {
      hosts: [
        { hostId, manners },
        { hostId: other!.hostId, manners: { ...manners, blockedUntilMs: 0 }, trouble: null },
      ],
    });
    const troubled = (await store.hostsInTrouble(10)).map((record) => [record.host, record.trouble, record.robots]);
    assert.deepEqual(troubled, [['http://a.test', 'dns-failed', robots]], 'an update without news changes nothing');
    await store.release(OWNER, [hostId, other!.hostId], NOW_MS);

    await store.unblock(['http://a.test'], ['tls-failed'], NOW_MS);
    assert.deepEqual(
      (await claim(store)).map(({ host }) => host),
      ['http://b.test'],
      'its trouble has another reason',
    );
    await store.unblock(['http://a.test', 'http://unknown.test'], ['tls-failed', 'dns-failed'], NOW_MS);
    const again = await claimOne(store);
    assert.deepEqual([again.host, again.urls.length, again.manners.blockedUntilMs], ['http://a.test', 1, 0]);
    assert.deepEqual(again.robots, robots);
    const answered = { status: 200, body: 'User-agent: *', fetchedAtMs: NOW_MS };
    await commit(store, [], { hosts: [{ hostId, manners, robots: answered, trouble: null }] });
    assert.deepEqual(await store.hostsInTrouble(10), []);
    assert.deepEqual((await store.host('http://a.test'))!.robots, answered);
  });

  test('a URL that is retried later waits until its time, and so does its host', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/', { depth: 3, hops: 2 })], NOW_MS);
    const lease = await claimOne(store);
    const retry = { state: 'waiting', reason: 'server-error', failures: 1, dueAtMs: DUE_MS } as const;
    const receipt = await commit(store, [resultOf(lease, lease.urls[0]!, retry)]);
    assert.deepEqual(receipt.states, ['waiting']);
    assert.deepEqual(await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: DUE_MS - 1 }), []);
    await store.release(OWNER, [lease.hostId], NOW_MS);
    assert.equal(await store.nextReadyAtMs(), DUE_MS);
    const { state, reason, failures, dueAtMs } = await recordOf(store, 'http://a.test/');
    assert.deepEqual([state, reason, failures, dueAtMs], ['waiting', 'server-error', 1, DUE_MS]);
    const { retrying, retryReasons, reasons } = await store.counts();
    assert.deepEqual([receipt.retrying, retrying, retryReasons, reasons], [1, 1, { 'server-error': 1 }, {}]);

    assert.deepEqual(await claim(store, { nowMs: DUE_MS - 1 }), []);
    const again = await claimOne(store, { nowMs: DUE_MS });
    const [task] = again.urls;
    assert.deepEqual([task?.failures, task?.depth, task?.hops], [1, 3, 2]);
    await commit(store, [resultOf(again, task!, { page: page('at last') })]);
    const counts = await store.counts();
    assert.deepEqual([counts.retrying, counts.states.waiting, counts.states.fetched], [0, 0, 1]);
  });

  test('claimMore hands out a URL that is due', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/')], NOW_MS);
    const lease = await claimOne(store);
    await commit(store, [resultOf(lease, lease.urls[0]!, { state: 'waiting', failures: 1, dueAtMs: DUE_MS })]);
    assert.equal((await store.claimMore(lease.hostId, { limit: 9, besides: new Set(), nowMs: DUE_MS })).length, 1);
    assert.equal(
      (
        await store.claimMore(lease.hostId, {
          limit: 9,
          besides: new Set(lease.urls.map(({ id }) => id)),
          nowMs: DUE_MS,
        })
      ).length,
      0,
    );
  });

  test('a released host is ready at once, when its next URL is due, when its block ends, or never', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed(
      ['now', 'due', 'blocked', 'done'].map((name) => found(`http://${name}.test/`)),
      NOW_MS,
    );
    const leases = await claim(store);
    const of = (name: string) => leases.find(({ host }) => host === `http://${name}.test`)!;
    const results = [
      resultOf(of('due'), of('due').urls[0]!, { state: 'waiting', failures: 1, dueAtMs: DUE_MS }),
      resultOf(of('done'), of('done').urls[0]!, { page: page('x') }),
    ];
    const manners = { askedAtMs: NOW_MS, delayMs: 0, blockedUntilMs: NOW_MS + 5_000 };
    await commit(store, results, { hosts: [{ hostId: of('blocked').hostId, manners }] });
    await store.release(
      OWNER,
      leases.map(({ hostId }) => hostId),
      NOW_MS + 1,
    );
    const readyAt = new Map((await store.hosts(0, 9)).map(({ host, readyAtMs }) => [host, readyAtMs]));
    assert.deepEqual(
      ['now', 'due', 'blocked', 'done'].map((name) => readyAt.get(`http://${name}.test`)),
      [NOW_MS + 1, DUE_MS, NOW_MS + 5_000, null],
    );
    assert.equal(await store.nextReadyAtMs(), NOW_MS + 1);
  });

  test('a host without waiting URLs is ready again when a page of another host links to it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/')], NOW_MS);
    const a = await claimOne(store);
    await commit(store, [resultOf(a, a.urls[0]!, { page: page('x') })]);
    await store.release(OWNER, [a.hostId], NOW_MS);
    assert.equal(await store.nextReadyAtMs(), null);
    await store.seed([found('http://b.test/')], NOW_MS);
    const b = await claimOne(store, { owner: OTHER_OWNER });
    const foundLinks = [found('http://a.test/2')];
    await commit(store, [resultOf(b, b.urls[0]!, { page: page('y'), foundLinks })], { owner: OTHER_OWNER });
    assert.deepEqual(
      (await claimOne(store)).urls.map(({ url }) => url),
      ['http://a.test/2'],
    );
  });
}
