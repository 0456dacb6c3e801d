/** Tests where sitemaps are looked for, `--sitemap-only`, and sitemaps that are larger than other bodies. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LATEST_MS, readCopy } from '../../../src/crawl/place/read-archived.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { addHere, crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder, storedUrls } from '../stored-crawl.ts';

const XML = { 'content-type': 'application/xml' };
const TEXT = { 'content-type': 'text/plain' };

async function startSite(t: TestContext): Promise<LocalWeb> {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/', reply('<a href="/linked">linked</a>'));
  web.on('/linked', reply('a linked page'));
  web.on('/listed', reply('a listed page <a href="/behind">behind</a>'));
  web.on('/behind', reply('a page behind a listed page'));
  return web;
}

function urlset(...paths: string[]): string {
  return `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join('')}</urlset>`;
}

async function fateOfTrial(dir: string, web: LocalWeb): Promise<string | undefined> {
  const record = (await storedUrls(dir)).get(web.url('/sitemap.xml'));
  return record && `${record.state}/${record.reason}`;
}

test('where robots.txt names no sitemap, the usual place is tried once, and a 404 there is no failed page', async (t) => {
  const web = await startSite(t);
  const dir = dataFolder(t);
  const summary = await crawlHere(dir, [web.url('/')]);
  assert.deepEqual([summary.pages, summary.failed, summary.waiting], [2, 0, 0]);
  assert.equal(await fateOfTrial(dir, web), 'skipped/no-sitemap');
  await crawlHere(dir, [web.url('/')]);
  await refreshHere(dir, { minInterval: '0s' });
  assert.equal(web.ledger.count('/sitemap.xml'), 1, 'neither a later crawl nor a refresh tries it again');
  const { stdout } = await runCli('explain', web.url('/sitemap.xml'), '--dir', dir);
  assert.match(stdout, /Tried on .* with status 404 \(text\/html\): .*no sitemap is there \[no-sitemap\]/);
  assert.doesNotMatch(stdout, /seed/);
  await assertSound(dir);
});

test('a sitemap at the usual place is read, also behind a redirect', async (t) => {
  for (const isMoved of [false, true]) {
    const web = await startSite(t);
    web.on(isMoved ? '/wp-sitemap.xml' : '/sitemap.xml', reply(urlset('/listed'), XML));
    if (isMoved) web.on('/sitemap.xml', reply('', { location: '/wp-sitemap.xml' }, 301));
    const dir = dataFolder(t);
    await crawlHere(dir, [web.url('/')]);
    assert.equal((await fatesOf(dir, web.origin))['/listed'], 'fetched');
  }
});

test('the next page of a feed at the usual place is not tried but named: it is fetched whatever it is', async (t) => {
  const web = await startSite(t);
  web.on('/sitemap.xml', reply('<feed><link rel="next" href="/older"/></feed>', XML));
  web.on('/older', reply('<h1>Older entries</h1>'));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  assert.equal((await fatesOf(dir, web.origin))['/older'], 'fetched');
});

test('a redirect of the usual place to a page leaves the page to its links', async (t) => {
  const web = await startSite(t);
  web.on('/sitemap.xml', reply('', { location: '/late' }, 302));
  web.on('/behind', reply('<a href="/late">late</a>'));
  web.on('/linked', reply('<a href="/listed">listed</a>'));
  web.on('/late', reply('a page that is linked late'));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  assert.equal((await fatesOf(dir, web.origin))['/late'], 'fetched');
  assert.equal(await fateOfTrial(dir, web), 'skipped/no-sitemap');
});

test('a page at the usual place is fetched when a link or robots.txt names it, now or later', async (t) => {
  const web = await startSite(t);
  web.on('/sitemap.xml', reply('<a href="/all">all pages</a>'));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  assert.equal(await fateOfTrial(dir, web), 'skipped/no-sitemap');
  web.on('/new', reply('<a href="/sitemap.xml">overview</a>'));
  await addHere(dir, [web.url('/new')]);
  assert.equal(await fateOfTrial(dir, web), 'fetched/null');
  await assertSound(dir);
  for (const page of ['/', '/linked']) {
    web.on(page, reply('<a href="/linked">linked</a><a href="/sitemap.xml">overview</a>'));
    const other = dataFolder(t);
    await crawlHere(other, [web.url('/')]);
    assert.equal(await fateOfTrial(other, web), 'fetched/null', page);
  }
});

test('an accident of a moment at the usual place is retried', async (t) => {
  const web = await startSite(t);
  web.on('/sitemap.xml', ({ response }) => {
    web.on('/sitemap.xml', reply(urlset('/listed'), XML));
    response.writeHead(200, { ...XML, 'content-length': '999' });
    response.write('<urlset>', () => response.destroy());
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  assert.equal((await fatesOf(dir, web.origin))['/listed'], 'fetched');
});

test('any other answer at the usual place is no page of the copy', async (t) => {
  for (const answer of [reply('<h1>Nothing here</h1><a href="/trap">x</a>'), reply('', {}, 410)]) {
    const web = await startSite(t);
    web.on('/sitemap.xml', answer);
    const dir = dataFolder(t);
    const summary = await crawlHere(dir, [web.url('/')]);
    assert.deepEqual([summary.pages, summary.failed, summary.waiting], [2, 0, 0]);
    assert.equal(await fateOfTrial(dir, web), 'skipped/no-sitemap');
    assert.equal(web.ledger.count('/trap'), 0);
  }
});

test('the usual place is not tried in vain', async (t) => {
  const named = `Sitemap: /maps/1.xml\nSitemap: ${(await startSite(t)).url('/elsewhere.xml')}`;
  for (const [given, robots] of [
    [{ scope: 'page' }, ''],
    [{ depth: 0 }, ''],
    [{ exclude: ['*/sitemap.xml'] }, ''],
    [{ ignoreRobots: true }, ''],
    [{}, 'User-agent: *\nDisallow: /sitemap.xml'],
    [{}, named],
  ] as const) {
    const web = await startSite(t);
    web.on('/robots.txt', reply(robots, TEXT));
    await crawlHere(dataFolder(t), [web.url('/')], given);
    assert.equal(web.ledger.count('/sitemap.xml'), 0, JSON.stringify(given) + robots);
  }
  const [seed, other] = [await startSite(t), await startWeb({ address: '127.0.0.3' })];
  t.after(() => other.close());
  other.on('/', reply('another site'));
  seed.on('/', reply(`<a href="${other.url('/')}">other</a>`));
  await crawlHere(dataFolder(t), [seed.url('/')], { scope: 'any' });
  assert.deepEqual([other.ledger.count('/'), other.ledger.count('/sitemap.xml')], [1, 0]);
});

test('the Sitemap lines of robots.txt may be a path, or a host and a path', async (t) => {
  const web = await startSite(t);
  const lines = ['/maps/a.xml', 'maps/b.txt', `${web.host}/maps/c.xml`, `//${web.host}/maps/d`];
  web.on('/robots.txt', reply(lines.map((line) => `Sitemap: ${line}`).join('\n'), TEXT));
  web.on('/maps/a.xml', reply(urlset('/1'), { 'content-type': 'application/octet-stream' }));
  web.on('/maps/b.txt', reply(`${web.url('/2')}\n`, TEXT));
  web.on('/maps/c.xml', reply(urlset(web.url('/3')), TEXT));
  web.on('/maps/d', reply(gzipSync(urlset('/4')), { 'content-type': 'text/xml' }));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  const fates = await fatesOf(dir, web.origin);
  for (const path of ['/1', '/2', '/3', '/4']) assert.equal(fates[path], 'failed/not-found', path);
});

test('--sitemap-only fetches the pages that sitemaps list and follows no links, not even to the canonical URL', async (t) => {
  const web = await startSite(t);
  const index = `<sitemapindex><sitemap><loc>${web.url('/map')}</loc></sitemap></sitemapindex>`;
  web.on('/sitemap.xml', reply(index, XML));
  web.on('/map', reply(gzipSync(urlset('/listed', '/second')), { 'content-type': 'application/x-gzip' }));
  web.on(
    '/second',
    reply('<link rel="canonical" href="/other"><img src="/i.png"><iframe src="/frame"></iframe>second'),
  );
  web.on('/i.png', reply('image', { 'content-type': 'image/png' }));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { sitemapOnly: true });
  const pages = { '/': 'fetched', '/listed': 'fetched', '/map': 'fetched', '/second': 'fetched' };
  assert.deepEqual(await fatesOf(dir, web.origin), { ...pages, '/sitemap.xml': 'fetched' });
  await assertSound(dir);
  const withImages = dataFolder(t);
  await crawlHere(withImages, [web.url('/')], { sitemapOnly: true, images: true });
  assert.deepEqual(await fatesOf(withImages, web.origin), { ...pages, '/i.png': 'fetched', '/sitemap.xml': 'fetched' });
});

test('a sitemap may be larger than --max-body, up to --max-sitemap-body; other bodies may not', async (t) => {
  const web = await startSite(t);
  const paths = Array.from({ length: 600 }, (_, i) => `/listed/${i}`);
  web.on('/sitemap.xml', reply(urlset('/plain.xml', '/coded', ...paths.slice(0, 200)), XML));
  web.on('/plain.xml', reply(urlset(...paths.slice(200, 400)), XML));
  const coded = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
  const codedText = urlset(...paths.slice(400));
  web.on('/coded', reply(gzipSync(codedText), coded));
  web.on('/', reply(`<p>${'long '.repeat(2_000)}</p><a href="/linked">linked</a>`));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { maxBody: 2_000, maxSitemapBody: 20_000 });
  const fates = await fatesOf(dir, web.origin);
  assert.equal(Object.keys(fates).filter((path) => path.startsWith('/listed/')).length, 600);
  assert.equal(fates['/'], 'fetched/body-too-large');
  assert.equal(fates['/sitemap.xml'], 'fetched');
  const store = readSqliteStore(dir);
  t.after(() => store.close());
  const copy = await readCopy(store, dir, web.url('/coded'), LATEST_MS);
  assert.ok(copy?.body.toString() === codedText && copy.fault === null, 'the copy is read with the same limits');
  const small = dataFolder(t);
  await crawlHere(small, [web.url('/')], { maxBody: 2_000, maxSitemapBody: 4_000 });
  const cut = await fatesOf(small, web.origin);
  assert.equal(cut['/sitemap.xml'], 'fetched/body-too-large');
  assert.ok(cut['/listed/0'] !== undefined && cut['/listed/199'] === undefined, 'the entries before the cut are used');
});
