/** Tests which worker computes the final ranks when several workers have fetched. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { orderFor } from '../../../src/crawl/crawl-plan.ts';
import { PageRankKeeper } from '../../../src/crawl/ranking/page-rank-keeper.ts';
import { Ranker } from '../../../src/crawl/ranking/ranker.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';

test('P1 a worker whose turn it is computes the last ranks, even if others fetched all pages', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/', reply('<a href="/1">1</a><a href="/2">2</a>'));
  web.on('/1', reply('one <a href="/2">2</a>'));
  web.on('/2', reply('two'));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s', watchers: false });
  const store = openSqliteStore(dir, Date.now());
  t.after(() => store.close());
  const urls = await store.urls(0, 10);
  const ids = urls.map(({ id }) => id);
  const ranked = await store.pageRanks(ids);
  const turn = { pages: async () => urls.length, lastId: async () => Math.max(...ids), urls: async () => urls.length };
  for (const isOwnTurn of [false, true]) {
    await store.setPageRanks(new Float32Array(Math.max(...ids) + 1));
    const ranker = new Ranker(orderFor(resolveOptions([])), store, 0, 0);
    await new PageRankKeeper(store, ranker, 0, { ...turn, isOwnTurn: () => isOwnTurn }).finish();
    const after = await store.pageRanks(ids);
    assert.deepEqual(
      after.map((rank) => rank > 0),
      ids.map(() => isOwnTurn),
    );
  }
  const again = await store.pageRanks(ids);
  ids.forEach((_, i) => {
    assert.ok(Math.abs(again[i]! - ranked[i]!) < 1e-3, `${again[i]} ${ranked[i]}`);
  });
});
