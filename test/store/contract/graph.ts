/** Tests the link graph: after any commits, refusals, losses and counts, the store says the same as a plain model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeAttributes, OTHER_HOST, SAME_HOST } from '../../../src/graph/link-attributes.ts';
import { SegmentReader } from '../../../src/graph/segment-reader.ts';
import type { Store } from '../../../src/store/contract.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import { allUrls, claimOne, commit, found, linksTo, NOW_MS, page, recordOf, resultOf } from '../rows.ts';
import { GraphCrawl } from './model/graph-model.ts';

const STEPS = 60;

export function graphContract(open: OpenStore, seeds: number): void {
  for (let seed = 1; seed <= seeds; seed++) {
    test(`P6 the links of a random crawl agree with the model, counted or not (seed ${seed})`, async (t) => {
      const dir = temporaryFolder(t);
      let store = await open(dir, NOW_MS);
      t.after(() => store.close());
      const random = new SeededRandom(seed + 100);
      const crawl = new GraphCrawl(store, seed);
      await crawl.begin();
      for (let step = 0; step < STEPS; step++) {
        const chance = random.below(12);
        const before = await knownCounts(store);
        if (chance === 0) await crawl.forget();
        else if (chance === 1) {
          await store.close();
          store = await open(dir, NOW_MS);
          await crawl.goOn(store);
        } else if (chance > 3) await crawl.commit();
        else {
          await store.countLinks();
          assert.deepEqual(await knownCounts(store), before, 'counting changes no count');
        }
        if (step % 5 === 0) await compare(store, crawl, `seed ${seed}, step ${step}`);
      }
      await store.countLinks();
      await compare(store, crawl, 'at the end');
      assert.deepEqual((await pagesInSegments(store)).sort(), [...crawl.pages].sort(), 'every page once');
    });
  }

  test('a link keeps its attributes in both directions', async (t) => {
    const { store, lease } = await seeded(await freshStore(t, open, NOW_MS), 2);
    const bold = encodeAttributes({ visibility: 2, position: 3, distance: OTHER_HOST });
    const plain = encodeAttributes({ visibility: 1, position: 1, distance: SAME_HOST });
    const foundLinks = [found('http://a.test/new'), found('http://b.test/'), found('http://a.test/new')];
    const [task] = lease.urls;
    const result = resultOf(lease, task!, { page: page('x'), foundLinks, foundAttributes: [plain, plain, bold] });
    await commit(store, [result]);
    const [fresh, other] = await store.linksFrom(task!.id);
    assert.deepEqual(
      [fresh, other].map((link) => [link!.url, link!.attributes, link!.state, link!.title]),
      [
        ['http://a.test/new', bold, 'waiting', ''],
        ['http://b.test/', plain, 'waiting', ''],
      ],
    );
    const { id, url } = task!;
    const link = { id, url, state: 'fetched', title: 'Title of x', attributes: bold };
    assert.deepEqual(await store.linksTo(fresh!.id, 10), [link]);
    assert.deepEqual(await store.linksTo(id, 10), []);
    assert.deepEqual(await store.linksFrom(fresh!.id), []);
  });

  test('linksTo returns the pages with the highest PageRank, and equal pages in the order of commit', async (t) => {
    const { store, lease, ids } = await seeded(await freshStore(t, open, NOW_MS), 8);
    const target = ids[7]!;
    for (const task of lease.urls.slice(0, 7)) {
      await commit(store, [resultOf(lease, task, { page: page(task.url), knownLinks: linksTo([target]) })]);
      if (task === lease.urls[3]) await store.countLinks();
    }
    const sources = async (limit: number) => {
      const links = await store.linksTo(target, limit);
      const none = ids[0]!;
      assert.deepEqual(await store.linksToEach([none, target, target], limit), [[], links, links]);
      return links.map(({ id }) => ids.indexOf(id));
    };
    assert.deepEqual(await sources(99), [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await sources(3), [0, 1, 2]);
    const ranks = new Float32Array(Math.max(...ids) + 1);
    for (const [i, rank] of [0.1, 0.3, 0, 0.1, 0.4, 0.3].entries()) ranks[ids[i]!] = rank;
    await store.setPageRanks(ranks);
    assert.deepEqual(await sources(99), [4, 1, 5, 0, 3, 2, 6]);
    assert.deepEqual(await sources(4), [4, 1, 5, 0]);
    assert.deepEqual(await sources(0), []);
  });

  test('countLinks returns exactly the waiting URLs whose count has passed a power of two', async (t) => {
    const { store, lease, ids } = await seeded(await freshStore(t, open, NOW_MS), 40);
    const [a, b, c] = ids.slice(37);
    const targets = [[a], [a, b], [a, b], [a], [a, b, c], [a], [a], [a]];
    const expected = [{}, { [a!]: 2 }, { [b!]: 2 }, { [a!]: 4 }, {}, {}, {}, { [a!]: 8 }];
    for (const [i, to] of targets.entries()) {
      const links = linksTo(to.map((id) => id!));
      await commit(store, [resultOf(lease, lease.urls[i]!, { page: page(`${i}`), knownLinks: links })]);
      const grown = await store.countLinks();
      assert.deepEqual(Object.fromEntries(grown.map(({ id, backlinks }) => [id, backlinks])), expected[i], `look ${i}`);
    }
    // Growth by several powers of two is reported once, and a page that does not wait is not reported.
    const many = lease.urls.slice(10, 35);
    const results = many.map((task) =>
      resultOf(lease, task, { page: page(task.url), knownLinks: linksTo([c!, many[0]!.id]) }),
    );
    await commit(store, results);
    const grown = await store.countLinks();
    const { url, depth } = await recordOf(store, lease.urls[39]!.url);
    assert.deepEqual(grown, [{ id: c, hostId: lease.hostId, url, depth, relevance: null, backlinks: 26 }]);
    assert.deepEqual(await store.countLinks(), []);
  });

  test('a commit reports the number of uncounted links, and an empty commit adds no segment', async (t) => {
    const { store, lease, ids } = await seeded(await freshStore(t, open, NOW_MS), 5);
    const uncounted: number[] = [];
    for (const task of lease.urls.slice(0, 3)) {
      const result = resultOf(lease, task, { page: page(task.url), knownLinks: linksTo(ids) });
      uncounted.push((await commit(store, [result])).uncountedLinks);
      // Commits the same result again, and then an empty batch.
      uncounted.push((await commit(store, [result])).uncountedLinks, (await commit(store, [])).uncountedLinks);
    }
    assert.deepEqual(uncounted, [4, 4, 4, 8, 8, 8, 12, 12, 12]);
    assert.deepEqual([await store.lastSegment(), await store.segments(0, 10)], [0, []], 'none is closed');
    await store.countLinks();
    const [segment, ...others] = await store.segments(0, 10);
    assert.deepEqual(others, []);
    assert.equal(await store.lastSegment(), segment!.seq);
    assert.deepEqual(await store.segments(segment!.seq, 10), []);
    assert.equal((await commit(store, [])).uncountedLinks, 0);
    await store.countLinks();
    assert.equal(await store.lastSegment(), segment!.seq);
  });

  test('PageRank is stored by id, replaced as a whole, and 0 for URLs that were unknown then', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const ids = [1, 2, 1_023, 1_024, 3_000, 5_000, 2 ** 33];
    assert.deepEqual(await store.pageRanks(ids), [0, 0, 0, 0, 0, 0, 0]);
    const first = Float32Array.from({ length: 3_001 }, (_, id) => id / 4_096);
    await store.setPageRanks(first);
    assert.deepEqual(await store.pageRanks(ids), [...[1, 2, 1_023, 1_024, 3_000].map((id) => id / 4_096), 0, 0]);
    await store.setPageRanks(Float32Array.of(0, 0.5, 0.25));
    assert.deepEqual(await store.pageRanks(ids), [0.5, 0.25, 0, 0, 0, 0, 0]);
    assert.deepEqual(await store.pageRanks([]), []);
  });

  test('redirectsTo returns the URLs that redirect to a URL', async (t) => {
    const { store, lease, ids } = await seeded(await freshStore(t, open, NOW_MS), 6);
    const target = found('http://a.test/0');
    const redirect = { state: 'redirect', redirectTo: target } as const;
    await commit(
      store,
      [4, 2, 3].map((i) => resultOf(lease, lease.urls[i]!, redirect)),
    );
    assert.deepEqual(
      await store.redirectsTo(ids[0]!, 10),
      [2, 3, 4].map((i) => `http://a.test/${i}`),
    );
    assert.deepEqual(await store.redirectsTo(ids[0]!, 1), ['http://a.test/2']);
    assert.deepEqual(await store.redirectsTo(ids[1]!, 10), []);
  });
}

async function seeded(store: Store, urls: number) {
  const seeds = Array.from({ length: urls }, (_, i) => found(`http://a.test/${i}`));
  const ids = await store.seed(seeds, NOW_MS);
  return { store, ids, lease: await claimOne(store, { urlsPerHost: urls }) };
}

async function knownCounts(store: Store): Promise<readonly number[]> {
  return store.backlinks((await allUrls(store)).map(({ id }) => id));
}

async function pagesInSegments(store: Store): Promise<string[]> {
  const urlOf = new Map((await allUrls(store)).map(({ id, url }) => [id, url]));
  const reader = new SegmentReader();
  const pages: string[] = [];
  for (const { lists } of await store.segments(0, 10_000)) {
    reader.open(lists);
    while (reader.next()) pages.push(urlOf.get(reader.page)!);
  }
  return pages;
}

async function compare(store: Store, crawl: GraphCrawl, when: string): Promise<void> {
  const urls = await allUrls(store);
  const counts = await store.backlinks(urls.map(({ id }) => id));
  for (const [i, { id, url, outlinks }] of urls.entries()) {
    const expected = crawl.backlinksOf(url);
    assert.equal(counts[i], expected.length, `${when}: back-links of ${url}`);
    const to = (await store.linksTo(id, 1_000)).map((link) => ({ url: link.url, attributes: link.attributes }));
    assert.deepEqual(to, expected, `${when}: links to ${url}`);
    const from = new Map((await store.linksFrom(id)).map((link) => [link.url, link.attributes]));
    assert.deepEqual(from, crawl.links.get(url) ?? new Map(), `${when}: links from ${url}`);
    assert.equal(outlinks, from.size, `${when}: links that ${url} has`);
  }
}
