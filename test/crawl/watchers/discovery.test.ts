/** Tests how a crawl finds the watcher of a site, and how it uses its listing (W14). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { startWatchedSite } from '../../../testbed/web/watched-site.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere, startRefreshHere } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder, edit as editStore } from '../stored-crawl.ts';

const QUICK = { patience: '0s' };
const WELL_KNOWN = '/.well-known/orbweaver-report';

async function watchersIn(dir: string) {
  const store = readSqliteStore(dir);
  try {
    return await store.watchers();
  } finally {
    await store.close();
  }
}

test('a site without a watcher is asked at most once a week', async (t) => {
  const site = await startLivingSite(t);
  site.set('/', '<p>SoleProcess.</p>');
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], QUICK);
  const probes = () => site.web.ledger.entries.filter(({ path }) => path.startsWith(WELL_KNOWN)).length;
  assert.equal(probes(), 1);
  await refreshHere(dir);
  await crawlHere(dir, [], QUICK);
  assert.equal(probes(), 1);
  editStore(dir, 'UPDATE watchers SET asked_at = asked_at - 8 * 86400000');
  await refreshHere(dir);
  assert.equal(probes(), 2);
});

test('the next run asks again if a watcher is not ready yet', async (t) => {
  const site = await startLivingSite(t);
  site.set('/', '<p>Watched soon.</p>');
  let asked = 0;
  site.web.on(WELL_KNOWN, ({ response }) => {
    asked++;
    response.writeHead(503).end('The first sweep of the site is not done. Retry later.\n');
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], QUICK);
  await refreshHere(dir);
  await refreshHere(dir);
  assert.equal(asked, 3);
});

test('the Retry-After of robots.txt counts for the whole site and is respected', async (t) => {
  const { site } = await startWatchedSite(t, { pages: 3 });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], QUICK);
  editStore(dir, 'UPDATE hosts SET robots_at = 0');
  site.web.on('/robots.txt', ({ response }) => void response.writeHead(503, { 'retry-after': '20000' }).end());
  await refreshHere(dir);
  const store = readSqliteStore(dir);
  const host = await store.host(site.web.origin);
  await store.close();
  const forMs = host!.manners.blockedUntilMs - Date.now();
  assert.ok(forMs > 19_000_000, `${forMs}`);
});

test('W14 a crawl adds the pages of the listing, and the first refresh continues from the start of the crawl', async (t) => {
  const { site, watcher, edit } = await startWatchedSite(t, { pages: 50 });
  site.set('/hidden', '<p>Nothing links here.</p>');
  watcher.partSize = 20;
  const dir = dataFolder(t);
  let isEdited = false;
  site.web.on('/page/49', ({ response }) => {
    response.end('<p>The last page, whatever comes.</p>');
    if (isEdited) return;
    isEdited = true;
    edit('/page/0', '<p>Changed while the crawl was under way.</p>');
  });
  await crawlHere(dir, [site.web.url('/')], QUICK);
  await assertSound(dir);
  const fates = await fatesOf(dir, site.web.origin);
  assert.equal(fates['/hidden'], 'fetched');
  const [record] = await watchersIn(dir);
  assert.equal(record!.cursor, 'e1.0');
  watcher.queries.length = 0;
  await refreshHere(dir);
  assert.equal(watcher.queries[0]!.get('since'), 'e1.0');
});

test('a crawl that continues an earlier one deletes the cursor, so the next refresh compares a listing', async (t) => {
  const { site, watcher, edit } = await startWatchedSite(t, { pages: 20 });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { ...QUICK, limit: 10 });
  edit('/page/1', '<p>Changed in between.</p>');
  await crawlHere(dir, [], { ...QUICK, limit: 0 });
  assert.equal((await watchersIn(dir))[0]!.cursor, null);
  site.forget();
  watcher.queries.length = 0;
  const summary = await refreshHere(dir);
  assert.equal(watcher.queries[0]!.get('since'), null);
  assert.equal(summary.changed + summary.new, (await fatesOf(dir, site.web.origin))['/page/1'] === 'fetched' ? 1 : 0);
});

test('robots.txt or a header of a page gives the place of the report; pointers to other hosts are ignored', async (t) => {
  const place = '/changes?of=site';
  const byRobots = await startWatchedSite(t, { pages: 5, place: '/changes' });
  byRobots.site.set('/robots.txt', `Orbweaver-Report: ${byRobots.site.web.url(place)}`, 'text/plain');
  const dir = dataFolder(t);
  await crawlHere(dir, [byRobots.site.web.url('/')], QUICK);
  assert.equal((await watchersIn(dir))[0]!.url, byRobots.site.web.url(place));
  assert.ok(byRobots.watcher.queries.length > 0);

  const byHeader = await startWatchedSite(t, { pages: 5, place: '/changes' });
  const front = (byHeader.site.pages.get('/') as { body: string }).body;
  byHeader.site.web.on('/', ({ response }) => {
    const link =
      '<http://127.0.0.9:9/x>; rel="orbweaver-report", </style,1.css>; rel=preload, </changes>; rel="x Orbweaver-Report"';
    response.writeHead(200, { 'content-type': 'text/html', link }).end(front);
  });
  const other = dataFolder(t);
  await crawlHere(other, [byHeader.site.web.url('/')], QUICK);
  assert.deepEqual(
    (await watchersIn(other)).map(({ url, readAtMs }) => [url, readAtMs]),
    [[byHeader.site.web.url('/changes'), 0]],
    'known, and read by the next run',
  );
  const { watchers } = await refreshHere(other);
  assert.equal(watchers[0]?.stance, 'doubted', 'five pages prove nothing');

  const byStranger = await startWatchedSite(t, { pages: 5, place: '/changes' });
  byStranger.site.set('/robots.txt', `Orbweaver-Report: ${byHeader.site.web.url('/changes')}`, 'text/plain');
  byHeader.watcher.queries.length = 0;
  await crawlHere(dataFolder(t), [byStranger.site.web.url('/')], QUICK);
  assert.equal(byHeader.watcher.queries.length, 0);
});

test('robots.txt applies to the report as to any URL', async (t) => {
  const { site, watcher } = await startWatchedSite(t, { pages: 5 });
  site.set('/robots.txt', 'User-agent: *\nDisallow: /.well-known/', 'text/plain');
  const summary = await crawlHere(dataFolder(t), [site.web.url('/')], QUICK);
  assert.deepEqual([watcher.queries.length, summary.pages], [0, 6]);
});

test('sitemaps named in robots.txt are found, although the controller read it first', async (t) => {
  const site = await startLivingSite(t);
  site.set('/robots.txt', `Sitemap: ${site.web.url('/map.xml')}`, 'text/plain');
  site.set('/map.xml', `<urlset><url><loc>${site.web.url('/hidden')}</loc></url></urlset>`, 'application/xml');
  site.set('/', '<p>Front.</p>');
  site.set('/hidden', '<p>Only the sitemap knows.</p>');
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], QUICK);
  assert.equal((await fatesOf(dir, site.web.origin))['/hidden'], 'fetched');
  assert.equal(site.asked('/robots.txt').length, 1);
});

test('W14 links from a watched site to another site add only its main page; --other-sites all adds all', async (t) => {
  const other = await startLivingSite(t, 'etag', { address: '127.0.0.3' });
  other.set('/', '<p>The main page of the other site.</p>');
  other.set('/deep', '<p>Deep inside.</p>');
  const { site } = await startWatchedSite(t, { pages: 3 });
  site.set('/', `<a href="/page/1">1</a> <a href="${other.web.url('/deep')}">elsewhere</a>`);
  const known = async (given: Record<string, unknown>) => {
    const dir = dataFolder(t);
    await crawlHere(dir, [site.web.url('/')], { ...QUICK, scope: 'any', ...given });
    const urls = Object.keys(await fatesOf(dir, site.web.origin));
    return urls.filter((url) => url.startsWith('http')).map((url) => url.slice(other.web.origin.length));
  };
  assert.deepEqual(await known({}), ['/']);
  assert.deepEqual(await known({ otherSites: 'all' }), ['/deep']);
  assert.deepEqual(await known({ watchers: false }), ['/deep']);
});

test('with --watch each round reads the report again', async (t) => {
  const { site, watcher, edit } = await startWatchedSite(t, { pages: 30 });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], QUICK);
  editStore(dir, 'UPDATE watchers SET quiet = 100');
  watcher.queries.length = 0;
  let rounds = 0;
  watcher.onAsk = (query) => {
    if (query.get('release') === null) return;
    if (++rounds > 2) running.stop();
    else edit(`/page/${rounds}`, `<p>Changed after round ${rounds}.</p>`);
  };
  const running = await startRefreshHere(dir, { watch: true, every: '200ms' });
  assert.equal((await running.summary).changed, 2);
  assert.ok(rounds >= 3);
});
