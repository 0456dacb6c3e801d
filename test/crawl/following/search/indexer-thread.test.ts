/** Tests the thread that writes the index, with a page that needs more memory than the thread has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOptions } from '../../../../src/core/options/options.ts';
import { IndexerThread } from '../../../../src/crawl/following/search/indexer-thread.ts';
import { placeAt } from '../../../../src/crawl/place/crawl-place.ts';
import { startLivingSite } from '../../../../testbed/web/living-site.ts';
import { crawlHere } from '../../crawl-here.ts';
import { dataFolder, storedUrls } from '../../stored-crawl.ts';
import { indexedPages } from './indexed-pages.ts';

/** Enough for small pages, and far less than the large page needs. */
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 40 };

test('a page that ends the thread is left out and noted, and all other pages of its batch are indexed', async (t) => {
  const site = await startLivingSite(t);
  const paths = ['/a', '/heavy', '/b', '/c'];
  site.set('/', `<title>Front</title>${paths.map((path) => `<a href="${path}">${path}</a> `).join('')}`);
  for (const path of paths) site.set(path, `<title>${path}</title><p>The page ${path}.</p>`);
  const links = Array.from({ length: 300_000 }, (_, i) => `<a href="/l/${i}"></a>`);
  site.set('/heavy', `<title>Heavy</title>${links.join('')}`);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', search: false, maxLinks: 10 });
  const known = await storedUrls(dir);
  const ids = [...known.values()].map(({ id }) => id);
  const options = resolveOptions([{ from: 'test', given: { maxLinks: 1_000_000 } }]);
  const thread = new IndexerThread(
    { place: placeAt(dir), index: { kind: 'pages', dir }, indexId: 'test', options, share: null, isAwaited: true },
    LIMITS,
  );
  t.after(() => thread.end());
  const figures = (await thread.index(ids, '9/9'))!;
  assert.deepEqual([figures.pages, figures.position, figures.unread.pages], [4, '9/9', 1]);
  assert.match(figures.unread.files[0]!.problem, /memory/);
  assert.equal(indexedPages(dir).has(site.web.url('/heavy')), false);

  // The next batch is not slower: the page is known.
  assert.equal((await thread.index(ids, '9/10'))!.pages, 4);
  await thread.end();
  const roomy = new IndexerThread({
    place: placeAt(dir),
    index: { kind: 'pages', dir },
    indexId: 'test',
    options,
    share: null,
    isAwaited: true,
  });
  t.after(() => roomy.end());
  await roomy.open();
  const all = (await roomy.retry())!;
  assert.deepEqual([all.pages, all.unread.pages, all.position], [5, 0, '9/10']);
});
