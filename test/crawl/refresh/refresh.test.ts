/**
 * Tests the update of a copy: which pages are requested, what is found, what is
 * kept. On a real web that changes meanwhile.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readDifference } from '../../../src/change/stored-difference.ts';
import { readHistory } from '../../../src/copy/read-history.ts';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { type LivingSite, startLivingSite, type Validators } from '../../../testbed/web/living-site.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { assertSound, dataFolder, edit, storedUrls } from '../stored-crawl.ts';
import { changesIn, refreshHere, told } from './refresh-here.ts';

const PAGES = 30;

const page = (title: string, ...links: readonly string[]): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>
  <p>This is what ${title} has to say, and it says it at some length so that there is something to compare.</p>
  ${links.map((href) => `<a href="${href}">to ${href}</a>`).join('\n')}</body></html>`;

/** A site with one front page and thirty other pages, crawled completely. */
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
  test(`with ${validators}, all changes are found and no others are reported`, async (t) => {
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

test('a new page and the pages that it links to are fetched and reported', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/new', page('new', '/newer'));
  site.set('/newer', page('newer', '/'));
  site.set('/page/1', page('/page/1', '/', '/new'));
  const { summary, said } = await refreshed(site, dir);
  assert.deepEqual(said.sort(), ['changed /page/1', 'new /new', 'new /newer']);
  assert.equal(summary.new, 2);
  assert.equal(summary.changed, 1);
});

test('a page is gone after two 404s or one 410, and its return is reported', async (t) => {
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

test('pages of a failing server are kept and visited again later', async (t) => {
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

test('a page that became a redirect has moved, and an unchanged redirect is not reported', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.pages.set('/page/4', { status: 301, to: '/elsewhere' });
  site.set('/elsewhere', page('elsewhere', '/'));
  const { said } = await refreshed(site, dir);
  assert.deepEqual(said.sort(), ['moved /page/4', 'new /elsewhere']);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/4'], 'redirect');
  const again = await refreshed(site, dir);
  assert.equal(again.said.length, 2);
});

test('a page without links to it is an orphan, and stays in the copy', async (t) => {
  const { site, dir, paths } = await crawledSite(t);
  site.set('/', page('front', ...paths.slice(1)));
  const { said } = await refreshed(site, dir);
  assert.deepEqual(said.sort(), ['changed /', 'orphaned /page/0']);
  const record = (await storedUrls(dir)).get(site.web.url('/page/0'))!;
  assert.equal(record.state, 'fetched');
  assert.notEqual(record.orphanedAtMs, null);
});

test('a page that robots.txt forbids now leaves the copy', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/robots.txt', 'User-agent: *\nDisallow: /page/4', 'text/plain');
  // As if a day had passed.
  edit(dir, 'UPDATE hosts SET robots_at = 0');
  const { summary, said } = await refreshed(site, dir);
  assert.equal(summary.refused, 1);
  assert.deepEqual(said, ['gone /page/4']);
  assert.deepEqual(site.asked('/page/4'), []);
  assert.equal((await fatesOf(dir, site.web.origin))['/page/4'], 'skipped/robots-disallowed');
});

test('a budget is kept, and the next refresh visits the other pages', async (t) => {
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

test('--only and a budget per host select pages', async (t) => {
  const { site, dir } = await crawledSite(t);
  const only = await refreshed(site, dir, { only: ['*/page/2*'] });
  assert.equal(only.summary.requests, 11);
  const few = await refreshed(site, dir, { hostBudget: 3 });
  assert.equal(few.summary.requests, 3);
});

test('changes are decided at the visit and described later, and every version is kept', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/page/7', page('/page/7', '/').replace('at some length', 'in a few words'));
  await refreshed(site, dir, { learnNoise: false });
  const [decided] = await changesIn(dir);
  assert.deepEqual([decided!.level, decided!.change], ['content', null]);
  assert.match(decided!.edit!, /^[0-9a-f]{16}$/);
  const store = readSqliteStore(dir);
  const { looks } = await readHistory(store, dir, decided!.url, 1).finally(() => store.close());
  assert.equal((await runCli('follow', '--dir', dir)).exitCode, 0);
  const [entry] = await changesIn(dir);
  const change = JSON.parse(entry!.change!);
  const { difference } = looks[0]!.noted!;
  assert.deepEqual(difference, { ...readDifference(entry!.change!)!, noise: [] }, 'a reader describes it before');
  assert.deepEqual(change.kinds, ['text']);
  assert.equal(change.wordsAdded, 4);
  assert.equal(change.wordsRemoved, 3);
  assert.equal(change.band, 'medium');
});

test('wrong validators are detected page by page, and not used any more', async (t) => {
  const { site, dir } = await crawledSite(t, 'none');
  const liar = '/page/9';
  let body = page('/page/9 tells the truth at first', '/');
  let asked: (string | undefined)[] = [];
  site.web.on(liar, ({ request, response }) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === '"always"') response.writeHead(304, { etag: '"always"' }).end();
    else response.writeHead(200, { 'content-type': 'text/html', etag: '"always"' }).end(body);
  });
  await refreshed(site, dir);
  body = page('/page/9 has something else to say', '/');
  // One visit in 256 ignores the validators. Its time depends on the page and on the time of the last visit, which is
  // at least a minute ago. In all other tests here it is seconds ago, so that validators are always sent.
  const { id } = (await storedUrls(dir)).get(site.web.url(liar))!;
  const seconds = Math.floor(Date.now() / 1_000) - 1_000;
  edit(dir, 'UPDATE visits SET checked_at = ? WHERE url_id = ?', (seconds - ((id + seconds) % 256)) * 1_000, id);
  const { said } = await refreshed(site, dir, { only: ['*/page/9'] });
  assert.ok(said.includes('changed /page/9'), 'the look that is due is made without validators');
  asked = [];
  body = page('/page/9 goes on talking', '/');
  assert.equal((await refreshed(site, dir, { only: ['*/page/9'] })).summary.changed, 1);
  assert.deepEqual(asked, [undefined]);
});

test('a clock that was a year ahead or behind loses nothing, and the next visit corrects the times', async (t) => {
  const { site, dir } = await crawledSite(t);
  const yearMs = 365 * 86_400_000;
  for (const offMs of [yearMs, -yearMs]) {
    edit(dir, 'UPDATE visits SET checked_at = checked_at + ?', offMs);
    site.set('/page/7', page(`/page/7 while the clock was off by ${offMs}`, '/'));
    const { summary, said } = await refreshed(site, dir);
    assert.equal(summary.changed, 1);
    assert.equal(summary.unchanged, PAGES);
    assert.equal(said.at(-1), 'changed /page/7');
    const now = Date.now();
    for (const { checkedAtMs, state } of (await storedUrls(dir)).values()) {
      if (state === 'skipped') continue;
      assert.ok(Math.abs(checkedAtMs! - now) < 60_000, 'the time of the last look is right again');
    }
  }
  const { summary } = await refreshed(site, dir, { budget: 10 });
  assert.equal(summary.requests, 10);
});

test('a refresh does not grow a copy beyond its page limit', async (t) => {
  const { site, dir, paths } = await crawledSite(t, 'etag', { limit: 10 });
  for (const path of paths) site.set(path, page(`${path} is another`, '/'));
  const { summary } = await refreshed(site, dir);
  assert.deepEqual([summary.ending, summary.new, summary.changed], ['done', 0, 9]);
  assert.equal(site.requests, 10);
  const copies = Object.values(await fatesOf(dir, site.web.origin)).filter((fate) => fate.startsWith('fetched'));
  assert.equal(copies.length, 10);
});

test('a copy below its page limit takes new pages until the limit is reached', async (t) => {
  const { site, dir } = await crawledSite(t, 'etag', { limit: PAGES + 2 });
  site.set('/page/1', page('/page/1', '/', '/new'));
  site.set('/new', page('new', '/newer'));
  site.set('/newer', page('newer', '/'));
  const { summary, said } = await refreshed(site, dir);
  assert.deepEqual([summary.ending, summary.new], ['done', 1]);
  assert.deepEqual(said.sort(), ['changed /page/1', 'new /new']);
});

test('pages that were never fetched come after the plan: the budget is for known pages first', async (t) => {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: 100 }, (_, i) => `/page/${i}`);
  site.set('/', page('front', ...paths));
  for (const path of paths) site.set(path, page(path, '/'));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', limit: 20 });
  edit(dir, "UPDATE notes SET value = replace(value, '\"limit\":20', '\"limit\":0') WHERE name = 'rules'");
  site.forget();
  const { summary } = await refreshed(site, dir, { budget: 30 });
  assert.deepEqual([summary.unchanged, summary.new, summary.requests], [20, 10, 30]);
  const only = await refreshed(site, dir, { only: ['*/page/1'] });
  assert.deepEqual(
    [only.summary.requests, only.summary.new],
    [1, 0],
    'where only some pages are wanted, nothing else is fetched',
  );
});

test('a page that is new in this round is not visited again in it', async (t) => {
  const { site, dir } = await crawledSite(t);
  const added = Array.from({ length: 40 }, (_, i) => `/new/${i}`);
  for (const path of added) site.set(path, page(path, '/'));
  site.set('/', page('front', ...added));
  site.forget();
  await refreshed(site, dir);
  for (const path of added) assert.deepEqual(site.asked(path), [200], path);
});

test('a copy at its limit takes one new page for each page that is gone', async (t) => {
  const { site, dir } = await crawledSite(t, 'etag', { limit: 10 });
  site.pages.set('/page/0', { status: 410 });
  const { summary } = await refreshed(site, dir);
  assert.deepEqual([summary.gone, summary.new], [1, 1]);
  const copies = Object.values(await fatesOf(dir, site.web.origin)).filter((fate) => fate.startsWith('fetched'));
  assert.equal(copies.length, 10);
});

test('W19 a policy that leaves pages out does so even without a budget', async (t) => {
  const { site, dir } = await crawledSite(t);
  const top = await refreshed(site, dir, { policy: 'top-levels', topLevels: 1 });
  assert.equal(top.summary.requests, 1);
  const watcher = await refreshed(site, dir, { policy: 'watcher' });
  assert.equal(watcher.summary.requests, 0);
  const nutch = await refreshed(site, dir, { policy: 'nutch' });
  assert.equal(nutch.summary.requests, 0, 'its first interval has not passed');
});

test('the summary counts pages that were not reached, and pages that wait after a failure', async (t) => {
  const { site, dir } = await crawledSite(t);
  const few = await refreshed(site, dir, { budget: 7 });
  assert.equal(few.summary.left, PAGES + 1 - 7);
  for (const path of site.pages.keys()) site.pages.set(path, { status: 500 });
  const down = await refreshed(site, dir);
  assert.equal(down.summary.failed, PAGES + 1);
  assert.deepEqual(down.summary.troubles, { 'server-error': PAGES + 1 });
  const again = await refreshed(site, dir);
  assert.deepEqual([again.summary.requests, again.summary.setAside], [0, PAGES + 1]);
});

test('a change of a plain text is described by its words, and an unchanged returned page has none', async (t) => {
  const site = await startLivingSite(t);
  site.set('/', page('front', '/notes.txt', '/visit'));
  site.set('/notes.txt', 'The museum opens at nine and closes at five.', 'text/plain');
  site.set('/visit', page('visit', '/'));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  const was = site.pages.get('/visit')!;
  site.set('/notes.txt', 'The museum opens at ten and closes at five.', 'text/plain');
  site.pages.set('/visit', { status: 410 });
  await refreshed(site, dir);
  site.pages.set('/visit', was);
  await refreshed(site, dir, { maxInterval: '0s' });
  const entries = await changesIn(dir);
  const notes = JSON.parse(entries.find(({ url }) => url.endsWith('/notes.txt'))!.change!);
  assert.deepEqual([notes.kinds, notes.wordsAdded, notes.wordsRemoved], [['text'], 1, 1]);
  const back = entries.find(({ kind }) => kind === 'returned')!;
  assert.equal(back.change, null);
});
