/** Tests that an index does not depend on how threads divide the work on it. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { resolveOptions } from '../../../../src/core/options/options.ts';
import { EarlyPages } from '../../../../src/crawl/following/search/early-pages.ts';
import { BatchIndexer } from '../../../../src/crawl/following/search/index-batch.ts';
import { IndexerThread } from '../../../../src/crawl/following/search/indexer-thread.ts';
import { MakerThread } from '../../../../src/crawl/following/search/maker-thread.ts';
import { PageIndexer } from '../../../../src/crawl/following/search/page-indexer.ts';
import { placeAt } from '../../../../src/crawl/place/crawl-place.ts';
import { withStoreAt } from '../../../../src/crawl/place/open-store.ts';
import { IndexWriter } from '../../../../src/search/index/index-writer.ts';
import { startLivingSite } from '../../../../testbed/web/living-site.ts';
import { crawlHere } from '../../crawl-here.ts';
import { dataFolder, storedUrls } from '../../stored-crawl.ts';
import { indexedAnew, lasting } from './indexed-pages.ts';

const options = resolveOptions([]);
const ALONE = { begin: () => {}, end: () => {}, isStopping: false, isSharing: false };

async function crawledSite(t: TestContext) {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: 120 }, (_, i) => `/page-${i}`);
  site.set('/', `<title>Front</title>${paths.map((path) => `<a href="${path}">to ${path}</a> `).join('')}`);
  for (const [i, path] of paths.entries()) site.set(path, `<title>${i}</title><p>Page ${i} of the orb weavers.</p>`);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', search: false });
  const ids = [...(await storedUrls(dir)).values()].map(({ id }) => id);
  return { dir, ids, expected: await indexedAnew(t, dir) };
}

test('a thread that helps makes the pages that the writing thread would make, and each page is in the index once', async (t) => {
  const { dir, ids, expected } = await crawledSite(t);
  const place = placeAt(dir);
  const maker = new MakerThread({ place, options, stop: new SharedArrayBuffer(4) });
  t.after(() => maker.end());
  const writer = IndexWriter.open(dir, 'test');
  const notes = { write: () => {} };
  await withStoreAt(place, async (store) => {
    const indexer = new PageIndexer({ store, place, writer, options, signals: ALONE });
    // The other thread makes everything: this one waits until it has.
    const helping = {
      help: (parts: IteratorObject<readonly number[], void>) => maker.help([...parts].values(), new Set()),
    };
    const batch = new BatchIndexer({ indexer, writer, notes, early: new EarlyPages(), maker: helping });
    assert.equal(await batch.index(ids, new Set()), ids.length);
    assert.equal(indexer.found.read.length, 0);
    writer.commit('1');
    // Pages that are made again replace themselves, whoever makes them.
    assert.equal(await batch.index(ids.slice(0, 60), new Set()), 60);
    await indexer.index(ids.slice(30, 90), new Set());
    writer.commit('2');
  });
  writer.close();
  assert.deepEqual(lasting(dir), expected);
});

test('what a helping thread took before it died is made by the other thread', async (t) => {
  const { dir, ids, expected } = await crawledSite(t);
  const place = placeAt(dir);
  const maker = new MakerThread({ place, options, stop: new SharedArrayBuffer(4) });
  const writer = IndexWriter.open(dir, 'test');
  await withStoreAt(place, async (store) => {
    const indexer = new PageIndexer({ store, place, writer, options, signals: ALONE });
    const helping = {
      async help(parts: IteratorObject<readonly number[], void>) {
        const taken = [...parts];
        // It dies when the last part is asked for.
        const dying = { next: () => ({ done: false as const, value: taken.shift() ?? [] }) };
        const next = () => {
          if (taken.length === 1) void maker.end();
          return dying.next();
        };
        const lost = await maker.help({ next }, new Set());
        assert.ok('lost' in lost && lost.lost.length === ids.length);
        return lost;
      },
    };
    const batch = new BatchIndexer({
      indexer,
      writer,
      notes: { write: () => {} },
      early: new EarlyPages(),
      maker: helping,
    });
    assert.equal(await batch.index(ids, new Set()), ids.length);
    writer.commit('1');
  });
  writer.close();
  assert.deepEqual(lasting(dir), expected);
});

test('when somebody waits for the index, another thread continues in the middle of a batch', async (t) => {
  const { dir, ids, expected } = await crawledSite(t);
  const index = { kind: 'pages', dir } as const;
  const thread = new IndexerThread({
    place: placeAt(dir),
    index,
    indexId: 'test',
    options,
    share: null,
    isAwaited: false,
  });
  t.after(() => thread.end());
  const figures = thread.index(ids, '9/9');
  // The thread is still loading its code, so it hears this before the batch.
  thread.hurrySoon(0);
  const { pages, position } = (await figures)!;
  assert.deepEqual([pages, position], [expected.length, '9/9']);
  assert.equal(thread.starts, 2);
  await thread.end();
  assert.deepEqual(lasting(dir), expected);
});
