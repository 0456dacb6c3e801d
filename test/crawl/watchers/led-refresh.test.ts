/** W14: tests that the report of a site's watcher drives the refresh. Requests are counted at the server. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startWatchedSite, type WatchedOptions, type WatchedSite } from '../../../testbed/web/watched-site.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { refreshHere, told } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder, edit as editStore } from '../stored-crawl.ts';

const PAGES = 300;

interface Watched extends WatchedSite {
  readonly dir: string;
  /** The changes recorded since the last call. */
  news(): Promise<string[]>;
}

async function watched(t: TestContext, options: Partial<WatchedOptions> = {}, isProven = true): Promise<Watched> {
  const site = await startWatchedSite(t, { pages: PAGES, ...options });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.site.web.url('/')], { patience: '0s' });
  if (isProven) editStore(dir, 'UPDATE watchers SET quiet = 100');
  site.site.forget();
  let seen = 0;
  return {
    ...site,
    dir,
    async news() {
      const all = await told(dir, site.site.web.origin);
      const some = all.slice(seen);
      seen = all.length;
      return some.sort();
    },
  };
}

async function recordIn(dir: string) {
  const store = readSqliteStore(dir);
  try {
    return (await store.watchers())[0]!;
  } finally {
    await store.close();
  }
}

test('W14 the report alone drives the refresh: only changed pages and a few spot checks are requested', async (t) => {
  const { dir, edit, remove, asked, news, watcher } = await watched(t);
  const changed = Array.from({ length: 30 }, (_, i) => `/page/${i * 10}`);
  for (const path of changed) edit(path, `<p>${path} is another page altogether now.</p>`);
  edit('/new', '<p>A new page that nothing links to.</p>');
  remove('/page/5');
  const summary = await refreshHere(dir);
  await assertSound(dir);
  assert.deepEqual(await news(), [...changed.map((path) => `changed ${path}`), 'gone /page/5', 'new /new'].sort());
  const audit = Math.ceil((PAGES + 1) / 64);
  assert.equal(asked().length, 32 + audit, `${asked()}`);
  assert.equal(summary.requests, 32 + audit);
  assert.equal(summary.left, 0);
  const [host] = summary.watchers;
  assert.deepEqual(
    [host!.stance, host!.told, host!.checked, host!.missed, host!.falseAlarms],
    ['leading', 32, audit, 0, 0],
  );
  assert.equal(watcher.held, null, 'the lease was released');
});

test('a refresh without changes requests only the report and the spot checks', async (t) => {
  const { dir, asked, watcher } = await watched(t);
  watcher.queries.length = 0;
  let threads = 0;
  const count = (): void => void threads++;
  process.on('worker', count);
  t.after(() => process.off('worker', count));
  const { watchers } = await refreshHere(dir, { units: 1, search: false });
  assert.equal(threads, 1, 'the unit that visits the pages also reads the report and releases the lease');
  assert.equal(asked().length, Math.ceil((PAGES + 1) / 64));
  assert.equal(watchers[0]!.questions, 2, 'which `requests` does not count');
  assert.deepEqual(
    watcher.queries.map((query) => [...query.keys()].join()),
    ['since,take,for', 'release'],
  );
});

test('the first round visits a sample of unreported pages before it trusts that the rest are unchanged', async (t) => {
  const { dir, edit, asked, news } = await watched(t, {}, false);
  edit('/page/7', '<p>Another seventh page, with other words.</p>');
  const summary = await refreshHere(dir);
  assert.deepEqual(await news(), ['changed /page/7']);
  assert.equal(asked().length, 1 + 32);
  assert.equal(summary.watchers[0]!.stance, 'leading');
  const { quiet, confirmed, missed } = await recordIn(dir);
  assert.deepEqual([quiet, confirmed, missed], [32, 1, 0]);
});

test('a page costs no request if the copy already has its hash', async (t) => {
  const { dir, edit, asked, site, watcher } = await watched(t);
  const page = site.pages.get('/page/3') as { body: string };
  edit('/page/3', '<p>For a moment it was this.</p>');
  edit('/page/3', page.body);
  watcher.tell('updated', '/page/4');
  await refreshHere(dir);
  assert.ok(asked().length <= Math.ceil((PAGES + 1) / 64), `${asked()}`);
});

test('after a watcher lost its memory, only pages that differ from the listing or are not in it are requested', async (t) => {
  const { dir, edit, remove, asked, news, watcher } = await watched(t);
  watcher.partSize = 70;
  edit('/page/9', '<p>Ninth, and another one.</p>');
  edit('/more', '<p>More.</p>');
  remove('/page/10');
  watcher.forget();
  await refreshHere(dir);
  assert.deepEqual(await news(), ['changed /page/9', 'new /more']);
  assert.equal(asked().length, 3 + Math.ceil((PAGES + 1) / 64));
  assert.ok(asked().includes('/page/10'));
  // The page was missing for the first time: it follows the ordinary schedule and is gone at the next visit.
  await refreshHere(dir);
  assert.deepEqual(await news(), ['gone /page/10']);
});

test('pages that the watcher does not cover stay on the ordinary schedule', async (t) => {
  const isCovered = (path: string) => !path.startsWith('/page/2');
  const { dir, edit, asked, news } = await watched(t, { isCovered });
  edit('/page/2', '<p>The second page, which a program makes.</p>', false);
  edit('/page/250', '<p>And the two hundred and fiftieth.</p>', false);
  edit('/page/33', '<p>And one that is covered.</p>');
  await refreshHere(dir);
  assert.deepEqual(await news(), ['changed /page/2', 'changed /page/250', 'changed /page/33']);
  const uncovered = 1 + 10 + 100;
  assert.ok(asked().length <= uncovered + 1 + 5, `${asked().length}`);
});

test('new pages are judged like links, by scope, traps and robots.txt', async (t) => {
  const { dir, edit, site, news } = await watched(t);
  site.set('/robots.txt', 'User-agent: *\nDisallow: /private', 'text/plain');
  editStore(dir, 'UPDATE hosts SET robots_at = 0');
  edit('/private/x', '<p>Not for us.</p>');
  const trap = Array.from({ length: 25 }, (_, i) => `/d${i}`).join('');
  edit(trap, '<p>A trap.</p>');
  edit('/fine', '<p>Fine.</p>');
  await refreshHere(dir);
  assert.deepEqual(await news(), ['new /fine']);
  const fates = await fatesOf(dir, site.web.origin);
  assert.equal(fates['/private/x'], 'skipped/robots-disallowed');
  assert.equal(fates[trap], 'skipped/trap-directory-depth');
  assert.equal(site.asked('/private/x').length, 0);
});

test('pages that a trusted watcher reports as deleted are dropped without a request, except for a sample', async (t) => {
  const { dir, remove, asked, news, site } = await watched(t);
  for (let i = 0; i < 50; i++) remove(`/page/${i}`);
  const summary = await refreshHere(dir);
  await assertSound(dir);
  assert.equal((await news()).filter((line) => line.startsWith('gone ')).length, 50);
  assert.equal(asked().length, 8 + Math.ceil((PAGES + 1) / 64));
  assert.deepEqual([summary.gone, summary.watchers[0]!.dropped], [50, 42]);
  const reasons = Object.values(await fatesOf(dir, site.web.origin)).filter((fate) => fate.startsWith('gone/'));
  assert.equal(reasons.filter((fate) => fate === 'gone/gone-by-watcher').length, 42);
});

test('--budget, --only and --host-budget postpone the rest, and nothing is lost', async (t) => {
  for (const limits of [{ budget: 7 }, { hostBudget: 7 }, { only: ['*/page/1*'] }]) {
    const { dir, edit, news } = await watched(t);
    const changed = Array.from({ length: 20 }, (_, i) => `/page/${i}`);
    for (const path of changed) edit(path, `<p>${path} has other words than it had.</p>`);
    await refreshHere(dir, limits);
    const first = await news();
    assert.ok(first.length > 0 && first.length < 20, JSON.stringify([limits, first.length]));
    await refreshHere(dir);
    assert.deepEqual([...first, ...(await news())].sort(), changed.map((path) => `changed ${path}`).sort());
  }
});

test('--no-watchers neither requests nor uses reports', async (t) => {
  const { dir, asked, watcher } = await watched(t);
  watcher.queries.length = 0;
  await refreshHere(dir, { watchers: false });
  assert.deepEqual([watcher.queries.length, asked().length], [0, PAGES + 1]);
});

test('a plain file is read from the last position; if it begins later, there is a gap and all pages are visited', async (t) => {
  const { dir, edit, asked, news, watcher, site } = await watched(t);
  edit('/page/1', '<p>Before the file begins.</p>');
  edit('/page/2', '<p>Two, and after.</p>');
  watcher.plainFileSince = 0;
  await refreshHere(dir);
  assert.deepEqual(await news(), ['changed /page/1', 'changed /page/2']);
  site.forget();
  edit('/page/3', '<p>Three, told by the file.</p>');
  await refreshHere(dir);
  assert.deepEqual(await news(), ['changed /page/3']);
  assert.ok(asked().length < 20, 'entries up to our cursor are left out');
  edit('/page/4', '<p>Four, which the file has lost.</p>');
  edit('/page/5', '<p>Five, in the file.</p>');
  watcher.plainFileSince = watcher.seq - 1;
  await refreshHere(dir);
  assert.deepEqual(await news(), ['changed /page/4', 'changed /page/5']);
});

test('a page that changes during the refresh does not count as a missed change', async (t) => {
  const { dir, edit, watcher, site } = await watched(t, {}, false);
  let isDone = false;
  watcher.onAsk = (query) => {
    // All pages change between the report and the visits. The next report lists them.
    if (isDone || query.get('since') === null || query.get('take') === null) return;
    isDone = true;
    setImmediate(() => {
      for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} in the middle of it all.</p>`);
    });
  };
  const summary = await refreshHere(dir);
  assert.equal(summary.changed, PAGES);
  const { missed } = await recordIn(dir);
  assert.equal(missed, 0);
  assert.ok(site.requests < 2 * PAGES);
});

test('an unreported missing page is not yet a missed change, but the ordinary schedule applies in that round', async (t) => {
  const { dir, site, asked, news } = await watched(t, { pages: 20 });
  for (const path of [...site.pages.keys()]) site.pages.set(path, { status: 404 });
  const first = await refreshHere(dir);
  assert.deepEqual([asked().length, first.failed, first.watchers[0]!.stance], [21, 21, 'doubted']);
  assert.equal(first.watchers[0]!.missed, 0);
  await refreshHere(dir);
  assert.equal((await news()).filter((line) => line.startsWith('gone ')).length, 21);
});

test('a page that is deleted during the refresh does not count as a missed change', async (t) => {
  const { dir, remove, watcher, news } = await watched(t, { pages: 20 });
  let isDone = false;
  watcher.onAsk = (query) => {
    if (isDone || query.get('take') === null) return;
    isDone = true;
    setImmediate(() => {
      for (let i = 0; i < 20; i++) remove(`/page/${i}`);
      remove('/');
    });
  };
  const summary = await refreshHere(dir);
  assert.equal(summary.watchers[0]!.stance, 'leading');
  await refreshHere(dir);
  assert.equal((await news()).filter((line) => line.startsWith('gone ')).length, 21);
});
