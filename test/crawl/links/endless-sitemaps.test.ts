/** Tests sitemaps and feeds that refer to new ones without end: crawl, resume and refresh end and give the reason. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_SITEMAP_CHAIN } from '../../../src/url/traps/sitemap-chain.ts';
import { startEndlessSite } from '../../../testbed/web/endless-sitemaps.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { TestCluster } from '../cluster/setup/cluster-here.ts';
import { openCluster } from '../cluster/setup/open-cluster.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder } from '../stored-crawl.ts';

/** A run that does not end by itself stops here and fails. */
const STOP = { limit: 3_000, patience: '0s' };
/** Length of a chain: the first document and the documents after it. */
const CHAIN = MAX_SITEMAP_CHAIN + 1;

/** How many URLs of this kind were skipped for this reason. */
function leftOut(fates: Record<string, string>, kind: string, reason: string): number {
  return Object.entries(fates).filter(([url, fate]) => url.startsWith(`/${kind}/`) && fate === `skipped/${reason}`)
    .length;
}

test('a crawl of endless sitemaps ends, at the end of each chain or at the limit for the host', async (t) => {
  const site = await startEndlessSite(t);
  const dir = dataFolder(t);
  const summary = await crawlHere(dir, [site.web.url('/')], { ...STOP, maxSitemaps: 150 });
  assert.equal(summary.ending, 'done');
  const fates = await fatesOf(dir, site.web.origin);
  assert.equal(fates['/page'], 'fetched');
  for (const kind of ['list', 'feed'] as const) {
    assert.equal(site.asked(kind), CHAIN, kind);
    assert.equal(leftOut(fates, kind, 'trap-sitemap-chain'), 1, kind);
  }
  for (const kind of ['index', 'gzip', 'moved', 'variant'] as const) assert.ok(site.asked(kind) <= 2 ** CHAIN, kind);
  for (const kind of ['wide', 'paged'] as const) assert.ok(leftOut(fates, kind, 'trap-sitemap-budget') > 0, kind);
  const sitemaps = Object.entries(fates).filter(([, fate]) => fate !== 'skipped/trap-sitemap-budget').length;
  assert.ok(sitemaps < 300, `${sitemaps} URLs are or were fetched`);
  await assertSound(dir);
});

test('chains of sitemaps end without the limit for the host', async (t) => {
  const kinds = ['index', 'gzip', 'moved', 'list', 'feed'] as const;
  const site = await startEndlessSite(t, kinds);
  const dir = dataFolder(t);
  assert.equal((await crawlHere(dir, [site.web.url('/')], STOP)).ending, 'done');
  const fates = await fatesOf(dir, site.web.origin);
  for (const kind of kinds) assert.ok(leftOut(fates, kind, 'trap-sitemap-chain') > 0, kind);
  assert.equal(site.asked('index'), 2 ** CHAIN - 1);
  assert.equal(site.asked('gzip'), CHAIN);
  assert.equal(site.asked('moved'), 2 * CHAIN, 'a redirect neither lengthens a chain nor begins a new one');
});

test('the limits hold when the crawl is resumed and in rounds of refresh', async (t) => {
  const site = await startEndlessSite(t, ['index', 'wide', 'paged', 'list']);
  const dir = dataFolder(t);
  const given = { ...STOP, maxSitemaps: 60 };
  const counted = async (): Promise<number> =>
    Object.entries(await fatesOf(dir, site.web.origin)).filter(
      ([url, fate]) => /^\/(?:index|wide|paged|list\/first)/.test(url) && !fate.startsWith('skipped'),
    ).length;
  await crawlHere(dir, [site.web.url('/')], given);
  assert.equal(await counted(), 60);
  await crawlHere(dir, [site.web.url('/')], given);
  assert.equal(await counted(), 60, 'the count is in the store');
  for (let round = 0; round < 2; round++) {
    const before = site.web.ledger.entries.length;
    const summary = await refreshHere(dir, { minInterval: '0s' });
    assert.equal(summary.ending, 'done');
    assert.equal(await counted(), 60, 'a refresh adds no sitemap');
    assert.ok(site.web.ledger.entries.length - before < 300, 'a round asks for what is known, and a few new lists');
  }
  await assertSound(dir);
});

test('robots.txt cannot name more sitemaps than the limit', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  const lines = Array.from({ length: 400 }, (_, i) => `Sitemap: ${web.url(`/map-${i}.xml`)}`);
  web.on('/robots.txt', reply(lines.join('\n'), { 'content-type': 'text/plain' }));
  web.on('/map-*', reply('<urlset></urlset>', { 'content-type': 'application/xml' }));
  web.on('/', reply('front'));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s', maxSitemaps: 25 });
  const fates = Object.values(await fatesOf(dir, web.origin));
  assert.equal(fates.filter((fate) => fate === 'skipped/trap-sitemap-budget').length, 375);
});

test('a page that a chain of sitemaps hid is fetched when a page links to it', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  const xml = { 'content-type': 'application/xml' };
  web.on('/robots.txt', reply(`Sitemap: ${web.url('/map-0.xml')}`, { 'content-type': 'text/plain' }));
  for (let i = 0; i <= MAX_SITEMAP_CHAIN; i++) {
    const entries = i === MAX_SITEMAP_CHAIN ? ['/hidden', '/linked'] : [`/map-${i + 1}.xml`];
    const locations = entries.map((path) => `<url><loc>${web.url(path)}</loc></url>`).join('');
    web.on(`/map-${i}.xml`, reply(`<urlset>${locations}</urlset>`, xml));
  }
  web.on('/', reply('<a href="/later">later</a>'));
  const link: { path: string } = { path: '/' };
  web.on('/later', (visit) => reply(`<a href="${link.path}">linked</a>`)(visit));
  web.on('/linked', reply('a linked page'));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s' });
  const before = await fatesOf(dir, web.origin);
  assert.equal(before['/linked'], 'skipped/trap-sitemap-chain');
  link.path = '/linked';
  await refreshHere(dir, { minInterval: '0s' });
  const fates = await fatesOf(dir, web.origin);
  assert.equal(fates['/linked'], 'fetched');
  assert.equal(fates['/hidden'], 'skipped/trap-sitemap-chain');
});

test('the limits hold for all workers of a cluster together', { skip: noPostgres }, async (t) => {
  const site = await startEndlessSite(t, ['index', 'wide', 'paged', 'list']);
  const cluster = await TestCluster.open(t);
  const given = { ...STOP, maxSitemaps: 60, units: 1, concurrency: 8, allowPrivate: true };
  await cluster.plan([site.web.url('/')], given);
  const summaries = await Promise.all(['a', 'b'].map((name) => cluster.start(name).ended));
  for (const summary of summaries) assert.equal(summary?.ending, 'done');
  const { store } = await openCluster(cluster.url, 'test');
  const { states, reasons } = await store.counts();
  await store.close();
  // The first list is one of the sitemaps that robots.txt names.
  assert.equal(site.asked('index') + site.asked('wide') + site.asked('paged') + 1, 60);
  assert.equal(site.asked('list'), CHAIN);
  assert.ok(reasons['trap-sitemap-chain']! > 0 && reasons['trap-sitemap-budget']! > 0);
  assert.equal(states.waiting, 0);
});
