/** Tests that the search index follows a refresh that goes on until it is stopped. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLivingSite } from '../../../../testbed/web/living-site.ts';
import { until } from '../../cluster/setup/polite-hosts.ts';
import { crawlHere } from '../../crawl-here.ts';
import { startRefreshHere } from '../../refresh/refresh-here.ts';
import { dataFolder } from '../../stored-crawl.ts';
import { indexedPages } from './indexed-pages.ts';

test('E9 while a refresh watches a site, a changed page is in the index with its new words only, and a deleted page is not', async (t) => {
  const site = await startLivingSite(t);
  site.set('/', '<title>Front</title><a href="/changing">one</a> <a href="/going">two</a>');
  site.set('/changing', '<title>Changing</title><p>about radii');
  site.set('/going', '<title>Going</title><p>about glue');
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  const textOf = (path: string) => indexedPages(dir).get(site.web.url(path))?.blocks.join(' ');
  assert.deepEqual([textOf('/changing'), textOf('/going')], ['about radii', 'about glue']);

  const refresh = await startRefreshHere(dir, { watch: true, every: '1s', due: 0 });
  t.after(() => refresh.stop());
  site.set('/changing', '<title>Changing</title><p>about spirals');
  await until(() => textOf('/changing') === 'about spirals', 'the new text');
  site.pages.set('/going', { status: 410 });
  await until(() => textOf('/going') === undefined, 'the removal');
  refresh.stop();
  await refresh.summary;
});
