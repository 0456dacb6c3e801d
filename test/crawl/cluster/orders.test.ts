/**
 * Tests orders that follow the link graph, with three workers that each know a part of it: no page is
 * fetched twice, and the final graph is the same.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Store } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { isPage, Ledger } from '../../../testbed/web/ledger.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';
import { TestCluster } from './setup/cluster-here.ts';
import { openCluster } from './setup/open-cluster.ts';

const HOSTS = 6;
const PAGES = 40;
const OPEN = {
  scope: 'any',
  allowPrivate: true,
  patience: '1s',
  concurrency: 16,
  units: 1,
  depth: 100,
  watchers: false,
};
/** Ranks add up to 1. They are computed until their total change is less than a ten-thousandth. */
const TOLERANCE = 1e-3;

/**
 * Page 0 of a host links to all of its pages. Each other page links to ten pages anywhere, always the same ones; some
 * targets are far more frequent than others.
 */
async function startGraph(t: TestContext): Promise<LocalWeb[]> {
  const ledger = new Ledger();
  const webs = await Promise.all(
    Array.from({ length: HOSTS }, (_, i) => startWeb({ address: `127.0.8.${i + 1}`, ledger })),
  );
  t.after(() => Promise.all(webs.map((web) => web.close())));
  let state = 7;
  const below = (count: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) ** 2 * count);
  };
  const anchor = (web: LocalWeb, page: number) => `<a href="${web.url(page === 0 ? '/' : `/p${page}`)}">x</a>`;
  for (const web of webs) {
    const own = Array.from({ length: PAGES - 1 }, (_, i) => anchor(web, i + 1)).join('');
    const others = webs.map((other) => anchor(other, 0)).join('');
    web.on('/', reply(`<title>${web.host}</title>${own}${others}`));
    for (let page = 1; page < PAGES; page++) {
      const links = Array.from({ length: 10 }, () => anchor(webs[below(HOSTS)]!, below(PAGES))).join('');
      web.on(`/p${page}`, reply(`page ${web.host}/${page} ${links}`));
    }
  }
  return webs;
}

async function graphIn(store: Store): Promise<Map<string, { rank: number; backlinks: number }>> {
  const urls: { id: number; url: string }[] = [];
  for (let after = 0; ; after = urls.at(-1)!.id) {
    const some = await store.urls(after, 1_000);
    urls.push(...some);
    if (some.length < 1_000) break;
  }
  const ids = urls.map(({ id }) => id);
  const [ranks, backlinks] = [await store.pageRanks(ids), await store.backlinks(ids)];
  await store.close();
  const graph = urls.map(({ url }, i) => [url, { rank: ranks[i]!, backlinks: backlinks[i]! }] as const);
  // No page links to the usual place of a sitemap.
  return new Map(graph.filter(([url]) => !url.endsWith('/sitemap.xml')));
}

for (const order of ['best-first', 'backlink']) {
  test(`P1 M2 three workers with the order ${order} fetch each page once, and compute the same ranks as one process`, {
    skip: noPostgres,
  }, async (t) => {
    const webs = await startGraph(t);
    const { entries } = webs[0]!.ledger;
    const dir = dataFolder(t);
    await crawlHere(dir, [webs[0]!.url('/')], { ...OPEN, order });
    const alone = await graphIn(readSqliteStore(dir));
    entries.length = 0;
    const cluster = await TestCluster.open(t);
    await cluster.plan([webs[0]!.url('/')], { ...OPEN, order });
    const ended = await Promise.all(['a', 'b', 'c'].map((name) => cluster.start(name).ended));
    for (const summary of ended) assert.deepEqual([summary?.ending, summary?.pages], ['done', HOSTS * PAGES]);
    const pages = entries.filter(({ path }) => isPage(path)).map(({ host, path }) => host + path);
    assert.deepEqual([pages.length, new Set(pages).size], [HOSTS * PAGES, HOSTS * PAGES]);
    const together = await graphIn((await openCluster(cluster.url, 'test')).store);
    assert.equal(together.size, HOSTS * PAGES);
    let difference = 0;
    for (const [url, { rank, backlinks }] of together) {
      const other = alone.get(url)!;
      assert.equal(backlinks, other.backlinks, `links to ${url}`);
      assert.ok(rank > 0, `${url} has no rank`);
      difference += Math.abs(rank - other.rank);
    }
    assert.ok(difference < TOLERANCE, `ranks differ by ${difference} together`);
  });
}
