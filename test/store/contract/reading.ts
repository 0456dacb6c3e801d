/** What the store tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededRandom } from '../../url/seeded-random.ts';
import { freshStore, type OpenStore } from '../fresh-store.ts';
import { allUrls, capture, claimOne, commit, FILE, found, NOW_MS, page, resultOf } from '../rows.ts';

export function readingContract(open: OpenStore): void {
  test('explain knows nothing of a URL that is not known', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found('http://a.test/')], NOW_MS);
    const { key } = found('http://a.test/other');
    assert.equal(await store.explain('http://a.test', key), null);
    assert.equal(await store.explain('http://b.test', found('http://a.test/').key), null);
    assert.equal((await store.explain('http://a.test', found('http://a.test/').key))?.state, 'waiting');
  });

  test('URLs and hosts are read page by page, in the order of discovery, each once', async (t) => {
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

  test('inlink counts are exact: a page counts once for each URL it links to', async (t) => {
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
      // Some more than once, as links and as ids, and some to URLs that are new.
      const links = Array.from({ length: random.below(12) }, () => `http://a.test/${random.below(60)}`);
      for (const url of new Set([...known.map((i) => urls[i]!), ...links])) {
        expected.set(url, (expected.get(url) ?? 0) + 1);
      }
      const foundLinks = links.map((url) => found(url));
      return resultOf(lease, task, { page: page(task.url), knownLinks: known.map((i) => ids[i]!), foundLinks });
    });
    await commit(store, results);
    const counts = await store.inlinkCounts();
    for (const { id, url } of await allUrls(store)) assert.equal(counts[id], expected.get(url) ?? 0, url);
  });

  test('inlink counts of an empty store are empty', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    assert.equal((await store.inlinkCounts()).length, 1);
  });

  test('captures come sorted by the key they are asked for, then by time', async (t) => {
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
      { url: urls[1], ...capture(1) },
      { url: urls[1], ...capture(400, { status: 503 }) },
      { url: urls[0], ...capture(0) },
      { url: urls[3], ...capture(3, { revisit: true }) },
      { url: urls[2], ...capture(2) },
    ]);
  });

  test('the capture of a URL is its latest', async (t) => {
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

  test('notes are kept and replaced', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    assert.equal(await store.note('rules'), null);
    await store.setNote('rules', 'one');
    await store.setNote('rules', '{"two":"ü\\u0000"}');
    assert.equal(await store.note('rules'), '{"two":"ü\\u0000"}');
    assert.equal(await store.note('seeds'), null);
  });

  test('hostile text comes back as it went in', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const title = `'); DROP TABLE urls; --\u202e\u{1f577}${'x'.repeat(5_000)}`;
    await store.seed([found(`http://a.test/'"%00?x=--`, { original: title })], NOW_MS);
    const lease = await claimOne(store);
    await commit(store, [resultOf(lease, lease.urls[0]!, { page: page('x', { title, language: title }) })]);
    const [record] = await allUrls(store);
    assert.deepEqual([record?.title, record?.language, record?.original], [title, title, title]);
  });
}
