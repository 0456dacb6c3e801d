/**
 * Tests watchers that lie, break, or no longer exist: the ordinary schedule takes over in
 * the same round, and this is reported once.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listen } from '../../../src/core/events.ts';
import {
  MISBEHAVIOURS,
  type Misbehaviour,
  startWatchedSite,
  type WatchedSite,
} from '../../../testbed/web/watched-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { refreshHere, told } from '../refresh/refresh-here.ts';
import { assertSound, dataFolder, edit as editStore } from '../stored-crawl.ts';

const PAGES = 60;

interface Believed extends WatchedSite {
  readonly dir: string;
  readonly warnings: string[];
}

/** A site whose watcher was trusted until now. */
async function believed(t: TestContext): Promise<Believed> {
  const site = await startWatchedSite(t, { pages: PAGES });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.site.web.url('/')], { patience: '0s' });
  editStore(dir, 'UPDATE watchers SET quiet = 100');
  site.site.forget();
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  return { ...site, dir, warnings };
}

/** Edits the front page too, so that every page that is visited anyway has changed. */
function editAll({ site, edit }: Pick<WatchedSite, 'site' | 'edit'>, words: string): void {
  const front = site.pages.get('/')!;
  assert.ok('body' in front);
  edit('/', `${front.body}<p>The front page ${words}.</p>`);
  for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} ${words}.</p>`);
}

/** Faults that make the whole report unusable, so that all its pages are visited. */
const UNUSABLE: Readonly<Partial<Record<Misbehaviour, RegExp>>> = {
  vanished: /the site has no report/,
  'corrupt-json': /has an invalid line/,
  'other-version': /unknown format version/,
  'other-site': /is for another site/,
  huge: /is too large/,
  'endless-more': /does not end/,
  'endless-cursors': /does not end/,
  'cut-off': /is cut off/,
  'slow-drip': /is cut off/,
  'redirect-away': /redirects to another host/,
  'outside-urls': /names a URL outside its site/,
  'long-line': /has an invalid line/,
  'gzip-bomb': /is too large/,
  'wrong-count': /is cut off/,
  html: /is not a report/,
  'hangs-up': /does not answer/,
};

for (const [name, words] of Object.entries(UNUSABLE)) {
  test(`a report with the fault "${name}" is not used, and all changes are found`, async (t) => {
    const { dir, edit, site, watcher, warnings } = await believed(t);
    for (const path of ['/page/1', '/page/30']) edit(path, `<p>${path} with words that it did not have.</p>`);
    watcher.misbehaves = name as Misbehaviour;
    const summary = await refreshHere(dir, name === 'slow-drip' ? { timeout: '3s' } : {});
    await assertSound(dir);
    assert.deepEqual((await told(dir, site.web.origin)).sort(), ['changed /page/1', 'changed /page/30']);
    assert.equal(summary.requests, PAGES + 1);
    assert.equal(warnings.filter((line) => line.includes('watcher')).length, 1, warnings.join('\n'));
    assert.match(warnings.join(), words);
    assert.match(summary.watchers[0]!.fault!, words);
    // The watcher works again, and the pages visited meanwhile are not requested again.
    watcher.misbehaves = null;
    site.forget();
    edit('/page/2', '<p>Told again, by a watcher that works again.</p>');
    const second = await refreshHere(dir);
    assert.deepEqual([second.changed, second.watchers[0]!.stance], [1, 'leading']);
    assert.ok(second.requests <= 3, `${second.requests}`);
  });
}

test('a watcher that misses changes loses trust, all changes are found in the same round, and trust must be earned again', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  editStore(dir, 'UPDATE watchers SET quiet = 0');
  for (let i = 0; i < PAGES; i += 3) edit(`/page/${i}`, `<p>Page ${i} says something else.</p>`);
  watcher.misbehaves = 'silent';
  const first = await refreshHere(dir);
  assert.deepEqual([first.changed, first.watchers[0]!.stance], [PAGES / 3, 'doubted']);
  assert.ok(first.watchers[0]!.missed > 0);
  assert.equal(first.requests, PAGES + 1, 'no page is requested twice');
  watcher.misbehaves = null;
  edit('/page/1', '<p>One, and told of.</p>');
  const second = await refreshHere(dir);
  assert.deepEqual([second.changed, second.watchers[0]!.stance], [1, 'doubted']);
  assert.equal(second.requests, PAGES + 1);
  // As after some more rounds.
  editStore(dir, 'UPDATE watchers SET missed = 1, quiet = 40');
  await refreshHere(dir);
  site.forget();
  assert.equal((await refreshHere(dir)).watchers[0]!.stance, 'leading');
});

test('spot checks find out when a trusted watcher begins to miss changes', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  watcher.misbehaves = 'silent';
  editAll({ site, edit }, 'says something else');
  const summary = await refreshHere(dir);
  assert.deepEqual([summary.changed, summary.watchers[0]!.stance], [PAGES + 1, 'doubted']);
  assert.equal(new Set(await told(dir, site.web.origin)).size, PAGES + 1);
});

test('each spot check visits another page', async (t) => {
  const { dir, asked, site } = await believed(t);
  const seen = new Set<string>();
  for (let round = 0; round < 8 && seen.size <= 2; round++) {
    site.forget();
    await refreshHere(dir);
    for (const path of asked().filter((one) => !one.startsWith('/.well-known/'))) seen.add(path);
  }
  assert.ok(seen.size > 2, [...seen].join());
});

test('a narrow --only does not hide missed changes: spot checks visit wanted pages, and no others', async (t) => {
  const { dir, edit, asked, watcher } = await believed(t);
  watcher.misbehaves = 'silent';
  for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} says something else.</p>`);
  const summary = await refreshHere(dir, { only: ['*/page/7', '*/page/41'] });
  assert.deepEqual([summary.changed, summary.watchers[0]!.stance], [2, 'doubted']);
  assert.deepEqual(asked(), ['/page/41', '/page/7']);
});

test('a false alarm costs one visit and nothing more', async (t) => {
  const { dir, edit, watcher } = await believed(t);
  watcher.misbehaves = 'crying-wolf';
  edit('/page/59', '<p>The last page has changed indeed.</p>');
  const summary = await refreshHere(dir);
  assert.equal(summary.changed, 1);
  assert.ok(summary.requests <= PAGES + 1);
  assert.ok(summary.watchers[0]!.falseAlarms >= 48, `${summary.watchers[0]!.falseAlarms}`);
});

test('a false report that all pages are deleted loses no page: the sample still exists, so all pages are visited', async (t) => {
  const { dir, site, watcher } = await believed(t);
  watcher.misbehaves = 'deletes-everything';
  const summary = await refreshHere(dir);
  await assertSound(dir);
  assert.deepEqual([summary.gone, summary.unchanged, summary.watchers[0]!.stance], [0, PAGES + 1, 'doubted']);
  assert.deepEqual(await told(dir, site.web.origin), []);
});

test('a watcher that has not swept since the change keeps its trust, and the ordinary schedule applies to its host', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  watcher.misbehaves = 'silent';
  watcher.atMs = Date.now() - 60_000;
  editAll({ site, edit }, 'has just changed');
  const summary = await refreshHere(dir);
  const { missed, stance } = summary.watchers[0]!;
  assert.deepEqual([summary.changed, missed, stance], [PAGES + 1, 0, 'doubted']);
});

test('every kind of faulty report has a test', () => {
  const others: readonly Misbehaviour[] = ['silent', 'crying-wolf', 'deletes-everything'];
  assert.deepEqual([...Object.keys(UNUSABLE), ...others].sort(), [...MISBEHAVIOURS].sort());
});

test('a watcher whose false alarms fill every budget is still spot-checked', async (t) => {
  for (const limits of [{ budget: 12 }, { hostBudget: 12 }]) {
    const { dir, edit, watcher } = await believed(t);
    watcher.misbehaves = 'crying-wolf';
    for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} says something else.</p>`, false);
    let checked = 0;
    for (let round = 0; round < 2; round++) checked += (await refreshHere(dir, limits)).watchers[0]!.checked;
    assert.ok(checked >= 2, JSON.stringify([limits, checked]));
  }
});

test('pages are dropped only if the whole sample is gone; a page that does not answer proves nothing', async (t) => {
  const { dir, watcher, site } = await believed(t);
  for (let i = 0; i < 40; i++) watcher.tell('deleted', `/page/${i}`);
  for (let i = 0; i < 38; i++) site.web.on(`/page/${i}`, ({ response }) => void response.writeHead(500).end());
  for (const path of ['/page/38', '/page/39']) site.pages.delete(path);
  const summary = await refreshHere(dir);
  assert.deepEqual([summary.watchers[0]!.dropped, summary.gone], [0, 2]);
});

test('a watcher cannot predict which of the pages reported as deleted are visited', async (t) => {
  const { dir, watcher, site } = await believed(t);
  // The first nine pages are really deleted; the others still exist.
  for (let i = 0; i < PAGES; i++) watcher.tell('deleted', `/page/${i}`);
  for (let i = 0; i < 9; i++) site.pages.delete(`/page/${i}`);
  const summary = await refreshHere(dir);
  assert.deepEqual([summary.watchers[0]!.dropped, summary.gone], [0, 9]);
});

test('a watcher that died and left its report behind loses trust', async (t) => {
  const { site, edit, watcher } = await startWatchedSite(t, { pages: PAGES });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  editStore(dir, 'UPDATE watchers SET quiet = 100');
  watcher.atMs = Date.now() - 30 * 86_400_000;
  let verdict = 'believed';
  const rounds: string[] = [];
  for (let round = 0; round < 6 && verdict === 'believed'; round++) {
    for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} silently, ${round}.</p>`, false);
    const s = await refreshHere(dir);
    verdict = s.watchers[0]!.verdict;
    rounds.push(JSON.stringify([s.requests, s.left, s.setAside, s.troubles, s.watchers]));
  }
  assert.notEqual(verdict, 'believed', rounds.join('\n'));
});
