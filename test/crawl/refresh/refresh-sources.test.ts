/**
 * Tests the change times in sitemaps and feeds: a site's change source is trusted
 * while it proves right, and not a page longer.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type LivingSite, startLivingSite } from '../../../testbed/web/living-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { assertSound, dataFolder, edit, storedUrls } from '../stored-crawl.ts';
import { refreshHere, told } from './refresh-here.ts';

const PAGES = 300;
const DAY_MS = 86_400_000;

interface MappedSite {
  readonly site: LivingSite;
  readonly dir: string;
  /** Changes a page and updates the sitemap, unless `isTold` is false. */
  change(path: string, isTold?: boolean): void;
  /** Removes a page from the sitemap. */
  delist(path: string): void;
}

/** A site without validators, whose sitemap says when each page changed: an index and two files. */
async function mappedSite(t: TestContext): Promise<MappedSite> {
  const site = await startLivingSite(t, 'none');
  const paths = Array.from({ length: PAGES }, (_, i) => `/page/${i}`);
  const times = new Map(paths.map((path, i) => [path, Date.now() - DAY_MS * (2 + i)]));
  const { web } = site;
  const listed = new Set(paths);
  const draw = (): void => {
    const half = PAGES / 2;
    const urlset = (some: readonly string[]): string =>
      `<urlset>${some
        .filter((path) => listed.has(path))
        .map(
          (path) =>
            `<url><loc>${web.url(path)}</loc><lastmod>${new Date(times.get(path)!).toISOString()}</lastmod></url>`,
        )
        .join('')}</urlset>`;
    site.set('/map-1.xml', urlset(paths.slice(0, half)), 'application/xml');
    site.set('/map-2.xml', urlset(paths.slice(half)), 'application/xml');
  };
  let version = 0;
  const write = (path: string): void =>
    site.set(path, `<title>${path}</title><p>${path} in its version ${++version} says what it has to say.</p>`);
  site.set('/robots.txt', `Sitemap: ${web.url('/map.xml')}`, 'text/plain');
  const entries = [1, 2].map((n) => `<sitemap><loc>${web.url(`/map-${n}.xml`)}</loc></sitemap>`).join('');
  site.set('/map.xml', `<sitemapindex>${entries}</sitemapindex>`, 'application/xml');
  site.set('/', '<title>front</title>The front page links to nothing.');
  for (const path of paths) write(path);
  draw();
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s' });
  site.forget();
  return {
    site,
    dir,
    change(path, isTold = true) {
      write(path);
      if (isTold) times.set(path, Date.now() + 1_000 * version);
      draw();
    },
    delist(path) {
      listed.delete(path);
      draw();
    },
  };
}

test('a correct sitemap saves all other requests, even in the first refresh', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  for (const path of ['/page/3', '/page/150', '/page/299']) change(path);
  const first = await refreshHere(dir);
  await assertSound(dir);
  assert.deepEqual((await told(dir, site.web.origin)).filter((line) => line.includes('/page/')).sort(), [
    'changed /page/150',
    'changed /page/299',
    'changed /page/3',
  ]);
  // The requests are the sitemaps, three pages, the spot checks that prove the source, one in 64 of the rest,
  // and the front page, which no source lists.
  assert.ok(first.requests < PAGES / 2, `${first.requests} requests`);
  site.forget();
  change('/page/77');
  const second = await refreshHere(dir);
  assert.ok((await told(dir, site.web.origin)).includes('changed /page/77'));
  assert.ok(second.requests < 30, `${second.requests} requests`);
});

test('a sitemap that does not report changes is not trusted, and no change is missed', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  const silent = Array.from({ length: PAGES / 3 }, (_, i) => `/page/${i * 3}`);
  for (const path of silent) change(path, false);
  await refreshHere(dir);
  const pages = (await told(dir, site.web.origin)).filter((line) => line.includes('/page/'));
  assert.equal(pages.length, silent.length);
});

test('a trusted sitemap that becomes wrong is detected by spot checks', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  await refreshHere(dir);
  for (let i = 0; i < PAGES; i++) change(`/page/${i}`, false);
  for (let round = 0; round < 6; round++) await refreshHere(dir);
  const pages = (await told(dir, site.web.origin)).filter((line) => line.includes('/page/'));
  assert.equal(new Set(pages).size, PAGES, 'all changes are found in the end');
});

test('--no-sources visits every page', async (t) => {
  const { dir } = await mappedSite(t);
  const summary = await refreshHere(dir, { sources: false });
  assert.ok(summary.requests > PAGES);
});

test('a feed is a change source too', async (t) => {
  const site = await startLivingSite(t, 'none');
  const paths = Array.from({ length: 100 }, (_, i) => `/post/${i}`);
  const feed = (newest: string): void =>
    site.set(
      '/feed.atom',
      `<feed>${paths.map((path) => `<entry><link href="${site.web.url(path)}"/><updated>${path === newest ? new Date(Date.now() + 5_000).toISOString() : '2026-01-01T00:00:00Z'}</updated></entry>`).join('')}</feed>`,
      'application/atom+xml',
    );
  site.set('/', '<link rel="alternate" type="application/atom+xml" href="/feed.atom"> front');
  for (const path of paths) site.set(path, `<title>${path}</title><p>This is ${path}, as it was.</p>`);
  feed('');
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  site.set('/post/7', '<title>/post/7</title><p>This is another post altogether.</p>');
  feed('/post/7');
  site.forget();
  const summary = await refreshHere(dir);
  assert.ok((await told(dir, site.web.origin)).includes('changed /post/7'));
  assert.ok(summary.requests < 75, `${summary.requests} requests`);
});

test('a gzipped sitemap is read too', async (t) => {
  const site = await startLivingSite(t, 'none');
  site.set('/robots.txt', `Sitemap: ${site.web.url('/map.xml.gz')}`, 'text/plain');
  site.set('/', '<p>The front page links to nobody.</p>');
  site.set('/a', '<p>A page that only the sitemap knows of.</p>');
  let lastmod = '2026-01-01';
  site.web.on('/map.xml.gz', ({ response }) => {
    const map = `<urlset><url><loc>${site.web.url('/a')}</loc><lastmod>${lastmod}</lastmod></url></urlset>`;
    response.writeHead(200, { 'content-type': 'application/gzip' }).end(gzipSync(map));
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  lastmod = new Date(Date.now() + 5_000).toISOString();
  site.set('/a', '<p>A page that only the sitemap knows of, and it is another one now.</p>');
  await refreshHere(dir);
  assert.ok((await told(dir, site.web.origin)).includes('changed /a'));
});

test('if nothing changed, not even the sitemap, only a sample is requested, and no page twice', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  const first = await refreshHere(dir);
  assert.ok(first.requests < PAGES / 3, `${first.requests} requests`);
  site.forget();
  for (let i = 0; i < PAGES; i++) change(`/page/${i}`);
  await refreshHere(dir);
  for (const path of site.pages.keys()) assert.ok(site.asked(path).length <= 1, `${path}: ${site.asked(path)}`);
});

test('visits to sitemaps and spot checks update the statistics of those pages', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  const changesOf = async (path: string) => (await storedUrls(dir)).get(site.web.url(path))!.changes;
  change('/page/3');
  await refreshHere(dir);
  assert.deepEqual([site.asked('/map-1.xml').length, site.asked('/page/3').length], [1, 1], 'once a round each');
  assert.deepEqual(
    [await changesOf('/page/3'), await changesOf('/map-1.xml'), await changesOf('/map-2.xml')],
    [1, 1, 0],
  );
  change('/page/3');
  await refreshHere(dir);
  assert.ok((await changesOf('/page/3')) > 1.9);
  assert.ok((await changesOf('/map-1.xml')) > 1.9);
});

test('a page in a sitemap that is missing for the first time is not gone in the same refresh', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  change('/page/3');
  site.pages.set('/page/3', { status: 404 });
  const first = await refreshHere(dir);
  assert.deepEqual([first.gone, first.failed], [0, 1]);
  const second = await refreshHere(dir, { sources: false });
  assert.equal(second.gone, 1);
});

test('--only finds changes that a trusted sitemap reports, because the sitemap is requested anyway', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  await refreshHere(dir);
  for (let i = 0; i < 30; i++) change(`/page/${i}`);
  await refreshHere(dir, { only: ['*/page/*'] });
  const pages = (await told(dir, site.web.origin)).filter((line) => line.includes('/page/'));
  assert.equal(pages.length, 30);
});

test('a sitemap that has disappeared is no longer trusted, however long it was right', async (t) => {
  const { site, dir, change } = await mappedSite(t);
  await refreshHere(dir);
  edit(dir, 'UPDATE sources SET quiet = 5000');
  for (let i = 0; i < PAGES; i++) change(`/page/${i}`);
  for (const path of ['/map.xml', '/map-1.xml', '/map-2.xml']) site.pages.set(path, { status: 503 });
  await refreshHere(dir);
  const pages = (await told(dir, site.web.origin)).filter((line) => line.startsWith('changed /page/'));
  assert.equal(pages.length, PAGES);
});

test('sitemaps and feeds take at most half of the budget, and count in the budget of their host', async (t) => {
  const { site, dir } = await mappedSite(t);
  const small = await refreshHere(dir, { budget: 4 });
  assert.equal(small.requests, 4);
  const maps = ['/map.xml', '/map-1.xml', '/map-2.xml'].filter((path) => site.asked(path).length > 0);
  assert.equal(maps.length, 2);
  const host = await refreshHere(dir, { hostBudget: 5 });
  assert.equal(host.requests, 5);
});

test('a page that a trusted sitemap no longer lists is visited, and found gone', async (t) => {
  const { site, dir, delist } = await mappedSite(t);
  await refreshHere(dir);
  await refreshHere(dir);
  delist('/page/39');
  site.pages.set('/page/39', { status: 404 });
  await refreshHere(dir);
  await refreshHere(dir);
  assert.ok((await told(dir, site.web.origin)).includes('gone /page/39'));
});
