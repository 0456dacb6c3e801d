/** W7: one crawler at a time, by the lease of the watcher. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listen } from '../../../src/core/events.ts';
import { resolveOptions } from '../../../src/core/options.ts';
import { startCrawl } from '../../../src/crawl/crawl.ts';
import { startWatchedSite, type WatchedSite } from '../../web/watched-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { startCrawlProcess } from '../crawl-process.ts';
import { refreshHere, startRefreshHere } from '../refresh-here.ts';
import { startRefreshProcess } from '../refresh-process.ts';
import { dataFolder, edit as editStore } from '../stored-crawl.ts';

const PAGES = 40;

async function believed(t: TestContext, address?: string): Promise<WatchedSite & { readonly dir: string }> {
  const site = await startWatchedSite(t, { pages: PAGES, ...(address === undefined ? {} : { address }) });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.site.web.url('/')], { patience: '0s' });
  editStore(dir, 'UPDATE watchers SET quiet = 100');
  site.site.forget();
  return { ...site, dir };
}

function takenBy(holder: string, forMs: number): { holder: string; untilMs: number; token: string } {
  return { holder, untilMs: Date.now() + forMs, token: 'theirs' };
}

test('W7 a site that another crawler has is left out of the round, and the summary says who has it', async (t) => {
  const { dir, edit, asked, watcher } = await believed(t);
  edit('/page/1', '<p>Changed, and not ours to see.</p>');
  watcher.held = takenBy('other-crawler', 600_000);
  const summary = await refreshHere(dir);
  assert.deepEqual([summary.requests, asked()], [0, []]);
  assert.equal(summary.left, PAGES + 1);
  const [host] = summary.watchers;
  assert.deepEqual([host!.stance, host!.heldBy], ['held', 'other-crawler']);
  assert.ok(Date.parse(host!.heldUntil!) > Date.now() + 50_000);
  // Nor is anybody asked before that time, whoever has it by then.
  watcher.held = null;
  watcher.queries.length = 0;
  const second = await refreshHere(dir);
  assert.deepEqual([second.requests, second.left, watcher.queries.length], [0, PAGES + 1, 0]);
  editStore(dir, 'UPDATE hosts SET blocked_until = 0');
  assert.equal((await refreshHere(dir)).changed, 1);
});

test('W7 within our patience it is asked again, and other hosts go on meanwhile', async (t) => {
  const one = await startWatchedSite(t, { pages: PAGES });
  const two = await startWatchedSite(t, { pages: PAGES, address: '127.0.0.2' });
  const dir = dataFolder(t);
  await crawlHere(dir, [one.site.web.url('/'), two.site.web.url('/')], { patience: '0s' });
  editStore(dir, 'UPDATE watchers SET quiet = 100');
  for (const { edit } of [one, two]) edit('/page/7', '<p>Changed on both sites.</p>');
  one.watcher.held = takenBy('other-crawler', 600_000);
  one.watcher.retryAfterSeconds = 1;
  two.site.web.on('/page/7', ({ response }) => {
    // The other site is done: the first may be free.
    one.watcher.held = null;
    response.end('<p>Changed on both sites, and looked at first.</p>');
  });
  const summary = await refreshHere(dir, { patience: '20s' });
  assert.deepEqual([summary.changed, summary.left], [2, 0]);
  assert.deepEqual(
    summary.watchers.map(({ stance }) => stance),
    ['leading', 'leading'],
  );
});

test('the lease is given back when the refresh is interrupted', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  for (let i = 0; i < PAGES; i++) edit(`/page/${i}`, `<p>Page ${i} is another.</p>`);
  const running = await startRefreshHere(dir);
  site.web.on('/page/3', ({ response }) => {
    assert.notEqual(watcher.held, null);
    running.stop();
    response.end('<p>The last one.</p>');
  });
  assert.equal((await running.summary).ending, 'interrupted');
  assert.equal(watcher.held, null);
});

test('a run that is killed in the middle of a led refresh keeps nobody out, and the next finds everything', async (t) => {
  const { dir, edit, remove, site, watcher } = await believed(t);
  for (let i = 0; i < 30; i++) edit(`/page/${i}`, `<p>Page ${i} is another by now.</p>`);
  edit('/new', '<p>A new one.</p>');
  remove('/page/35');
  let answered = 0;
  const killed = startRefreshProcess(dir, '--per-host', '1');
  for (let i = 0; i < 30; i++) {
    site.web.on(`/page/${i}`, ({ response }) => {
      response.end(`<p>Page ${i} is another by now.</p>`);
      if (++answered === 12) killed.child.kill('SIGKILL');
    });
  }
  assert.equal((await killed.ended).summary, null);
  assert.notEqual(watcher.held, null, 'nobody gave it back');
  const before = await storedChanges(dir);
  const second = await refreshHere(dir);
  assert.equal(second.watchers[0]!.stance, 'leading');
  const news = await storedChanges(dir);
  assert.ok(before.length < 32, `${before.length}`);
  assert.equal(news.filter((line) => line.startsWith('changed')).length, 30);
  assert.deepEqual(news.filter((line) => !line.startsWith('changed')).sort(), ['gone', 'new']);
  assert.equal(watcher.held, null);
});

async function storedChanges(dir: string): Promise<string[]> {
  const { changesIn } = await import('../refresh-here.ts');
  const changes = await changesIn(dir);
  return changes.map(({ kind, url }) => (kind === 'changed' ? `changed ${url}` : kind));
}

test('a token that the watcher does not know any more is forgotten, and the lease taken anew', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  edit('/page/1', '<p>One is another by now.</p>');
  const killed = startRefreshProcess(dir);
  site.web.on('/page/1', () => killed.child.kill('SIGKILL'));
  await killed.ended;
  assert.notEqual(watcher.held, null);
  // It was started anew, and another crawler has been there meanwhile.
  watcher.held = { ...takenBy('other-crawler', 600_000), untilMs: Date.now() + 600_000 };
  assert.equal((await refreshHere(dir)).watchers[0]!.heldBy, 'other-crawler');
  watcher.held = null;
  editStore(dir, 'UPDATE hosts SET blocked_until = 0');
  site.web.on('/page/1', ({ response }) => void response.end('<p>One is another by now.</p>'));
  const summary = await refreshHere(dir);
  assert.deepEqual([summary.changed, summary.watchers[0]!.stance], [1, 'leading']);
});

test('W7 a crawl takes the lease first, and one that another has is left alone', async (t) => {
  const { site, watcher } = await startWatchedSite(t, { pages: 5 });
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  watcher.held = takenBy('other-crawler', 600_000);
  const summary = await crawlHere(dataFolder(t), [site.web.url('/')], { patience: '0s' });
  assert.deepEqual([summary.pages, summary.waiting], [0, 1]);
  assert.match(warnings.join(), /other-crawler has http:.* until .*left out/);
  watcher.held = null;
  const done = await crawlHere(dataFolder(t), [site.web.url('/')], { patience: '0s' });
  assert.equal(done.pages, 6);
  assert.equal(watcher.held, null);
});

test('W7 where the access log gives the lease, a later report says whose it is; where nobody does, we go on', async (t) => {
  const { dir, edit, watcher } = await believed(t);
  watcher.leaseBy = 'log';
  edit('/page/1', '<p>One.</p>');
  let holder = '';
  watcher.onAsk = (query) => {
    const taker = query.get('take');
    // Read from the log a moment later.
    if (taker !== null) holder = taker;
    else if (holder !== '') watcher.held = { holder, untilMs: Date.now() + 60_000, token: '' };
  };
  const summary = await refreshHere(dir);
  assert.deepEqual([summary.changed, summary.watchers[0]!.stance], [1, 'leading']);
  watcher.held = takenBy('other-crawler', 600_000);
  assert.equal((await refreshHere(dir)).watchers[0]!.heldBy, 'other-crawler');
  watcher.held = null;
  watcher.leaseBy = 'none';
  editStore(dir, 'UPDATE hosts SET blocked_until = 0');
  assert.equal((await refreshHere(dir)).watchers[0]!.stance, 'leading');
});

test('a second Ctrl-C leaves at once while a watcher is asked that does not answer', async (t) => {
  const { site } = await startWatchedSite(t, { pages: 5, place: '/elsewhere' });
  const asked = Promise.withResolvers<void>();
  site.web.on('/.well-known/orbweaver-report', () => asked.resolve());
  const crawl = startCrawlProcess(dataFolder(t), site.web.url('/'));
  await asked.promise;
  const startMs = performance.now();
  crawl.interrupt();
  await crawl.said('Stopping');
  crawl.interrupt();
  assert.equal((await crawl.ended).exitCode, 11);
  assert.ok(performance.now() - startMs < 20_000);
});

test('a lease without end, by the log or by an answer, keeps us away for a day at most', async (t) => {
  for (const by of ['log', 'server'] as const) {
    const { dir, edit, watcher } = await believed(t);
    watcher.leaseBy = by;
    watcher.held = { ...takenBy('other-crawler', 0), untilMs: Date.parse('2999-01-01') };
    watcher.retryAfterSeconds = 30_000_000_000;
    edit('/page/1', '<p>One.</p>');
    const [host] = (await refreshHere(dir)).watchers;
    assert.equal(host!.stance, 'held');
    assert.ok(Date.parse(host!.heldUntil!) < Date.now() + 90_000_000, host!.heldUntil!);
    watcher.held = null;
    editStore(dir, 'UPDATE hosts SET blocked_until = blocked_until - 90000000');
    assert.equal((await refreshHere(dir)).changed, 1);
  }
});

test('a watcher that asks us to come back at once is not asked without a pause', async (t) => {
  const { dir, watcher } = await believed(t);
  watcher.held = takenBy('other-crawler', 600_000);
  watcher.retryAfterSeconds = 0;
  watcher.queries.length = 0;
  await refreshHere(dir, { patience: '3s' });
  const inRefresh = watcher.queries.length;
  assert.ok(inRefresh > 1 && inRefresh <= 5, `${inRefresh}`);
});

test('a site with a long Crawl-delay is waited for, and its lease given back', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  site.set('/robots.txt', 'User-agent: *\nCrawl-delay: 6', 'text/plain');
  editStore(dir, 'UPDATE hosts SET robots_at = 0');
  edit('/page/1', '<p>One is another by now.</p>');
  const summary = await refreshHere(dir, { patience: '30s' });
  assert.deepEqual([summary.changed, summary.watchers[0]!.stance], [1, 'leading']);
  assert.equal(watcher.held, null);
});

test('a report that was moved on its own host gets its lease back, too', async (t) => {
  const { dir, edit, site, watcher } = await believed(t);
  edit('/page/1', '<p>One is another by now.</p>');
  site.web.on('/changes', watcher.answer);
  site.web.on('/.well-known/orbweaver-report', ({ path, response }) => {
    response.writeHead(301, { location: `/changes${path.slice(path.indexOf('?'))}` }).end();
  });
  assert.equal((await refreshHere(dir)).changed, 1);
  assert.equal(watcher.held, null);
});

test('with --watch the first Ctrl-C does not wait for a report, and gives the lease back', async (t) => {
  const { dir, edit, watcher } = await believed(t);
  watcher.partSize = 5;
  const stopped = Promise.withResolvers<number>();
  let rounds = 0;
  watcher.onAsk = (query) => {
    if (query.get('release') !== null) {
      watcher.misbehaves = null;
      if (++rounds === 1) for (let i = 0; i < 10; i++) edit(`/page/${i}`, `<p>Page ${i} is another.</p>`);
    } else if (rounds === 1 && query.get('take') === null) {
      // The second part never ends.
      watcher.misbehaves = 'slow-drip';
      running.stop();
      stopped.resolve(performance.now());
    }
  };
  const running = await startRefreshHere(dir, { watch: true, every: '100ms', perHost: 1 });
  const stoppedMs = await stopped.promise;
  assert.equal((await running.summary).ending, 'interrupted');
  assert.ok(performance.now() - stoppedMs < 20_000, `${performance.now() - stoppedMs}`);
  assert.deepEqual([watcher.held, rounds], [null, 2]);
});

test('a run that is interrupted while a report is read does not keep itself out', async (t) => {
  const { site, watcher } = await startWatchedSite(t, { pages: PAGES });
  const dir = dataFolder(t);
  watcher.partSize = 10;
  const options = resolveOptions([{ from: 'test', given: { patience: '0s' } }]);
  const running = startCrawl({ dir, seeds: [site.web.url('/')], options });
  watcher.onAsk = (query) => {
    if (query.get('since') !== null) running.stop();
  };
  assert.equal((await running.summary).ending, 'interrupted');
  assert.equal(watcher.held, null, 'it was given back');
  watcher.onAsk = () => {};
  assert.equal((await crawlHere(dir, [], { patience: '0s' })).pages, PAGES + 1);
  assert.equal(watcher.held, null);
});
