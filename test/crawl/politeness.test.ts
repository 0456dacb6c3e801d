/**
 * Tests politeness (C5, W13, W15, decision 8) at the receiving end: the requests that the
 * servers saw, also through kills and restarts.
 *
 * Only lower bounds on times are asserted, so a slow machine cannot make these tests fail.
 * Responses take a few milliseconds, because a gap is counted from the end of a response, and the
 * arrival of the request must be clearly before it.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { isPage } from '../../testbed/web/ledger.ts';
import { type Behaviour, type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawl, startCrawlProcess } from './crawl-process.ts';
import { dataFolder, fates, storedUrls } from './stored-crawl.ts';

const ANSWER_MS = 10;

function slowly(behaviour: Behaviour, ms = ANSWER_MS): Behaviour {
  return (visit) => void setTimeout(() => behaviour(visit), ms);
}

/** A page at `/` that links to all other pages, which all differ. */
async function startPages(t: TestContext, count: number, answerMs = ANSWER_MS, robots?: string): Promise<LocalWeb> {
  const web = await startWeb();
  t.after(() => web.close());
  const links = Array.from({ length: count }, (_, i) => `<a href="/p${i}">p</a>`).join('');
  web.on('/', slowly(reply(links), answerMs));
  web.on(
    '/p*',
    slowly((visit) => reply(`page ${visit.origin}${visit.path}`)(visit), answerMs),
  );
  if (robots !== undefined) web.on('/robots.txt', slowly(reply(robots, { 'content-type': 'text/plain' })));
  return web;
}

suite('politeness, measured at the server', { concurrency: 6 }, () => {
  test('C5 W13 --per-host holds while two units share the host', async (t) => {
    const web = await startPages(t, 150, 40);
    const dir = dataFolder(t);
    const { summary } = await crawl(dir, web.url('/'), '--per-host', '3', '--units', '2');
    assert.equal(summary?.pages, 151);
    assert.equal(web.ledger.maxParallel(web.host), 3);
    const units = new Set(readdirSync(join(dir, 'archive')).map((name) => /-(unit\d)-/.exec(name)?.[1]));
    assert.deepEqual([...units].sort(), ['unit0', 'unit1']);
  });

  test('C5 --per-host 1 allows one request at a time, whatever the concurrency', async (t) => {
    const web = await startPages(t, 40, 20);
    await crawl(dataFolder(t), web.url('/'), '--per-host', '1', '--units', '2', '--concurrency', '64');
    // The requests are robots.txt, the question for a watcher, the usual place of a sitemap, and the pages.
    assert.equal(web.ledger.of(web.host).length, 3 + 41);
    assert.equal(web.ledger.maxParallel(web.host), 1);
  });

  test('C5 a slow host does not delay the others', async (t) => {
    const slow = await startWeb({ address: '127.0.0.2' });
    t.after(() => slow.close());
    slow.on('/', reply(Array.from({ length: 300 }, (_, i) => `<a href="/p${i}">p</a>`).join('')));
    // Holds every page back until all pages of the other host have been requested.
    const quick = await startPages(t, 100);
    const held: (() => void)[] = [];
    slow.on('/p*', (visit) => void held.push(() => reply(`slow ${visit.path}`)(visit)));
    const running = startCrawlProcess(dataFolder(t), slow.url('/'), quick.url('/'), '--units', '2');
    await Promise.all(Array.from({ length: 100 }, (_, i) => quick.ledger.seen(`/p${i}`)));
    assert.ok(slow.ledger.maxParallel(slow.host) <= 10);
    const letGo = setInterval(() => {
      for (const answer of held.splice(0)) answer();
    }, 5);
    t.after(() => clearInterval(letGo));
    const { summary } = await running.ended;
    assert.equal(summary?.pages, 402);
  });

  test('--delay is the minimum time between two requests at the server, including robots.txt', async (t) => {
    const web = await startPages(t, 5);
    await crawl(dataFolder(t), web.url('/'), '--delay', '300ms', '--units', '2');
    assert.equal(web.ledger.of(web.host).length, 3 + 6);
    assert.ok(web.ledger.minGapMs(web.host) >= 300, `${web.ledger.minGapMs(web.host)} ms`);
  });

  test('Crawl-delay of robots.txt is obeyed if it is longer than --delay', async (t) => {
    const web = await startPages(t, 2, ANSWER_MS, 'User-agent: *\nCrawl-delay: 1\n');
    await crawl(dataFolder(t), web.url('/'), '--delay', '100ms');
    assert.equal(web.ledger.of(web.host).length, 3 + 3);
    assert.ok(web.ledger.minGapMs(web.host) >= 1_000, `${web.ledger.minGapMs(web.host)} ms`);
  });

  test('the delay holds across kill -9 and a restart', async (t) => {
    const web = await startPages(t, 2);
    const dir = dataFolder(t);
    await killTwice(web, dir, '--delay', '2s');
    assert.equal(web.ledger.count('/robots.txt'), 1, 'robots.txt was known and is still fresh');
    assert.ok(web.ledger.minGapMs(web.host) >= 2_000, `${web.ledger.minGapMs(web.host)} ms`);
  });

  test('the Crawl-delay of robots.txt holds across kill -9 and a restart', async (t) => {
    const web = await startPages(t, 2, ANSWER_MS, 'User-agent: *\nCrawl-delay: 2\n');
    const dir = dataFolder(t);
    await killTwice(web, dir);
    assert.ok(web.ledger.minGapMs(web.host) >= 2_000, `${web.ledger.minGapMs(web.host)} ms`);
  });

  test('the delay holds across Ctrl-C and a restart', async (t) => {
    const web = await startPages(t, 2);
    const dir = dataFolder(t);
    const words = [web.url('/'), '--delay', '2s'];
    const first = startCrawlProcess(dir, ...words);
    await web.ledger.seen('/');
    first.interrupt();
    assert.equal((await first.ended).exitCode, 11);
    const second = startCrawlProcess(dir, ...words);
    await Promise.race([web.ledger.seen('/p0'), web.ledger.seen('/p1')]);
    second.kill();
    await second.ended;
    assert.equal(web.ledger.count('/'), 1);
    assert.ok(web.ledger.minGapMs(web.host) >= 2_000, `${web.ledger.minGapMs(web.host)} ms`);
  });

  test('the delay holds across Ctrl-C and a restart, also while robots.txt is being read', async (t) => {
    const web = await startPages(t, 1);
    const answered = Promise.withResolvers<void>();
    web.on('/robots.txt', (visit) => void answered.promise.then(() => reply('User-agent: *')(visit)));
    const dir = dataFolder(t);
    const running = startCrawlProcess(dir, web.url('/'), '--delay', '4s', '--no-watchers');
    await web.ledger.seen('/robots.txt');
    running.interrupt();
    await running.said('Stopping');
    setTimeout(answered.resolve, 100);
    await running.ended;
    await crawl(dir, web.url('/'), '--delay', '4s', '--no-watchers');
    assert.equal(web.ledger.count('/robots.txt'), 1, 'what was under way is finished, and known');
    assert.ok(web.ledger.minGapMs(web.host) >= 4_000, `${web.ledger.minGapMs(web.host)} ms`);
  });

  test('429 with Retry-After: 4 pauses only its host, and for that long', async (t) => {
    const web = await startPages(t, 40);
    const other = await startPages(t, 400);
    let refusedAtMs = 0;
    web.on('/p7', async (visit) => {
      if (refusedAtMs > 0) return reply('page 7')(visit);
      await other.ledger.seen('/p5');
      refusedAtMs = performance.now();
      reply('slow down', { 'retry-after': '4' }, 429)(visit);
    });
    const words = ['--per-host', '1', '--patience', '10s'];
    const { summary } = await crawl(dataFolder(t), web.url('/'), other.url('/'), ...words);
    assert.equal(summary?.pages, 41 + 401);
    const during = (entries: readonly { atMs: number }[]): number =>
      entries.filter(({ atMs }) => atMs > refusedAtMs && atMs < refusedAtMs + 4_000).length;
    assert.equal(during(web.ledger.of(web.host)), 0);
    assert.ok(during(other.ledger.of(other.host)) > 10);
    assert.equal(web.ledger.count('/p7'), 2);
  });

  test('a 429 soon stops the other unit that shares the host', async (t) => {
    // The URLs that a unit already has last for seconds.
    const web = await startPages(t, 200, 100);
    let refusedAtMs = 0;
    web.on('/p7', (visit) => {
      if (refusedAtMs > 0) return reply('page 7')(visit);
      refusedAtMs = performance.now();
      reply('slow down', { 'retry-after': '5' }, 429)(visit);
    });
    const words = ['--per-host', '4', '--units', '2', '--patience', '10s'];
    const { summary } = await crawl(dataFolder(t), web.url('/'), ...words);
    assert.equal(summary?.pages, 201);
    // Requests that are under way continue, and the news must cross two threads.
    // Three seconds are far more than both need.
    const late = web.ledger.of(web.host).filter(({ atMs }) => atMs > refusedAtMs + 3_000 && atMs < refusedAtMs + 5_000);
    assert.deepEqual(
      late.map(({ path, atMs }) => [path, Math.round(atMs - refusedAtMs)]),
      [],
    );
  });

  test('a robots.txt that answers 503 closes only its own host', async (t) => {
    const closed = await startPages(t, 5);
    const open = await startPages(t, 5);
    closed.on('/robots.txt', reply('in trouble', {}, 503));
    const dir = dataFolder(t);
    const { summary } = await crawl(dir, closed.url('/'), open.url('/'), '--patience', '0s');
    assert.equal(summary?.pages, 6);
    assert.deepEqual(
      closed.ledger.of(closed.host).map(({ path }) => path),
      ['/robots.txt'],
    );
    assert.equal((await storedUrls(dir)).get(closed.url('/'))?.state, 'waiting');
    // A second run does not request pages either. Whether it requests robots.txt again depends on time.
    await crawl(dir, '--patience', '0s');
    assert.equal(closed.ledger.count('/'), 0);
  });

  test('robots.txt is requested first, and disallowed URLs are never requested', async (t) => {
    const rules = 'User-agent: *\nDisallow: /\n\nUser-agent: orbweaver\nDisallow: /p1\nAllow: /p10\n';
    const web = await startPages(t, 12, ANSWER_MS, rules);
    const dir = dataFolder(t);
    await crawl(dir, web.url('/'), '--units', '2');
    const asked = web.ledger.of(web.host).map(({ path }) => path);
    assert.equal(asked[0], '/robots.txt');
    const pages = asked.filter(isPage);
    assert.equal(pages[0], '/');
    assert.deepEqual(
      pages.slice(1).sort(),
      [0, 10, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `/p${n}`),
    );
    const stored = fates((await storedUrls(dir)).values());
    assert.equal(stored[web.url('/p1')], 'skipped/robots-disallowed');
    assert.equal(stored[web.url('/p11')], 'skipped/robots-disallowed');
  });

  test('W15 nofollow of a link, page or header is obeyed, unless --ignore-nofollow is set', async (t) => {
    const web = await startWeb();
    t.after(() => web.close());
    web.on('/', reply('<a rel="me nofollow" href="/a">a</a><a href="/meta">m</a><a href="/header">h</a>'));
    web.on('/meta', reply('<meta name="robots" content="noarchive, nofollow"><a href="/b">b</a>'));
    web.on('/header', reply('<a href="/c">c</a>', { 'x-robots-tag': 'nofollow' }));
    for (const path of ['/a', '/b', '/c']) web.on(path, reply(`page ${path}`));
    const dir = dataFolder(t);
    await crawl(dir, web.url('/'));
    const asked = (): string[] => [...new Set(web.ledger.of(web.host).map(({ path }) => path))].filter(isPage).sort();
    assert.deepEqual(asked(), ['/', '/header', '/meta']);
    await crawl(dataFolder(t), web.url('/'), '--ignore-nofollow');
    assert.deepEqual(asked(), ['/', '/a', '/b', '/c', '/header', '/meta']);
  });
});

/** Kills a crawl when its first page is requested, and then the same crawl once more. */
async function killTwice(web: LocalWeb, dir: string, ...flags: string[]): Promise<void> {
  for (const times of [1, 2]) {
    const crawling = startCrawlProcess(dir, web.url('/'), ...flags);
    await web.ledger.seen('/', times);
    crawling.kill();
    await crawling.ended;
  }
}
