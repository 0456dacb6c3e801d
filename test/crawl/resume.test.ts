/**
 * Tests that running the same command again continues the crawl (E8, C2): after a limit, after the end, after one and
 * two Ctrl-C, with a larger depth, and without naming the seeds again.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listen } from '../../src/core/events.ts';
import { isPage, REPORT_PATH } from '../../testbed/web/ledger.ts';
import { type Behaviour, type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { archivedUrls } from './archived-urls.ts';
import { addHere, crawlHere, fatesOf } from './crawl-here.ts';
import { crawl, startCrawlProcess } from './crawl-process.ts';
import { assertSound, dataFolder, storedUrls } from './stored-crawl.ts';

const PAGES = 120;
const EXIT_INTERRUPTED = 11;

async function startSite(t: TestContext): Promise<LocalWeb> {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', site({ pages: PAGES }).serve);
  return web;
}

function pagesAsked(web: LocalWeb): number {
  return web.ledger.entries.filter(({ path }) => isPage(path)).length;
}

async function pagesStored(dir: string): Promise<number> {
  return [...(await storedUrls(dir)).values()].filter(({ state }) => state === 'fetched').length;
}

test('--limit stops exactly at the limit, and a larger limit continues', async (t) => {
  const web = await startSite(t);
  const dir = dataFolder(t);
  for (const limit of [30, 55]) {
    const { summary, exitCode } = await crawl(dir, web.url('/'), '--limit', String(limit), '--units', '2');
    assert.equal(exitCode, 0);
    assert.equal(summary?.ending, 'limit');
    assert.equal(summary?.pages, limit);
    assert.equal(pagesAsked(web), limit);
  }
  const { summary } = await crawl(dir, web.url('/'), '--limit', '0');
  assert.equal(summary?.ending, 'done');
  assert.equal(summary?.pages, PAGES);
  assert.equal(pagesAsked(web), PAGES);
});

test('a finished crawl that is run again sends no requests', async (t) => {
  const web = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  const asked = web.ledger.entries.length;
  const again = await crawlHere(dir, [web.url('/')]);
  assert.equal(again.ending, 'done');
  assert.equal(again.fetched, 0);
  assert.equal(again.pages, PAGES);
  assert.equal(web.ledger.entries.length, asked);
});

test('a data folder continues with its own seeds; other seeds are refused, added beside a known one, or added', async (t) => {
  const web = await startSite(t);
  const other = await startWeb({ address: '127.0.0.2' });
  t.after(() => other.close());
  for (const path of ['/', '/second', '/third']) other.on(path, reply(`another site, page ${path}`));
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { limit: 10 });
  const goneOn = await crawlHere(dir, [], { limit: 0 });
  assert.equal(goneOn.pages, PAGES);
  await assert.rejects(crawlHere(dir, [other.url('/'), other.url('/second')]), {
    code: 'ERR_OTHER_SEEDS',
    message: `there is already a crawl of ${web.url('/')} in ${dir}, and the given URLs are not among its seeds; name another --dir for another crawl, or give --add to add the URLs to this crawl`,
  });
  assert.equal(other.accepted, 0);
  assert.equal((await crawlHere(dir, [web.url('/'), other.url('/')])).pages, PAGES + 1);
  assert.equal((await addHere(dir, [other.url('/third')])).pages, PAGES + 2);
  assert.deepEqual(warnings, [
    'the rules of this crawl have changed: --limit 0 (was 10)',
    `added to the seeds of this crawl: ${other.url('/')}`,
    `added to the seeds of this crawl: ${other.url('/third')}`,
  ]);
});

/** Holds requests without a response until the test calls `letGo`. */
function holding(behaviour: Behaviour): { readonly behaviour: Behaviour; readonly held: number; letGo(): void } {
  let waiting: (() => void)[] = [];
  let open = false;
  return {
    behaviour: (visit) => {
      if (open || visit.path === '/') behaviour(visit);
      else waiting.push(() => behaviour(visit));
    },
    get held() {
      return waiting.length;
    },
    letGo() {
      open = true;
      for (const answer of waiting) answer();
      waiting = [];
    },
  };
}

/** A crawl with `parallel` pages under way and no response to any of them. */
async function startHeld(t: TestContext, parallel: number) {
  const web = await startWeb();
  t.after(() => web.close());
  const gate = holding(site({ pages: PAGES }).serve);
  const enough = Promise.withResolvers<void>();
  web.on('/robots.txt', reply('', {}, 404));
  web.on(REPORT_PATH, reply('', {}, 404));
  web.on('/sitemap.xml', reply('', {}, 404));
  web.on('/*', (visit) => {
    gate.behaviour(visit);
    if (gate.held >= parallel) enough.resolve();
  });
  const dir = dataFolder(t);
  const running = startCrawlProcess(dir, web.url('/'), '--per-host', String(parallel));
  await enough.promise;
  return { web, gate, dir, running };
}

test('C2 Ctrl-C finishes and saves the work in progress, and ends with exit code 11', async (t) => {
  const { web, gate, dir, running } = await startHeld(t, 5);
  running.interrupt();
  await running.said('Stopping');
  gate.letGo();
  const { exitCode, summary } = await running.ended;
  assert.equal(exitCode, EXIT_INTERRUPTED);
  assert.equal(summary?.ending, 'interrupted');
  const asked = pagesAsked(web);
  assert.ok(asked >= 6);
  assert.equal(await pagesStored(dir), asked, 'everything that was asked for is in the copy');
  await assertSound(dir);
  const last = await crawl(dir);
  assert.equal(last.summary?.pages, PAGES);
  assert.equal(pagesAsked(web), PAGES, 'nothing was fetched twice');
});

test('C2 a second Ctrl-C ends the crawl at once with an intact state', async (t) => {
  const { web, gate, dir, running } = await startHeld(t, 5);
  running.interrupt();
  await running.said('Stopping');
  running.interrupt();
  const { exitCode } = await running.ended;
  assert.equal(exitCode, EXIT_INTERRUPTED);
  assert.equal(gate.held, 5, 'it did not wait for the answers');
  await assertSound(dir);
  assert.equal(await pagesStored(dir), 1);
  gate.letGo();
  const last = await crawl(dir);
  assert.equal(last.summary?.pages, PAGES);
  assert.equal(pagesAsked(web), PAGES + 5);
  assert.equal((await archivedUrls(dir)).length, PAGES);
});

test('E4 a larger --depth in a later run fetches the deeper pages, and no page twice', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', (visit) => {
    const step = Number(visit.path.slice(1) || 0);
    reply(`step ${step} <a href="/${step + 1}">on</a>`)(visit);
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { depth: 2 });
  assert.deepEqual(await fatesOf(dir, web.origin), {
    '/': 'fetched',
    '/1': 'fetched',
    '/2': 'fetched',
    '/3': 'skipped/too-deep',
  });
  await crawlHere(dir, [], { depth: 5 });
  const fates = await fatesOf(dir, web.origin);
  assert.equal(fates['/5'], 'fetched');
  assert.equal(fates['/6'], 'skipped/too-deep');
  assert.deepEqual(
    web.ledger.entries.map(({ path }) => path).filter((path) => path === '/robots.txt' || isPage(path)),
    ['/robots.txt', '/', '/1', '/2', '/3', '/4', '/5'],
  );
  await assertSound(dir);
});
