/** W7: tests that the lease of the watcher allows one crawler at a time. */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { listen } from '../../../src/core/events.ts';
import { startCrawl } from '../../../src/crawl/crawl.ts';
import { startWatchedSite, type WatchedSite } from '../../../testbed/web/watched-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { startCrawlProcess } from '../crawl-process.ts';
import { refreshHere, startRefreshHere } from '../refresh/refresh-here.ts';
import { startRefreshProcess } from '../refresh/refresh-process.ts';
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

async function storedChanges(dir: string): Promise<string[]> {
  const { changesIn } = await import('../refresh/refresh-here.ts');
  const changes = await changesIn(dir);
  return changes.map(({ kind, url }) => (kind === 'changed' ? `changed ${url}` : kind));
}

// Mostly these tests wait, so they run side by side. The longest one is the first.
suite('waiting for a lease or a delay', { concurrency: 2 }, () => {
  test('the refresh waits for a site with a long Crawl-delay, and releases its lease', async (t) => {
    const { dir, edit, site, watcher } = await believed(t);
    site.set('/robots.txt', 'User-agent: *\nCrawl-delay: 6', 'text/plain');
    editStore(dir, 'UPDATE hosts SET robots_at = 0');
    edit('/page/1', '<p>One is another by now.</p>');
    const summary = await refreshHere(dir, { patience: '30s' });
    assert.deepEqual([summary.changed, summary.watchers[0]!.stance], [1, 'leading']);
    assert.equal(watcher.held, null);
  });

  test('a lease without end, from the log or a response, delays a refresh no longer than the wait', async (t) => {
    for (const by of ['log', 'server'] as const) {
      const { dir, edit, watcher } = await believed(t);
      watcher.leaseBy = by;
      watcher.held = { ...takenBy('evil', 0), untilMs: Date.parse('2999-01-01') };
      watcher.retryAfterSeconds = 30_000_000_000;
      edit('/page/1', '<p>One.</p>');
      const summary = await refreshHere(dir, { leaseWait: '1s' });
      assert.deepEqual([summary.changed, summary.left, summary.watchers[0]!.lease], [1, 0, 'refused']);
    }
  });

  test('a report refused with a Retry-After of one year does not close the site: its pages are visited', async (t) => {
    for (const status of [429, 503]) {
      const { dir, edit, site } = await believed(t);
      edit('/page/1', '<p>One.</p>');
      site.web.on('/.well-known/orbweaver-report', ({ response }) => {
        response.writeHead(status, { 'retry-after': '31536000' }).end();
      });
      const summary = await refreshHere(dir);
      assert.deepEqual([summary.changed, summary.left, summary.watchers[0]!.stance], [1, 0, 'failed'], `${status}`);
    }
  });

  test('a watcher with a Retry-After of zero is not asked again without a pause', async (t) => {
    const { dir, watcher } = await believed(t);
    watcher.held = takenBy('other-crawler', 600_000);
    watcher.retryAfterSeconds = 0;
    watcher.queries.length = 0;
    await refreshHere(dir, { leaseWait: '3s' });
    const inRefresh = watcher.queries.length;
    assert.ok(inRefresh > 1 && inRefresh <= 6, `${inRefresh}`);
  });

  test('W7 if a watcher gives no report without the lease, the ordinary schedule applies and no page is lost', async (t) => {
    const { dir, edit, site, asked } = await believed(t);
    edit('/page/1', '<p>Changed, and to be seen.</p>');
    site.web.on('/.well-known/orbweaver-report', ({ response }) => {
      const lease = { by: 'server', held: true, holder: 'evil', until: '2999-01-01T00:00:00Z' };
      response.writeHead(409, { 'retry-after': '31536000' }).end(JSON.stringify({ lease }));
    });
    const summary = await refreshHere(dir, { leaseWait: '1s' });
    assert.deepEqual([summary.changed, summary.left, asked().length], [1, 0, PAGES + 1]);
    const [host] = summary.watchers;
    assert.deepEqual([host!.stance, host!.lease, host!.heldBy], ['failed', 'refused', 'evil']);
    assert.match(host!.fault!, /only with the lease/);
  });

  test('W7 with --watch the wait for a lease is at most --every', async (t) => {
    const { dir, edit, site, watcher } = await believed(t);
    edit('/page/1', '<p>Changed, and to be seen.</p>');
    watcher.held = takenBy('evil', 600_000);
    const beganMs = performance.now();
    const running = await startRefreshHere(dir, { watch: true, every: '1s', leaseWait: '600s' });
    site.web.on('/page/1', ({ response }) => {
      response.end('<p>Changed, and to be seen.</p>');
      running.stop();
    });
    const summary = await running.summary;
    assert.equal(summary.changed, 1);
    assert.ok(performance.now() - beganMs < 60_000);
    assert.equal(summary.watchers[0]!.lease, 'refused');
  });

  test('W7 during the wait the watcher is asked again, and other hosts are visited meanwhile', async (t) => {
    const one = await startWatchedSite(t, { pages: PAGES });
    const two = await startWatchedSite(t, { pages: PAGES, address: '127.0.0.2' });
    const dir = dataFolder(t);
    await crawlHere(dir, [one.site.web.url('/'), two.site.web.url('/')], { patience: '0s' });
    editStore(dir, 'UPDATE watchers SET quiet = 100');
    for (const { edit } of [one, two]) edit('/page/7', '<p>Changed on both sites.</p>');
    one.watcher.held = takenBy('other-crawler', 600_000);
    one.watcher.retryAfterSeconds = 1;
    two.site.web.on('/page/7', ({ response }) => {
      // The other site is done, so the first may become free.
      one.watcher.held = null;
      response.end('<p>Changed on both sites, and looked at first.</p>');
    });
    const summary = await refreshHere(dir, { leaseWait: '20s' });
    assert.deepEqual([summary.changed, summary.left], [2, 0]);
    assert.deepEqual(
      summary.watchers.map(({ stance }) => stance),
      ['leading', 'leading'],
    );
  });

  test('an interrupted refresh releases the lease', async (t) => {
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

  test('a refresh that is killed midway blocks nobody, and the next refresh finds all changes', async (t) => {
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
    assert.notEqual(watcher.held, null, 'nobody released the lease');
    const before = await storedChanges(dir);
    const second = await refreshHere(dir);
    assert.equal(second.watchers[0]!.stance, 'leading');
    const news = await storedChanges(dir);
    assert.ok(before.length < 32, `${before.length}`);
    assert.equal(news.filter((line) => line.startsWith('changed')).length, 30);
    assert.deepEqual(news.filter((line) => !line.startsWith('changed')).sort(), ['gone', 'new']);
    assert.equal(watcher.held, null);
  });

  test('a token that the watcher no longer knows is deleted, and the lease is taken again', async (t) => {
    const { dir, edit, site, watcher } = await believed(t);
    edit('/page/1', '<p>One is another by now.</p>');
    const killed = startRefreshProcess(dir);
    site.web.on('/page/1', () => killed.child.kill('SIGKILL'));
    await killed.ended;
    assert.notEqual(watcher.held, null);
    site.web.on('/page/1', ({ response }) => void response.end('<p>One is another by now.</p>'));
    // The watcher was restarted, and another crawler took the lease meanwhile.
    watcher.held = takenBy('other-crawler', 600_000);
    const [refused] = (await refreshHere(dir, { leaseWait: '0s' })).watchers;
    assert.deepEqual([refused!.lease, refused!.heldBy], ['refused', 'other-crawler']);
    watcher.held = null;
    edit('/page/2', '<p>Two is another by now.</p>');
    const summary = await refreshHere(dir);
    assert.deepEqual([summary.changed, summary.watchers[0]!.lease], [1, 'given']);
  });

  test('W7 with leases through the access log, a later report names the holder; without leases the refresh continues', async (t) => {
    const { dir, edit, watcher } = await believed(t);
    watcher.leaseBy = 'log';
    edit('/page/1', '<p>One.</p>');
    let holder = '';
    watcher.onAsk = (query) => {
      const taker = query.get('take');
      // The watcher reads the lease from the log a moment later.
      if (taker !== null) holder = taker;
      else if (holder !== '') watcher.held = { holder, untilMs: Date.now() + 60_000, token: '' };
    };
    const summary = await refreshHere(dir);
    assert.deepEqual([summary.changed, summary.watchers[0]!.stance], [1, 'leading']);
    watcher.held = takenBy('other-crawler', 600_000);
    edit('/page/2', '<p>Two.</p>');
    const [refused, ...others] = (await refreshHere(dir, { leaseWait: '1s' })).watchers;
    assert.deepEqual(
      [refused!.stance, refused!.lease, refused!.heldBy, others],
      ['leading', 'refused', 'other-crawler', []],
    );
    watcher.held = null;
    watcher.leaseBy = 'none';
    const [none] = (await refreshHere(dir)).watchers;
    assert.deepEqual([none!.stance, none!.lease], ['leading', 'none']);
  });

  test('a second Ctrl-C ends the run at once while a watcher does not answer', async (t) => {
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

  test('the lease is also released if the report has moved on its own host', async (t) => {
    const { dir, edit, site, watcher } = await believed(t);
    edit('/page/1', '<p>One is another by now.</p>');
    site.web.on('/changes', watcher.answer);
    site.web.on('/.well-known/orbweaver-report', ({ path, response }) => {
      response.writeHead(301, { location: `/changes${path.slice(path.indexOf('?'))}` }).end();
    });
    assert.equal((await refreshHere(dir)).changed, 1);
    assert.equal(watcher.held, null);
  });

  test('with --watch the first Ctrl-C does not wait for a report, and releases the lease', async (t) => {
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

  test('a run that was interrupted while a report was read does not block itself the next time', async (t) => {
    const { site, watcher } = await startWatchedSite(t, { pages: PAGES });
    const dir = dataFolder(t);
    watcher.partSize = 10;
    const sources = [{ from: 'test', given: { patience: '0s' } }];
    const running = startCrawl({ dir, seeds: [site.web.url('/')], sources });
    watcher.onAsk = (query) => {
      if (query.get('since') !== null) running.stop();
    };
    assert.equal((await running.summary).ending, 'interrupted');
    assert.equal(watcher.held, null, 'the lease was released');
    watcher.onAsk = () => {};
    assert.equal((await crawlHere(dir, [], { patience: '0s' })).pages, PAGES + 1);
    assert.equal(watcher.held, null);
  });
});

// These tests collect all warnings of the process, so they run alone.
test('W7 a refresh waits a limited time for a lease that another crawler holds, and then continues with a warning', async (t) => {
  const { dir, edit, watcher } = await believed(t);
  edit('/page/1', '<p>Changed, and to be seen.</p>');
  watcher.held = takenBy('evil', 600_000);
  watcher.queries.length = 0;
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  const summary = await refreshHere(dir, { leaseWait: '2s' });
  assert.match(warnings.shift()!, /rules of this crawl have changed: --lease-wait 2s \(was 30s\)$/);
  assert.deepEqual([summary.changed, summary.left, summary.ending], [1, 0, 'done']);
  const [host] = summary.watchers;
  assert.deepEqual([host!.stance, host!.lease, host!.heldBy, host!.waitedSeconds], ['leading', 'refused', 'evil', 2]);
  assert.ok(Date.parse(host!.heldUntil!) > Date.now() + 50_000);
  assert.match(warnings[0]!, /another crawler, evil, holds the lease of http:.*; waiting at most 2 s/);
  assert.match(warnings[1]!, /evil, holds the lease of http:.*; continuing without the lease/);
  const takes = watcher.queries.filter((query) => query.has('take')).length;
  assert.ok(takes >= 2 && takes <= 5, `${takes}`);
  assert.equal(watcher.held?.holder, 'evil', 'the report was read without the lease');
  // A second run does not wait again: one attacker costs one wait per hour.
  edit('/page/2', '<p>Changed, and to be seen at once.</p>');
  const second = await refreshHere(dir, { leaseWait: '600s' });
  assert.deepEqual([second.changed, second.left, second.watchers[0]!.waitedSeconds], [1, 0, 0]);
  // After the lease was given, a refresh waits for the next one again.
  watcher.held = null;
  assert.equal((await refreshHere(dir)).watchers[0]!.lease, 'given');
  watcher.held = takenBy('evil', 600_000);
  assert.equal((await refreshHere(dir, { leaseWait: '2s' })).watchers[0]!.waitedSeconds, 2);
});

test('W7 a crawl first takes the lease; it waits a limited time if another crawler holds it, and then begins without it', async (t) => {
  const { site, watcher } = await startWatchedSite(t, { pages: 5 });
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  watcher.held = takenBy('evil', 600_000);
  const summary = await crawlHere(dataFolder(t), [site.web.url('/')], { patience: '0s', leaseWait: '2s' });
  assert.deepEqual([summary.pages, summary.waiting], [6, 0]);
  const [host] = summary.withoutLease!;
  assert.deepEqual([host!.host, host!.heldBy, host!.waitedSeconds], [site.web.origin, 'evil', 2]);
  assert.match(warnings.join(), /evil, holds the lease of http:.*continuing without the lease/);
  watcher.held = null;
  const done = await crawlHere(dataFolder(t), [site.web.url('/')], { patience: '0s' });
  assert.deepEqual([done.pages, done.withoutLease], [6, undefined]);
  assert.equal(watcher.held, null);
});
