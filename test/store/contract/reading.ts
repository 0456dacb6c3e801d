/** Tests the reading functions of the store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from '../../../testbed/random.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { allUrls, capture, claim, claimOne, commit, FILE, found, linksTo, NOW_MS, page, resultOf } from '../rows.ts';

export function readingContract(open: OpenStore): void {
  test('explain returns null for an unknown URL', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/')], NOW_MS);
    const { key } = found('http://a.test/other');
    assert.equal(await store.explain('http://a.test', key), null);
    assert.equal(await store.explain('http://b.test', found('http://a.test/').key), null);
    assert.equal((await store.explain('http://a.test', found('http://a.test/').key))?.state, 'waiting');
  });

  test('URLs and hosts are read in batches, in the order of discovery, each once', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const urls = Array.from({ length: 23 }, (_, i) => `http://h${i % 7}.test/${(i * 37) % 23}`);
    await store.seed(
      urls.map((url) => found(url)),
      NOW_MS,
    );
    const seen: string[] = [];
    for (let after = 0; ; ) {
      const some = await store.urls(after, 5);
      if (some.length === 0) break;
      assert.ok(some.length <= 5);
      seen.push(...some.map(({ url }) => url));
      after = some.at(-1)!.id;
    }
    assert.deepEqual(seen, urls);
    const hosts = [...(await store.hosts(0, 3))];
    hosts.push(...(await store.hosts(hosts.at(-1)!.id, 99)));
    assert.deepEqual(
      hosts.map(({ host, waiting }) => [host, waiting]),
      [4, 4, 3, 3, 3, 3, 3].map((waiting, i) => [`http://h${i}.test`, waiting]),
    );
  });

  test('URLs are read by ids: each once, in the order of discovery, without unknown ids', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const urls = ['http://a.test/1', 'http://b.test/', 'http://a.test/2', 'http://a.test/3'];
    const ids = await store.seed(
      urls.map((url) => found(url)),
      NOW_MS,
    );
    const all = await store.urls(0, 9);
    assert.deepEqual(await store.records([ids[3]!, 987_654, ids[1]!, ids[3]!]), [all[1], all[3]]);
    assert.deepEqual(await store.records([]), []);
  });

  test('a host that is found by name equals its entry in the list', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/1'), found('https://a.test/1'), found('http://a.test/2')], NOW_MS);
    const [plain, secure] = await store.hosts(0, 9);
    assert.deepEqual(await store.host('http://a.test'), plain);
    assert.deepEqual(await store.host('https://a.test'), secure);
    assert.deepEqual([plain?.waiting, secure?.waiting], [2, 1]);
    assert.equal(await store.host('http://b.test'), null);
    assert.equal(await store.host('HTTP://A.TEST'), null);
  });

  test('inlink counts are exact: a page counts once for each other URL it links to', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const random = new SeededRandom(11);
    const urls = Array.from({ length: 40 }, (_, i) => `http://a.test/${i}`);
    const ids = await store.seed(
      urls.map((url) => found(url)),
      NOW_MS,
    );
    const lease = await claimOne(store);
    const expected = new Map<string, number>();
    const results = lease.urls.slice(0, 30).map((task) => {
      const known = Array.from({ length: random.below(12) }, () => random.below(40));
      // Some URLs occur more than once, as links and as ids, and some are new.
      const links = Array.from({ length: random.below(12) }, () => `http://a.test/${random.below(60)}`);
      for (const url of new Set([...known.map((i) => urls[i]!), ...links])) {
        if (url !== task.url) expected.set(url, (expected.get(url) ?? 0) + 1);
      }
      const foundLinks = links.map((url) => found(url));
      return resultOf(lease, task, {
        page: page(task.url),
        knownLinks: linksTo(known.map((i) => ids[i]!)),
        foundLinks,
      });
    });
    await commit(store, results);
    const all = await allUrls(store);
    const wanted = all.map(({ url }) => expected.get(url) ?? 0);
    const everyId = all.map(({ id }) => id);
    assert.deepEqual(await store.backlinks(everyId), wanted, 'before they are counted');
    await store.countLinks();
    assert.deepEqual(await store.backlinks(everyId), wanted, 'and after');
  });

  test('an unknown URL has no back-links', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    assert.deepEqual(await store.backlinks([1, 99]), [0, 0]);
  });

  test('captures are sorted by the given key, then by time', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const urls = ['http://a.test/b', 'http://a.test/a', 'http://a.test/ä', 'http://a.test/c'];
    await store.seed(
      urls.map((url) => found(url)),
      NOW_MS,
    );
    const lease = await claimOne(store);
    const archive = new Map([[FILE, 500]]);
    const tasks = Object.fromEntries(lease.urls.map((task) => [task.url, task]));
    const retry = { state: 'waiting', failures: 1, capture: capture(400, { status: 503 }) } as const;
    await commit(store, [resultOf(lease, tasks[urls[1]!]!, retry)], { archive });
    const results = urls.map((url, i) => resultOf(lease, tasks[url]!, { capture: capture(i, { revisit: i === 3 }) }));
    await commit(store, results, { archive });
    const sorted: unknown[] = [];
    for await (const one of store.captures((url) => url.slice(14))) sorted.push(one);
    assert.deepEqual(sorted, [
      { url: urls[1], ...capture(400, { status: 503 }) },
      { url: urls[1], ...capture(1, { fetchedAtMs: NOW_MS + 401 }) },
      { url: urls[0], ...capture(0) },
      { url: urls[3], ...capture(3, { revisit: true }) },
      { url: urls[2], ...capture(2) },
    ]);
  });

  test('the capture of a URL is its latest capture', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/')], NOW_MS);
    const lease = await claimOne(store);
    const archive = new Map([[FILE, 500]]);
    for (const offset of [0, 100]) {
      await commit(store, [resultOf(lease, lease.urls[0]!, { state: 'waiting', capture: capture(offset) })], {
        archive,
      });
    }
    assert.equal((await allUrls(store))[0]?.capture?.offset, 100);
  });

  test('the captures of a URL up to a time are returned newest first, without those of other URLs', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const [url, sameKeyElsewhere] = ['http://a.test/', 'http://b.test/'];
    const { host, key } = found(url);
    await store.seed([found(url), found(sameKeyElsewhere, { key }), found('http://a.test/other')], NOW_MS);
    const archive = new Map([[FILE, 9_000]]);
    const leases = await claim(store);
    for (const lease of leases) {
      for (const [i, task] of lease.urls.entries()) {
        const isOurs = task.url === url;
        for (const offset of isOurs ? [0, 100, 200] : [5_000 + 100 * i]) {
          await commit(store, [resultOf(lease, task, { state: 'waiting', capture: capture(offset) })], { archive });
        }
      }
    }
    const offsetsUpTo = async (upToMs: number, limit: number) =>
      (await store.capturesOf(host, key, upToMs, limit)).map(({ offset }) => offset);
    assert.deepEqual(await offsetsUpTo(Number.MAX_SAFE_INTEGER, 99), [200, 100, 0]);
    assert.deepEqual(await offsetsUpTo(Number.MAX_SAFE_INTEGER, 2), [200, 100]);
    assert.deepEqual(await offsetsUpTo(NOW_MS + 100, 1), [100]);
    assert.deepEqual(await offsetsUpTo(NOW_MS + 99, 1), [0]);
    assert.deepEqual(await offsetsUpTo(NOW_MS - 1, 1), []);
    assert.deepEqual(await store.capturesOf(host, key, NOW_MS, 1), [capture(0)]);
    assert.deepEqual(await store.capturesOf('http://c.test', key, Number.MAX_SAFE_INTEGER, 9), []);
    assert.deepEqual(await store.capturesOf(host, found('http://a.test/none').key, Number.MAX_SAFE_INTEGER, 9), []);
  });

  test('captures of a URL are in the order of their commits, even if the clock was set back', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const url = 'http://a.test/';
    const { host, key } = found(url);
    await store.seed([found(url)], NOW_MS);
    const lease = await claimOne(store);
    for (const [i, fetchedAtMs] of [NOW_MS + 1_000, NOW_MS, NOW_MS + 2_000].entries()) {
      const taken = capture(100 * i, { fetchedAtMs });
      await commit(store, [resultOf(lease, lease.urls[0]!, { state: 'waiting', capture: taken })], {
        archive: new Map([[FILE, 500]]),
      });
    }
    const captures = await store.capturesOf(host, key, Number.MAX_SAFE_INTEGER, 9);
    assert.deepEqual(
      captures.map(({ offset, fetchedAtMs }) => [offset, fetchedAtMs - NOW_MS]),
      [
        [200, 2_000],
        [100, 1_001],
        [0, 1_000],
      ],
    );
  });

  test('notes are kept and replaced', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    assert.equal(await store.note('rules'), null);
    await store.setNote('rules', 'one');
    await store.setNote('rules', '{"two":"ü\\u0000"}');
    assert.equal(await store.note('rules'), '{"two":"ü\\u0000"}');
    assert.equal(await store.note('seeds'), null);
  });

  test('hostile text is stored and read unchanged', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const title = `'); DROP TABLE urls; --\u202e\u{1f577}${'x'.repeat(5_000)}`;
    await store.seed([found(`http://a.test/'"%00?x=--`, { original: title })], NOW_MS);
    const lease = await claimOne(store);
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x', { title, language: title }) })]);
    const [record] = await allUrls(store);
    assert.deepEqual([record?.title, record?.language, record?.original], [title, title, title]);
  });
}
