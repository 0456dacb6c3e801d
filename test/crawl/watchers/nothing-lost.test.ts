/**
 * W14: tests that every page that a report listed, or may have missed, is visited
 * sooner or later, whatever happens in between.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { startCrawl } from '../../../src/crawl/crawl.ts';
import { startWatchedSite, type WatchedOptions, type WatchedSite } from '../../../testbed/web/watched-site.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere, told } from '../refresh/refresh-here.ts';
import { dataFolder, edit as editStore, storedUrls } from '../stored-crawl.ts';

const PAGES = 100;

interface Believed extends WatchedSite {
  readonly dir: string;
  /** All recorded changes of pages. */
  news(): Promise<string[]>;
}

async function believed(t: TestContext, options: Partial<WatchedOptions> = {}): Promise<Believed> {
  const site = await startWatchedSite(t, { pages: PAGES, ...options });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.site.web.url('/')], { patience: '0s' });
  editStore(dir, 'UPDATE watchers SET quiet = 100');
  site.site.forget();
  return { ...site, dir, news: () => told(dir, site.site.web.origin) };
}

function bodyOf({ site }: Pick<WatchedSite, 'site'>, path: string): string {
  return (site.pages.get(path) as { body: string }).body;
}

/** Ids of the URLs that are visited even if the watcher reports no change. */
function marksIn(dir: string): ReadonlySet<number> {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  try {
    return new Set(
      db
        .prepare('SELECT url_id AS id FROM watch_marks')
        .all()
        .map(({ id }) => Number(id)),
    );
  } finally {
    db.close();
  }
}

test('a deleted page that is reported again is back in the same round, with old or new content', async (t) => {
  const watched = await believed(t);
  const { dir, edit, remove, site } = watched;
  const third = bodyOf(watched, '/page/3');
  for (const path of ['/page/3', '/page/4']) remove(path);
  await refreshHere(dir);
  edit('/page/3', third);
  edit('/page/4', '<p>Back again, with other words.</p>');
  await refreshHere(dir);
  const fates = await fatesOf(dir, site.web.origin);
  assert.deepEqual([fates['/page/3'], fates['/page/4']], ['fetched', 'fetched']);
});

test('a page that was linked before it existed is fetched when it is reported', async (t) => {
  const site = await startWatchedSite(t, { pages: 30 });
  site.site.set('/', `${bodyOf(site, '/')}<a href="/soon">soon</a>`);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.site.web.url('/')], { patience: '0s' });
  site.edit('/soon', '<p>There at last.</p>');
  await refreshHere(dir);
  assert.equal((await fatesOf(dir, site.site.web.origin))['/soon'], 'fetched');
});

test('reported pages that a budget postponed come first the next time, however many changes are reported since', async (t) => {
  const { dir, edit, news } = await believed(t);
  for (let i = 0; i < 16; i++) edit(`/page/${i}`, `<p>Page ${i} is another.</p>`);
  await refreshHere(dir, { budget: 12 });
  for (let i = 50; i < 80; i++) edit(`/page/${i}`, `<p>Page ${i}, and later.</p>`);
  await refreshHere(dir, { budget: 12 });
  const numbers = (await news()).map((line) => Number(line.split('/').at(-1)));
  assert.equal(numbers.filter((number) => number < 16).length, 16, `${numbers}`);
});

test('--only changes no other page, even if a trusted watcher reports it as deleted', async (t) => {
  const { dir, remove, news } = await believed(t);
  for (let i = 0; i < 40; i++) remove(`/page/${i}`);
  await refreshHere(dir, { only: ['*/page/1*'] });
  assert.deepEqual(
    (await news()).filter((line) => !line.includes('/page/1')),
    [],
  );
  await refreshHere(dir);
  assert.equal((await news()).length, 40);
});

test('changes in the gap of a plain file are found, even if a budget postpones the visits', async (t) => {
  const { dir, edit, watcher, news, asked, site } = await believed(t);
  for (const number of [3, 97]) edit(`/page/${number}`, `<p>Page ${number}, which the file has lost.</p>`);
  edit('/page/50', '<p>In the file.</p>');
  watcher.plainFileSince = watcher.seq - 1;
  await refreshHere(dir, { budget: 1 });
  await refreshHere(dir);
  assert.deepEqual((await news()).sort(), ['changed /page/3', 'changed /page/50', 'changed /page/97']);
  site.forget();
  await refreshHere(dir);
  assert.ok(asked().length <= 2, 'then the file is trusted again');
});

test('if one page changed without a report, the others are visited, even if a budget postpones the visits', async (t) => {
  const watched = await believed(t);
  const { dir, edit, news } = watched;
  const before = Array.from({ length: PAGES }, (_, i) => bodyOf(watched, `/page/${i}`));
  for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} in silence.</p>`, false);
  await refreshHere(dir, { budget: 4 });
  // All pages but two are restored, and spot checks of two pages hardly find these two.
  for (const [i, body] of before.entries()) if (i !== 3 && i !== 97) edit(`/page/${i}`, body, false);
  editStore(dir, 'UPDATE watchers SET missed = 0, quiet = 100');
  await refreshHere(dir);
  const changed = new Set(await news());
  assert.ok(changed.has('changed /page/3') && changed.has('changed /page/97'), [...changed].join());
});

test('a page that robots.txt forbids for a while comes back to the copy without a report', async (t) => {
  const { dir, site, edit } = await believed(t);
  const rules = (text: string): void => {
    site.set('/robots.txt', text, 'text/plain');
    editStore(dir, 'UPDATE hosts SET robots_at = 0');
  };
  edit('/page/1', '<p>One, which is forbidden for now.</p>');
  rules('User-agent: *\nDisallow: /page/1$');
  await refreshHere(dir);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/1'], 'skipped/robots-disallowed');
  rules('User-agent: *\nDisallow:');
  editStore(dir, 'UPDATE visits SET checked_at = checked_at - 31 * 86400000, not_before = 0');
  await refreshHere(dir);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/1'], 'fetched');
});

test('listed pages that an interrupted crawl did not fetch are fetched by a refresh, and then covered by the watcher', async (t) => {
  const { site } = await startWatchedSite(t, { pages: 30, isCovered: (path) => path !== '/page/29' });
  const dir = dataFolder(t);
  const sources = [{ from: 'test', given: { patience: '0s', perHost: 1 } }];
  const running = startCrawl({ dir, seeds: [site.web.url('/')], sources });
  const body = bodyOf({ site }, '/page/3');
  site.web.on('/page/3', ({ response }) => {
    running.stop();
    response.end(body);
  });
  const { ending, waiting } = await running.summary;
  assert.ok(ending === 'interrupted' && waiting > 5, `${ending} ${waiting}`);
  assert.equal((await refreshHere(dir)).watchers[0]!.fault, null);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/28'], 'fetched');
  const marked = [...(await storedUrls(dir)).values()].filter(({ id }) => marksIn(dir).has(id));
  assert.deepEqual(
    marked.map(({ url }) => url.replace(site.web.origin, '')),
    ['/page/29'],
  );
});

test('--time counts from the start, also while reports are read', async (t) => {
  const { dir, edit, watcher, news } = await believed(t);
  edit('/page/1', '<p>One.</p>');
  watcher.onAsk = () => {
    const untilMs = Date.now() + 1_500;
    while (Date.now() < untilMs);
  };
  const summary = await refreshHere(dir, { time: '1s' });
  assert.deepEqual([summary.ending, summary.requests], ['limit', 0]);
  watcher.onAsk = () => {};
  await refreshHere(dir);
  assert.deepEqual(await news(), ['changed /page/1']);
});
