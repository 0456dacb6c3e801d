/** The tools that change a copy: what they may fetch, and that nothing else can be reached or changed through them. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { readRules } from '../../src/crawl/place/data-folder.ts';
import { openStoreAt, withStoreAt } from '../../src/crawl/place/open-store.ts';
import { CrawlRunner } from '../../src/mcp/crawl/crawl-runner.ts';
import { type LivingSite, startLivingSite } from '../../testbed/web/living-site.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { ModelClient } from './mcp-client.ts';

let site: LivingSite;
let other: LivingSite;
let dir: string;
let model: ModelClient;
const cleanUp: (() => Promise<void>)[] = [];
const page = (path: string): string => site.web.url(path);
/** Holds the answers of a path back until the test has seen what it waits for. */
const slow = { arrived: Promise.withResolvers<void>(), open: Promise.withResolvers<void>() };

before(async () => {
  const t = { after: (work: () => Promise<void>) => void cleanUp.push(work) };
  site = await startLivingSite(t);
  other = await startLivingSite(t);
  site.set('/docs/', '<title>Docs</title><p>The documentation. <a href="/docs/a">a</a>');
  site.set('/docs/a', '<title>A</title><p>one');
  site.set('/docs/hidden', '<title>Hidden</title><p>A page about gossamer. <a href="/docs/deep">deep</a>');
  site.set('/docs/deep', '<title>Deep</title><p>deep');
  for (let n = 0; n < 30; n++) site.set(`/docs/many/${n}`, `<p>${n} <a href="/docs/many/${n + 1}">next</a>`);
  site.set('/private/x', '<p>x');
  site.set('/docs/secret/x', '<p>x');
  other.set('/docs/', '<p>other');
  site.web.on('/docs/slow', async ({ response }) => {
    slow.arrived.resolve();
    await slow.open.promise;
    response.end('slow');
  });
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-mcp-crawl-'));
  const rules = { scope: 'prefix', exclude: ['*/secret/*'], patience: '0s' };
  await crawlHere(dir, [page('/docs/')], rules);
  // A configuration file applies to commands of the user. A model must not start its commands or change its rules.
  const told = join(dir, 'told');
  writeFileSync(join(dir, 'config.yaml'), `on-change: "touch ${told}"\nfeed: ${told}\ndepth: 3\ninclude: ["*"]\n`);
  model = await ModelClient.start(['--dir', dir, '--allow-crawl']);
});

after(async () => {
  await model.close();
  slow.open.resolve();
  for (const work of cleanUp) await work();
  rmSync(dir, { recursive: true, force: true });
});

/** Resolves when no process writes to the copy any more. */
async function untilFree(): Promise<void> {
  for (;;) {
    try {
      await (await openStoreAt(dir)).close();
      return;
    } catch (error) {
      assert.equal((error as { code: string }).code, 'ERR_LOCKED');
    }
    await setImmediate();
  }
}

const rulesNow = () => withStoreAt(dir, async (store) => JSON.stringify(await readRules(store)));

test('crawl and refresh are announced as tools that write and reach the web', async () => {
  const { tools } = await model.client.listTools();
  const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
  assert.deepEqual(
    writing.map(({ name, annotations }) => [name, annotations?.openWorldHint, annotations?.destructiveHint]),
    [
      ['crawl', true, false],
      ['refresh', true, false],
    ],
  );
});

test('crawl fetches a new URL of the copy and what it links to, with progress, and search finds it', async () => {
  const before = await rulesNow();
  const seen: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
  const { data, isError, text } = await model.call('crawl', { url: page('/docs/hidden') }, { onprogress });
  assert.equal(isError, false, text);
  assert.deepEqual([data.ending, data.newPages, data.waiting], ['done', 2, 0]);
  assert.ok(seen.length > 0 && seen.every((value, at) => at === 0 || value > seen[at - 1]!), String(seen));
  assert.equal((await model.call('search', { query: 'gossamer' })).data.web.results[0].url, page('/docs/hidden'));
  assert.equal(await rulesNow(), before);
});

test('crawl keeps to the rules of the crawl and to the hosts of the copy', async () => {
  site.forget();
  other.forget();
  const cases: readonly [string, RegExp][] = [
    [page('/private/x'), /rules of the crawl leave this URL out \(out-of-scope\)/],
    ['http://169.254.169.254/latest/meta-data/', /no page of this host/],
    [other.web.url('/docs/'), /no page of this host/],
    [page('/docs/a'), /knows this URL already/],
  ];
  for (const [url, expected] of cases) {
    const { isError, text } = await model.call('crawl', { url });
    assert.ok(isError, url);
    assert.match(text, expected);
  }
  for (const args of [{ limit: 0 }, { limit: 501 }, { seconds: 601 }, { order: 'x' }, { allowPrivate: true }]) {
    assert.equal((await model.call('crawl', args)).isError, true, JSON.stringify(args));
    assert.equal((await model.call('refresh', args)).isError, true, JSON.stringify(args));
  }
  assert.equal((await model.call('refresh', { only: other.web.url('/x') })).isError, true);
  assert.deepEqual([site.requests, other.requests], [0, 0]);
});

test('crawl does not change which private addresses may be reached', async (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'orbweaver-mcp-private-'));
  t.after(() => rmSync(copy, { recursive: true }));
  site.set('/out', `<a href="${other.web.url('/docs/')}">other</a>`);
  await crawlHere(copy, [page('/out')], { scope: 'any', allowPrivate: '127.0.0.1', patience: '0s' });
  const job = { kind: 'crawl', dir: copy, target: other.web.url('/new'), limit: 1, seconds: 9, sources: [] } as const;
  const context = { signal: new AbortController().signal, progress: () => {} };
  await assert.rejects(new CrawlRunner(() => {}).run(job, context), /which private addresses the crawl may reach/);
});

test('crawl ends near its limit, and continues', async () => {
  const first = await model.call('crawl', { url: page('/docs/many/0'), limit: 3 });
  assert.equal(first.data.ending, 'limit', first.text);
  assert.ok(first.data.requested >= 3 && first.data.requested < 12 && first.data.waiting > 0, first.text);
  const rest = await model.call('crawl', { limit: 100 });
  assert.deepEqual([rest.data.ending, rest.data.waiting], ['done', 0]);
});

test('refresh finds changes, runs no command, writes no file and changes no rule', async () => {
  const before = await rulesNow();
  site.set('/docs/a', '<title>A</title><p>two');
  const { data, text, isError } = await model.call('refresh', { only: new URL(page('/')).host, limit: 100 });
  assert.equal(isError, false, text);
  assert.deepEqual([data.ending, data.changes >= 1], ['done', true], text);
  const changes = await model.call('list_changes', { after: data.changesAfter });
  assert.ok(changes.data.web.changes.some(({ url }: { url: string }) => url === page('/docs/a')));
  site.set('/docs/a', '<title>A</title><p>three');
  site.forget();
  const one = await model.call('refresh', { only: page('/docs/a') });
  assert.deepEqual([one.data.changes, one.data.requested], [1, 1], one.text);
  assert.deepEqual(
    [...site.askedPaths()].filter((path) => path !== '/robots.txt'),
    ['/docs/a'],
  );
  assert.equal(existsSync(join(dir, 'told')), false);
  assert.equal(await rulesNow(), before);
});

test('a crawl runs beside other requests, one at a time, and ends when it is cancelled', async () => {
  const controller = new AbortController();
  const running = model.call('crawl', { url: page('/docs/slow') }, { signal: controller.signal });
  await slow.arrived.promise;
  assert.equal((await model.call('list_sites')).isError, false, 'reading goes on');
  const second = await model.call('crawl', {});
  assert.ok(second.isError && second.text.includes('still running'), second.text);
  controller.abort();
  await assert.rejects(running);
  slow.open.resolve();
  await untilFree();
});

test('a crawl ends when its server is killed', async () => {
  slow.arrived = Promise.withResolvers<void>();
  slow.open = Promise.withResolvers<void>();
  const killed = await ModelClient.start(['--dir', dir, '--allow-crawl']);
  const lost = assert.rejects(killed.call('crawl', { url: page('/docs/slow?again') }));
  await slow.arrived.promise;
  process.kill(killed.pid, 'SIGKILL');
  await lost;
  slow.open.resolve();
  await untilFree();
});

test('--allow-crawl needs a data folder', async () => {
  const words = ['--store', 'postgres://nobody@127.0.0.1:1/none', '--allow-crawl'];
  const { exitCode, stdout, stderr } = await runCli('mcp', ...words);
  assert.deepEqual([exitCode, stdout], [2, ''], stderr);
  assert.match(stderr, /--allow-crawl works with a data folder only/);
});
