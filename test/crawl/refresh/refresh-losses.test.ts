/**
 * Tests visits that find no page: which pages are kept and tried again, which are
 * gone, and which come back. On a real web.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { assertSound, dataFolder, storedUrls } from '../stored-crawl.ts';
import { refreshHere, told } from './refresh-here.ts';

const PAGES = 8;
const DAY_MS = 86_400_000;

const page = (title: string, ...links: readonly string[]): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><p>This is what ${title} says, at some length.</p>
  ${links.map((href) => `<a href="${href}">to ${href}</a>`).join('\n')}`;

async function crawledSite(t: TestContext, more: readonly string[] = []) {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page/${i}`);
  site.set('/', page('front', ...paths, ...more));
  for (const path of paths) site.set(path, page(path, '/'));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  site.forget();
  return {
    site,
    dir,
    look: async (given: GivenOptions = {}) => {
      site.forget();
      const summary = await refreshHere(dir, given);
      await assertSound(dir);
      return { ...summary, said: await told(dir, site.web.origin) };
    },
    fate: async (path: string) => (await fatesOf(dir, site.web.origin))[path],
    record: async (path: string) => (await storedUrls(dir)).get(site.web.url(path))!,
    visit: async (path: string) => {
      const { id } = (await storedUrls(dir)).get(site.web.url(path))!;
      const store = readSqliteStore(dir);
      const [visit] = await store.visits(id - 1, 1);
      await store.close();
      assert.equal(visit?.id, id);
      return visit;
    },
    robots: (text: string) => {
      site.set('/robots.txt', text, 'text/plain');
      // As if a day had passed.
      edit(dir, 'UPDATE hosts SET robots_at = 0');
    },
  };
}

/** Changes the database directly: makes time pass, and does other things that a test cannot wait for. */
function edit(dir: string, sql: string, ...values: (number | string)[]): void {
  const db = new DatabaseSync(join(dir, 'crawl.db'));
  db.prepare(sql).run(...values);
  db.close();
}

function rowsOf(dir: string, sql: string): number {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  const { n } = db.prepare(sql).get() as { n: number };
  db.close();
  return n;
}

for (const status of [302, 303, 307]) {
  test(`${status} counts as a move only at two visits in a row`, async (t) => {
    const { site, look, fate, record } = await crawledSite(t);
    const was = site.pages.get('/page/2')!;
    site.set('/maintenance', page('maintenance'));
    site.pages.set('/page/1', { status, to: '/maintenance' });
    site.pages.set('/page/2', { status, to: '/maintenance' });
    const first = await look();
    assert.deepEqual([first.said, first.failed, first.moved], [[], 2, 0]);
    assert.deepEqual([await fate('/page/1'), (await record('/page/1')).trouble], ['fetched', 'temporary-redirect']);
    site.pages.set('/page/2', was);
    const second = await look();
    assert.deepEqual(second.said.sort(), ['moved /page/1', 'new /maintenance']);
    assert.deepEqual([await fate('/page/1'), await fate('/page/2')], ['redirect', 'fetched']);
    assert.equal((await record('/page/2')).trouble, null);
  });
}

for (const status of [301, 308]) {
  test(`${status} counts as a move at once`, async (t) => {
    const { site, look } = await crawledSite(t);
    site.pages.set('/page/1', { status, to: '/page/2' });
    assert.deepEqual((await look()).said, ['moved /page/1']);
  });
}

test('a redirect to the page itself, or without a target, loses no page', async (t) => {
  const { site, look, fate, record } = await crawledSite(t);
  site.pages.set('/page/1', { status: 301, to: '/page/1' });
  site.pages.set('/page/2', { status: 302, to: 'mailto:someone@example.org' });
  const { said, failed, moved, requests } = await look();
  assert.deepEqual([said, failed, moved, requests], [[], 2, 0, PAGES + 1]);
  assert.deepEqual([await fate('/page/1'), await fate('/page/2')], ['fetched', 'fetched']);
  assert.equal((await record('/page/1')).trouble, 'redirect-loop');
  assert.equal((await record('/page/2')).trouble, 'bad-redirect');
});

test('if a page and a redirect to it swap places, no page is lost and no move is counted too early', async (t) => {
  const { site, dir, look, fate } = await crawledSite(t, ['/page/9']);
  site.pages.set('/page/9', { status: 301, to: '/page/1' });
  edit(dir, "UPDATE visits SET checked_at = 0 WHERE url_id = (SELECT id FROM urls WHERE url LIKE '%/page/9')");
  await look({ maxInterval: '0s' });
  site.pages.set('/page/9', site.pages.get('/page/1')!);
  site.pages.set('/page/1', { status: 301, to: '/page/9' });
  const first = await look({ only: '*/page/1' });
  assert.deepEqual([first.moved, first.failed, await fate('/page/1')], [0, 1, 'fetched']);
  await look();
  await look();
  assert.deepEqual([await fate('/page/1'), await fate('/page/9')], ['redirect', 'fetched']);
});

test('an unchanged redirect is not archived again', async (t) => {
  const { site, dir, look } = await crawledSite(t);
  site.pages.set('/page/1', { status: 301, to: '/page/2' });
  await look();
  const captures = rowsOf(dir, 'SELECT count(*) AS n FROM captures');
  const bytes = rowsOf(dir, 'SELECT sum(bytes) AS n FROM archive_files');
  const again = await look();
  assert.deepEqual([again.unchanged, site.asked('/page/1')], [PAGES + 1, [301]]);
  assert.equal(rowsOf(dir, 'SELECT count(*) AS n FROM captures'), captures);
  assert.equal(rowsOf(dir, 'SELECT sum(bytes) AS n FROM archive_files'), bytes);
});

test('a page that robots.txt forbids leaves the copy, is not requested, and returns when it is allowed', async (t) => {
  const { site, look, fate, robots } = await crawledSite(t);
  robots('User-agent: *\nDisallow: /page/');
  const closed = await look();
  assert.deepEqual([closed.refused, closed.requests, site.asked('/page/3')], [PAGES, 1, []]);
  assert.equal(await fate('/page/3'), 'skipped/robots-disallowed');
  const again = await look({ maxInterval: '0s' });
  assert.deepEqual([again.refused, again.requests, again.unchanged, again.said.length], [0, 1, PAGES + 1, PAGES]);
  robots('');
  assert.equal((await look()).requests, 1, 'only after the longest interval');
  site.pages.delete('/page/4');
  const open = await look({ maxInterval: '0s' });
  assert.deepEqual(
    open.said.slice(PAGES).sort(),
    [0, 1, 2, 3, 5, 6, 7].map((i) => `returned /page/${i}`),
  );
  assert.deepEqual([await fate('/page/3'), await fate('/page/4')], ['fetched', 'gone/not-found']);
});

test('a copy keeps its pages when connecting to their host is no longer allowed', async (t) => {
  const { site, dir, look, fate, record, robots } = await crawledSite(t);
  edit(dir, `UPDATE notes SET value = '["http://93.184.216.34/"]' WHERE name = 'seeds'`);
  robots('');
  const { said, failed, refused, requests } = await look();
  assert.deepEqual([said, failed, refused, requests, site.requests], [[], PAGES + 1, 0, 0, 0]);
  assert.deepEqual([await fate('/page/3'), (await record('/page/3')).trouble], ['fetched', 'private-address']);
});

test('a missing page is not visited again before --min-interval, and with --watch not within a minute', async (t) => {
  const { site, dir, look, visit } = await crawledSite(t);
  site.pages.set('/page/1', { status: 404 });
  site.pages.set('/page/2', { status: 302, to: '/page/3' });
  site.pages.set('/page/4', { status: 404 });
  const beganMs = Date.now();
  await look({ only: '*/page/1' });
  assert.equal((await visit('/page/1')).notBeforeMs, 0, 'who asks again is answered');
  await look({ only: '*/page/2', watch: true, due: '0', time: '5s' });
  const watchedMs = (await visit('/page/2')).notBeforeMs - beganMs;
  assert.ok(watchedMs >= 60_000 && watchedMs < 120_000, `${watchedMs} ms`);
  edit(dir, 'UPDATE visits SET checked_at = ?', beganMs - 2 * DAY_MS);
  await look({ only: '*/page/4', minInterval: '6h' });
  const waitMs = (await visit('/page/4')).notBeforeMs - beganMs;
  assert.ok(waitMs >= DAY_MS / 4 && waitMs < DAY_MS / 3, `${waitMs} ms`);
  await look({ only: '*/page/4', minInterval: '6h' });
  assert.deepEqual(site.asked('/page/4'), []);
});

test('a URL that never had a page and does not answer is retried after the longest interval', async (t) => {
  const { site, dir, visit } = await crawledSite(t, ['/broken']);
  site.pages.set('/broken', { status: 500 });
  edit(dir, 'UPDATE visits SET checked_at = ? WHERE kind = 2', Date.now() - 40 * DAY_MS);
  const beganMs = Date.now();
  await refreshHere(dir);
  assert.deepEqual(site.asked('/broken'), [500]);
  const { notBeforeMs } = await visit('/broken');
  assert.ok(notBeforeMs >= beganMs + 30 * DAY_MS, new Date(notBeforeMs).toISOString());
});

test('a first 404 counts as missing, and a page that was missing or gone counts as returned', async (t) => {
  const { site, look } = await crawledSite(t);
  const counts = async () => {
    const { missing, failed, gone, returned, changed, unchanged } = await look();
    return { missing, failed, gone, returned, changed, unchanged };
  };
  const [one, two] = [site.pages.get('/page/1')!, site.pages.get('/page/2')!];
  site.pages.set('/page/1', { status: 404 });
  site.pages.set('/page/2', { status: 404 });
  site.pages.set('/page/3', { status: 302, to: '/page/4' });
  const none = { missing: 0, failed: 0, gone: 0, returned: 0, changed: 0 };
  assert.deepEqual(
    await counts(),
    { ...none, missing: 2, failed: 3, unchanged: PAGES - 2 },
    'a redirect is not missing',
  );
  site.pages.set('/page/1', one);
  site.pages.set('/page/3', { status: 200, body: page('other', '/') });
  assert.deepEqual(await counts(), { ...none, gone: 1, returned: 1, changed: 1, unchanged: PAGES - 1 });
  site.pages.set('/page/2', two);
  const { returned, gone, said } = await look({ maxInterval: '0s' });
  assert.deepEqual([returned, gone, said.at(-1)], [1, 0, 'returned /page/2']);
});
