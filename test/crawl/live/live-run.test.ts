/** What a run tells in live.json, and what it does when control.json asks for something. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { listen } from '../../../src/core/events.ts';
import { startCrawl } from '../../../src/crawl/crawl.ts';
import { giveOrder, readControl, settleControl } from '../../../src/crawl/live/control-file.ts';
import { ChartKeeper } from '../../../src/crawl/live/live-chart.ts';
import { isRunning, livePath, readLive } from '../../../src/crawl/live/live-file.ts';
import { readRules } from '../../../src/crawl/place/data-folder.ts';
import { withStoreAt } from '../../../src/crawl/place/open-store.ts';
import { startWeb } from '../../../testbed/web/local-web.ts';

const SOURCES = [
  { from: 'test', given: { units: 1, delay: '0s', perHost: 1, patience: '0s', depth: 255, search: false } },
];

interface Test {
  after(callback: () => void | Promise<void>): void;
}

function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-live-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A web that never ends: every page links to two more. */
async function endlessWeb(t: Test) {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/*', ({ path, response }) => {
    const number = /^.[0-9]+$/.test(path) ? BigInt(path.slice(1)) : 0n;
    const links = [2n * number + 1n, 2n * number + 2n].map((next) => `<a href="/${next}">${next}</a>`);
    response
      .setHeader('content-type', 'text/html')
      .end(`<title>${path}</title><p>Page ${path} of many. ${links.join(' ')}`);
  });
  return web;
}

/** Resolves with the first state that fits, looked at whenever the run has committed something. */
function stateWhere(dir: string, fits: (state: NonNullable<ReturnType<typeof readLive>>) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = listen('crawl/commit', () => {
      const state = readLive(dir);
      if (state === null || !fits(state)) return;
      stop();
      resolve();
    });
  });
}

test('C1 a run reports its figures, and an order to stop saves it', async (t) => {
  const [dir, web] = [folder(t), await endlessWeb(t)];
  const crawl = startCrawl({ dir, seeds: [web.url('/')], sources: SOURCES });
  await stateWhere(dir, ({ figures }) => figures.pages > 0);
  const state = readLive(dir)!;
  assert.deepEqual(
    [state.kind, state.phase, state.ending, isRunning(state, Date.now())],
    ['crawl', 'running', null, true],
  );
  giveOrder(dir, { action: 'pause' });
  const { ending, pages } = await crawl.summary;
  assert.equal(ending, 'interrupted');
  const end = readLive(dir)!;
  assert.deepEqual([end.phase, end.ending, end.figures.pages], ['ended', 'interrupted', pages]);
  assert.equal(isRunning(end, Date.now()), false);
  assert.equal(end.chart.times.length, end.chart.waiting.length);
});

test('new rules are taken over by the running crawl and stored with it', async (t) => {
  const [dir, web] = [folder(t), await endlessWeb(t)];
  const crawl = startCrawl({ dir, seeds: [web.url('/')], sources: SOURCES });
  await stateWhere(dir, ({ figures }) => figures.pages > 3);
  const { pages: before } = readLive(dir)!.figures;
  const limit = before + 40;
  giveOrder(dir, { rules: { limit, exclude: ['*/none*'] } });
  const { ending, pages, fetched, seconds } = await crawl.summary;
  assert.equal(ending, 'limit');
  assert.ok(pages >= limit, `${pages} of ${limit} pages`);
  assert.ok(fetched >= pages && seconds > 0, 'the summary counts all rounds');
  const rules = await withStoreAt(dir, readRules);
  assert.deepEqual([rules!.values.limit, rules!.values.exclude], [limit, ['*/none*']]);
  assert.deepEqual(readControl(dir).rules, {}, 'nothing waits any more');
});

test('rules that were changed while nothing ran hold for the next run, and flags are stronger', async (t) => {
  const [dir, web] = [folder(t), await endlessWeb(t)];
  await startCrawl({ dir, seeds: [web.url('/')], sources: [...SOURCES, { from: 'test', given: { limit: 2 } }] })
    .summary;
  giveOrder(dir, { rules: { limit: 5, depth: 3 } });
  const given = { from: 'command line', given: { depth: 9 } };
  const { pages } = await startCrawl({ dir, seeds: [], sources: [given, ...SOURCES] }).summary;
  assert.equal(pages, 5);
  const rules = await withStoreAt(dir, readRules);
  assert.deepEqual([rules!.values.limit, rules!.values.depth], [5, 9]);
});

test('an order that came while another one was settled stays, and a strange file orders nothing', (t) => {
  const dir = folder(t);
  giveOrder(dir, { action: 'stop', rules: { limit: 5, depth: 2 } });
  const settled = readControl(dir);
  giveOrder(dir, { action: 'pause', rules: { limit: 9 } });
  settleControl(dir, settled);
  assert.deepEqual(readControl(dir), { number: 2, action: 'pause', rules: { limit: 9 } });
  settleControl(dir, readControl(dir));
  assert.deepEqual(readControl(dir), { number: 2, action: null, rules: {} });
  // A folder whose control.json was lost still gives larger numbers.
  rmSync(join(dir, 'control.json'));
  giveOrder(dir, { rules: { limit: 3 } });
  assert.deepEqual(readControl(dir), { number: 3, action: null, rules: { limit: 3 } });
  rmSync(join(dir, 'control-settled.json'));
  const nothing = { number: 0, action: null, rules: {} };
  for (const text of ['', '{', '[]', 'null', '"x"', '{"number":"1","action":"rm","rules":[1]}']) {
    writeFileSync(join(dir, 'control.json'), text);
    assert.deepEqual(readControl(dir), nothing, text);
  }
  writeFileSync(
    join(dir, 'control.json'),
    JSON.stringify({
      number: 1,
      rules: {
        onChange: { value: 'rm', number: 1 },
        allowPrivate: { value: true, number: 1 },
        limit: { value: 1, number: 1 },
      },
    }),
  );
  assert.deepEqual(readControl(dir).rules, { limit: 1 });
  for (const text of ['', '{"version":2}', '{"version":1}', 'null']) {
    writeFileSync(livePath(dir), text);
    assert.equal(readLive(dir), null, text);
  }
});

test('a chart covers a run of any length with a bounded number of points', () => {
  const keeper = new ChartKeeper();
  const figures = { pages: 0, of: null, fetched: 0, changed: 0, bytes: 0, hosts: 0, requests: 0, errors: {} };
  const rates = { pagesPerSecond: 10, bytesPerSecond: 5, memoryMb: 100, cpu: 0.5 };
  for (let i = 0; i < 100_000; i++) keeper.add(i * 500, { ...figures, waiting: i, failed: 1 }, rates);
  const { times, waiting, pagesPerSecond } = keeper.toChart();
  assert.ok(times.length >= 100 && times.length < 240, `${times.length} points`);
  assert.ok(times.at(-1)! > 0.98 * 100_000 * 500 && times[0]! < 1_000 * 500);
  assert.ok(waiting.every((value, i) => i === 0 || value > waiting[i - 1]!));
  assert.deepEqual(new Set(pagesPerSecond), new Set([10]));
});
