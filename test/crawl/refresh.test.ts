/** A copy that is brought up to date: what is asked for, what is found, what is kept. On a real web that changes meanwhile. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../src/core/options.ts';
import { type LivingSite, startLivingSite, type Validators } from '../web/living-site.ts';
import { crawlHere, fatesOf } from './crawl-here.ts';
import { changesIn, refreshHere, told } from './refresh-here.ts';
import { assertSound, dataFolder, storedUrls } from './stored-crawl.ts';

const PAGES = 30;

const page = (title: string, ...links: readonly string[]): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>
  <p>This is what ${title} has to say, and it says it at some length so that there is something to compare.</p>
  ${links.map((href) => `<a href="${href}">to ${href}</a>`).join('\n')}</body></html>`;

/** A site of one front page and thirty others, crawled whole. */
async function crawledSite(t: TestContext, validators: Validators = 'etag', given: GivenOptions = {}) {
  const site = await startLivingSite(t, validators);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page/${i}`);
  site.set('/', page('front', ...paths));
  for (const path of paths) site.set(path, page(path, '/'));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', ...given });
  site.forget();
  return { site, dir, paths };
}

async function refreshed(site: LivingSite, dir: string, given: GivenOptions = {}) {
  const summary = await refreshHere(dir, given);
  await assertSound(dir);
  return { summary, said: await told(dir, site.web.origin) };
}

for (const validators of ['etag', 'last-modified', 'none'] as const) {
  test(`with ${validators}: what changed is found, and nothing else is said to have`, async (t) => {
    const { site, dir } = await crawledSite(t, validators);
    site.set('/page/7', page('/page/7 is another', '/'));
    site.set('/page/11', page('/page/11', '/', '/page/7'));
    const { summary, said } = await refreshed(site, dir);
    assert.deepEqual(said.sort(), ['changed /page/11', 'changed /page/7']);
    assert.equal(summary.ending, 'done');
    assert.equal(summary.changed, 2);
    assert.equal(summary.unchanged, PAGES - 1);
    assert.equal(summary.requests, PAGES + 1);
    assert.equal(summary.bytes, site.bytesSent);
    const isSent = validators === 'none';
    assert.deepEqual(site.asked('/page/3'), [isSent ? 200 : 304]);
    const again = await refreshed(site, dir);
    assert.equal(again.summary.changed, 0);
    assert.equal(again.said.length, 2);
  });
}

test('a new page that turns up is fetched and told of, and so is what it links to', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/new', page('new', '/newer'));
  site.set('/newer', page('newer', '/'));
  site.set('/page/1', page('/page/1', '/', '/new'));
  const { summary, said } = await refreshed(site, dir);
  assert.deepEqual(said.sort(), ['changed /page/1', 'new /new', 'new /newer']);
  assert.equal(summary.new, 2);
  assert.equal(summary.changed, 1);
});

test('404 once is no end, twice is; 410 is at once; a page that comes back is told of', async (t) => {
  const { site, dir } = await crawledSite(t);
  const was = site.pages.get('/page/4')!;
  site.pages.set('/page/4', { status: 404 });
  site.pages.set('/page/5', { status: 410 });
  const first = await refreshed(site, dir);
  assert.deepEqual(first.said, ['gone /page/5']);
  assert.equal(first.summary.failed, 1);
  assert.equal(first.summary.gone, 1);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/4'], 'fetched');
  const second = await refreshed(site, dir);
  assert.deepEqual(second.said, ['gone /page/5', 'gone /page/4']);
  const fates = await fatesOf(dir, site.web.origin);
  assert.equal(fates['/page/4'], 'gone/not-found');
  assert.equal(fates['/page/5'], 'gone/gone');
  site.pages.set('/page/4', was);
  const third = await refreshed(site, dir, { maxInterval: '0s' });
  assert.deepEqual(third.said.at(-1), 'returned /page/4');
  assert.equal((await fatesOf(dir, site.web.origin))['/page/4'], 'fetched');
});

test('a server in trouble costs no page: it is kept, and looked at again later', async (t) => {
  const { site, dir } = await crawledSite(t);
  const was = site.pages.get('/page/4')!;
  site.pages.set('/page/4', { status: 500 });
  const first = await refreshed(site, dir);
  assert.equal(first.summary.failed, 1);
  assert.equal(first.summary.unchanged, PAGES);
  assert.deepEqual(first.said, []);
  const record = (await storedUrls(dir)).get(site.web.url('/page/4'))!;
  assert.equal(record.state, 'fetched');
  assert.equal(record.trouble, 'server-error');
  site.pages.set('/page/4', was);
  site.forget();
  await refreshed(site, dir);
  assert.deepEqual(site.asked('/page/4'), [], 'not before the time that the retry table gives it');
});

test('a page that became a redirect has moved; a redirect that stays is unchanged', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.pages.set('/page/4', { status: 301, to: '/elsewhere' });
  site.set('/elsewhere', page('elsewhere', '/'));
  const { said } = await refreshed(site, dir);
  assert.deepEqual(said.sort(), ['moved /page/4', 'new /elsewhere']);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/4'], 'redirect');
  const again = await refreshed(site, dir);
  assert.equal(again.said.length, 2);
});

test('a page that no page links to any more is an orphan, and stays', async (t) => {
  const { site, dir, paths } = await crawledSite(t);
  site.set('/', page('front', ...paths.slice(1)));
  const { said } = await refreshed(site, dir);
  assert.deepEqual(said.sort(), ['changed /', 'orphaned /page/0']);
  const record = (await storedUrls(dir)).get(site.web.url('/page/0'))!;
  assert.equal(record.state, 'fetched');
  assert.notEqual(record.orphanedAtMs, null);
});

test('robots.txt still rules: what it forbids now leaves the copy', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/robots.txt', 'User-agent: *\nDisallow: /page/4', 'text/plain');
  const store = await import('../../src/store/sqlite/sqlite-store.ts');
  const open = store.openSqliteStore(dir, Date.now());
  await open.close();
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(`${dir}/crawl.db`);
  db.exec('UPDATE hosts SET robots_at = 0');
  db.close();
  const { summary, said } = await refreshed(site, dir);
  assert.equal(summary.refused, 1);
  assert.deepEqual(said, ['gone /page/4']);
  assert.deepEqual(site.asked('/page/4'), []);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/4'], 'skipped/robots-disallowed');
});

test('a budget is kept to, and the next refresh goes on with the others', async (t) => {
  const { site, dir } = await crawledSite(t);
  const { summary } = await refreshed(site, dir, { budget: 12, weight: 'equal' });
  assert.equal(summary.ending, 'limit');
  assert.equal(summary.requests, 12);
  const first = new Set([...site.pages.keys()].filter((path) => site.asked(path).length > 0));
  site.forget();
  await refreshed(site, dir, { budget: 19, weight: 'equal' });
  const second = [...site.pages.keys()].filter((path) => site.asked(path).length > 0);
  assert.equal(second.filter((path) => first.has(path)).length, 0, 'none is looked at twice while others wait');
});

test('--only and a host budget choose', async (t) => {
  const { site, dir } = await crawledSite(t);
  const only = await refreshed(site, dir, { only: ['*/page/2*'] });
  assert.equal(only.summary.requests, 11);
  const few = await refreshed(site, dir, { hostBudget: 3 });
  assert.equal(few.summary.requests, 3);
});

test('what changed is described, and every version is kept', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/page/7', page('/page/7', '/').replace('at some length', 'in a few words'));
  await refreshed(site, dir);
  const [entry] = await changesIn(dir);
  const change = JSON.parse(entry!.change!);
  assert.deepEqual(change.kinds, ['text']);
  assert.equal(change.wordsAdded, 4);
  assert.equal(change.wordsRemoved, 3);
  assert.equal(change.band, 'medium');
});

test('a copy that was limited to a number of pages does not outgrow it', async (t) => {
  const { site, dir, paths } = await crawledSite(t, 'etag', { limit: 10 });
  for (const path of paths) site.set(path, page(`${path} is another`, '/'));
  const { summary } = await refreshed(site, dir);
  assert.deepEqual([summary.ending, summary.new, summary.changed], ['done', 0, 9]);
  assert.equal(site.requests, 10);
  const copies = Object.values(await fatesOf(dir, site.web.origin)).filter((fate) => fate.startsWith('fetched'));
  assert.equal(copies.length, 10);
});

test('a copy that has room below its limit takes new pages until it is full', async (t) => {
  const { site, dir } = await crawledSite(t, 'etag', { limit: PAGES + 2 });
  site.set('/page/1', page('/page/1', '/', '/new'));
  site.set('/new', page('new', '/newer'));
  site.set('/newer', page('newer', '/'));
  const { summary, said } = await refreshed(site, dir);
  assert.deepEqual([summary.ending, summary.new], ['done', 1]);
  assert.deepEqual(said.sort(), ['changed /page/1', 'new /new']);
});
