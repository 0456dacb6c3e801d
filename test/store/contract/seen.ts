/** Tests that a URL is stored once (M1, E7), however often and wherever it is found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { allUrls, claimOne, commit, everything, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const SEED = 'http://a.test/';

export function seenContract(open: OpenStore): void {
  test('seeds become known in order, and known seeds stay unchanged', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const seeds = ['http://a.test/', 'http://b.test/', 'http://a.test/x'].map((url) => found(url, { depth: 0 }));
    const ids = await store.seed(seeds, NOW_MS);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(
      (await allUrls(store)).map(({ id, url }) => [id, url]),
      ids.map((id, i) => [id, seeds[i]!.url]),
    );
    const before = await everything(store);
    assert.deepEqual(await store.seed(seeds, NOW_MS + 5), ids);
    assert.deepEqual(await everything(store), before);
  });

  test('a seed that was fetched already stays fetched', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x') })]);
    await store.seed([found(SEED)], NOW_MS);
    assert.equal((await recordOf(store, SEED)).state, 'fetched');
  });

  test('M1 E7 a URL is known once, in one batch and over batches', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const [seedId] = await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const link = found('http://a.test/page', { original: '/PAGE/../page' });
    const receipt = await commit(store, [
      resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks: [link, link, found(SEED)] }),
    ]);
    const [first, second, back] = receipt.linkIds[0]!;
    assert.equal(first, second);
    assert.equal(back, seedId);
    assert.equal(receipt.discovered, 1);
    assert.equal((await allUrls(store)).length, 2);
    assert.equal((await recordOf(store, link.url)).original, '/PAGE/../page');
    assert.equal((await recordOf(store, link.url)).via, SEED);
    assert.equal((await store.counts()).states.waiting, 1);
  });

  test('a commit also adds a URL that was not found on a page, without a referring page', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const map = found('http://a.test/sitemap.xml');
    assert.equal((await commit(store, [], { found: [map, map] })).discovered, 1);
    const { state, via } = await recordOf(store, map.url);
    assert.deepEqual([state, via], ['waiting', null]);
    assert.equal((await claimOne(store)).urls.length, 1);
  });

  test('the same key under another host is another URL', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const one = found('http://a.test/x');
    const other = { ...found('http://b.test/x'), key: one.key };
    const ids = await store.seed([one, other], NOW_MS);
    assert.notEqual(ids[0], ids[1]);
    assert.equal((await store.explain(other.host, one.key))?.url, other.url);
    assert.equal((await store.explain(one.host, one.key))?.url, one.url);
  });

  test('a skipped URL is known with its reason and is never handed out', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/private', { skip: 'robots-disallowed' })], NOW_MS);
    assert.equal(await store.nextReadyAtMs(), null);
    await store.seed([found(SEED)], NOW_MS);
    assert.deepEqual(
      (await claimOne(store)).urls.map(({ url }) => url),
      [SEED],
    );
    const { state, reason } = await recordOf(store, 'http://a.test/private');
    assert.deepEqual([state, reason], ['skipped', 'robots-disallowed']);
  });

  test('a path pattern has a budget per host, and URLs beyond it are skipped with a reason', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const day = (host: string, n: number) => found(`http://${host}.test/day?d=${n}`, { pattern: '/day?d=' });
    const foundLinks = [1, 2, 3, 1, 4].map((n) => day('a', n)).concat(day('b', 1), found('http://a.test/free'));
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks })], { patternBudget: 2 });
    const reasonOf = async (url: string) => (await recordOf(store, url)).reason;
    assert.equal(await reasonOf(day('a', 2).url), null);
    assert.equal(await reasonOf(day('a', 3).url), 'trap-pattern-budget');
    assert.equal(await reasonOf(day('a', 4).url), 'trap-pattern-budget');
    assert.equal(await reasonOf(day('b', 1).url), null, 'another host has a budget of its own');
    assert.equal(await reasonOf('http://a.test/free'), null);
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.skipped, reasons['trap-pattern-budget']], [2, 2]);
  });

  test('the sitemaps of a host have their own budget, and sitemaps beyond it are skipped with a reason', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const map = (host: string, n: number) =>
      found(`http://${host}.test/map-${n}`, { pattern: `sitemaps ${host}`, maxSitemaps: 2 });
    const foundLinks = [1, 2, 1, 3].map((n) => map('a', n)).concat(map('b', 1));
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks })], { patternBudget: 1 });
    await commit(store, [], { found: [map('a', 2), map('a', 4)] });
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.skipped, reasons], [2, { 'trap-sitemap-budget': 2 }]);
    for (const n of [3, 4]) assert.equal((await recordOf(store, map('a', n).url)).reason, 'trap-sitemap-budget');
  });

  test('a URL behind too many sitemaps waits as soon as a page links to it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const hidden = 'http://b.test/hidden';
    await store.seed([found(hidden, { hops: 6 * 128, skip: 'trap-sitemap-chain' }), found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const linked = found(hidden, { depth: 2 });
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks: [linked] })]);
    const [task] = (await claimOne(store)).urls;
    assert.deepEqual([task?.url, task?.hops], [hidden, 0]);
    assert.deepEqual((await store.counts()).reasons, {});
  });

  test('a URL that was too deep waits when a shorter path is found, with its new depth and place', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const deep = 'http://b.test/deep';
    await store.seed([found(deep, { depth: 11, skip: 'too-deep' }), found(SEED)], NOW_MS);
    const lease = await claimOne(store);
    const again = found(deep, { depth: 12, skip: 'too-deep' });
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x'), foundLinks: [again] })]);
    assert.equal((await recordOf(store, deep)).state, 'skipped', 'no shorter path yet');
    const [next] = await store.seed([found('http://a.test/near')], NOW_MS);
    const nearer = found(deep, { depth: 2, rank: 7 });
    await commit(store, [resultOf(lease, { id: next! }, { page: page('y'), foundLinks: [nearer] })]);
    const { state, reason, depth } = await recordOf(store, deep);
    assert.deepEqual([state, reason, depth], ['waiting', null, 2]);
    assert.deepEqual(
      (await claimOne(store)).urls.map(({ url }) => url),
      [deep],
    );
  });

  test('allowDepth releases exactly the URLs within the new depth', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const at = (depth: number) => found(`http://a.test/${depth}`, { depth, skip: 'too-deep' });
    await store.seed([at(3), at(4), at(5), found('http://a.test/r', { skip: 'robots-disallowed' })], NOW_MS);
    assert.equal(await store.nextReadyAtMs(), null);
    assert.equal(await store.allowDepth(4, NOW_MS), 2);
    assert.equal(await store.allowDepth(4, NOW_MS), 0);
    assert.deepEqual(
      (await claimOne(store)).urls.map(({ depth }) => depth),
      [3, 4],
    );
    assert.deepEqual((await store.counts()).reasons, { 'too-deep': 1, 'robots-disallowed': 1 });
  });

  test('letWait releases exactly the URLs that were skipped for the reason', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const at = (name: string, skip: 'private-address' | 'robots-disallowed') =>
      found(`http://a.test/${name}`, { skip });
    await store.seed([at('p1', 'private-address'), at('r', 'robots-disallowed'), at('p2', 'private-address')], NOW_MS);
    assert.equal(await store.nextReadyAtMs(), null);
    assert.equal(await store.letWait('private-address', NOW_MS), 2);
    assert.equal(await store.letWait('private-address', NOW_MS), 0);
    assert.deepEqual(
      (await claimOne(store)).urls.map(({ url }) => url),
      ['http://a.test/p1', 'http://a.test/p2'],
    );
    assert.deepEqual((await store.counts()).reasons, { 'robots-disallowed': 1 });
  });

  test('letWait releases exactly the URLs that were skipped because following them changes something', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const at = (name: string, skip: 'action-link' | 'robots-disallowed') => found(`http://a.test/${name}`, { skip });
    await store.seed([at('delete', 'action-link'), at('r', 'robots-disallowed')], NOW_MS);
    assert.equal(await store.letWait('action-link', NOW_MS), 1);
    assert.equal(await store.letWait('action-link', NOW_MS), 0);
    assert.deepEqual((await store.counts()).reasons, { 'robots-disallowed': 1 });
  });

  test('forgetTopic releases the URLs that were off topic and deletes every relevance', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const off = found('http://b.test/off', {
      skip: 'off-topic',
      relevance: 0.1,
      trail: { inherited: 0.2, stepsOff: 3 },
    });
    await store.seed([found(SEED), found('http://a.test/deep', { skip: 'too-deep', depth: 9 })], NOW_MS);
    const lease = await claimOne(store);
    const on = page('on topic', { relevance: 0.9 });
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: on, foundLinks: [off] })]);
    const before = await store.counts();
    assert.deepEqual([before.judged, before.onTopic, before.states.skipped], [1, 1, 2]);
    assert.equal(await store.forgetTopic(NOW_MS), 1);
    assert.equal(await store.forgetTopic(NOW_MS), 0);
    const { judged, onTopic, reasons, states } = await store.counts();
    assert.deepEqual([judged, onTopic, reasons, states.waiting], [0, 0, { 'too-deep': 1 }, 1]);
    const { state, relevance } = await recordOf(store, off.url);
    assert.deepEqual([state, relevance, (await recordOf(store, SEED)).relevance], ['waiting', null, null]);
    assert.deepEqual(
      (await claimOne(store)).urls.map(({ url, stepsOff }) => [url, stepsOff]),
      [[off.url, null]],
    );
  });
}
