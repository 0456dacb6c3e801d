/**
 * Tests that a crawl keeps its rules: a run without flags follows the rules of the first run, whether it resumes the
 * crawl, refreshes the copy, is started by a program, or joins a cluster. Secrets are not kept, and a run without them
 * does not start.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listen } from '../../src/core/events.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import { resolveRefreshOptions } from '../../src/core/options/refresh-options.ts';
import { startWork } from '../../src/crawl/cluster/worker.ts';
import { UnitThread } from '../../src/crawl/crew/unit-thread.ts';
import type { UnitSetup } from '../../src/crawl/unit/messages.ts';
import { crawl as crawlInProgram, openCopy, refresh as refreshInProgram } from '../../src/index.ts';
import { startRecovery } from '../../src/recover/recover.ts';
import { isPage } from '../../testbed/web/ledger.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { runCli, runCliIn } from '../cli/setup/run-cli.ts';
import { runCommands } from '../cli/setup/run-commands.ts';
import { sampleRules } from '../core/options/sample-rules.ts';
import { noPostgres } from '../setup/postgres.ts';
import { TestCluster } from './cluster/setup/cluster-here.ts';
import { refreshThere } from './cluster/setup/refresh-there.ts';
import { crawlHere, fatesOf } from './crawl-here.ts';
import { refreshHere } from './refresh/refresh-here.ts';
import { dataFolder, edit } from './stored-crawl.ts';

const PAGES = 30;

/** A site with pages under /open/ and /closed/. */
async function startSite(t: TestContext, address = '127.0.0.1') {
  const web = await startWeb({ address });
  t.after(() => web.close());
  const links = (folder: string) =>
    Array.from({ length: PAGES }, (_, i) => `<a href="/${folder}/${i}">page ${i}</a>`).join('');
  web.on('/', reply(links('open') + links('closed')));
  web.on('/*', (visit) => reply(`<p>The page at ${visit.path}</p>`)(visit));
  const asked = () => web.ledger.entries.filter(({ path }) => isPage(path));
  return { web, asked };
}

/** Collects the setups of all units that are started. */
function watchSetups(t: TestContext): Pick<UnitSetup, 'options' | 'refresh' | 'rejudges'>[] {
  const setups: Pick<UnitSetup, 'options' | 'refresh' | 'rejudges'>[] = [];
  const { start } = UnitThread.prototype;
  t.mock.method(UnitThread.prototype, 'start', function (this: UnitThread, ...given: Parameters<typeof start>) {
    setups.push(given[0]);
    return start.apply(this, given);
  });
  return setups;
}

/** All rules with a value other than the default, and the options and refresh options that follow from them. */
function allRules(t: TestContext) {
  const examples = join(dataFolder(t), 'examples.txt');
  writeFileSync(examples, 'spiders spin silk and build orb webs');
  const given = { ...sampleRules(examples), patience: '1ms' };
  const sources = [{ from: 'test', given }];
  return { given, options: resolveOptions(sources), refresh: resolveRefreshOptions(sources) };
}

function assertFollowed(setups: readonly Pick<UnitSetup, 'options' | 'refresh'>[], expected: object, noise: object) {
  assert.ok(setups.length > 0);
  for (const { options, refresh } of setups) {
    assert.deepEqual({ ...options, units: 0 }, expected);
    if (refresh !== null) assert.deepEqual({ ...refresh, ...noise }, refresh);
  }
}

test('every rule holds for a run that resumes, for a refresh and for a program', async (t) => {
  const { web } = await startSite(t);
  const dir = dataFolder(t);
  const { given, options, refresh } = allRules(t);
  const { level, ignore, noiseOff } = refresh;
  const runs = {
    first: () => crawlHere(dir, [web.url('/')], { ...given, units: 1 }),
    resumed: () => crawlHere(dir, [], { units: 1 }),
    refreshed: () => refreshHere(dir, { patience: undefined }),
    'crawl()': () => crawlInProgram([], { dir, units: 1 }).summary,
    'refresh()': () => refreshInProgram({ dir }).summary,
    // The archive has all rules except paths and permissions of the user.
    recovered: async () => {
      edit(dir, `DELETE FROM notes WHERE name = 'rules'`);
      const { topicExamples, allowPrivate, ignoreRobots, followActions } = given as Record<string, unknown>;
      const sources = [{ from: 'test', given: { topicExamples, allowPrivate, ignoreRobots, followActions } }];
      await startRecovery({ dir, files: [], seeds: [], sources, rebuild: true }).summary;
      return crawlHere(dir, []);
    },
  };
  for (const run of Object.values(runs)) {
    const setups = watchSetups(t);
    await run();
    assertFollowed(setups, options, { level, ignore, noiseOff });
    t.mock.restoreAll();
  }
});

test('every rule holds for workers of a cluster and for a refresh of its copy', { skip: noPostgres }, async (t) => {
  const { web } = await startSite(t, '127.0.12.1');
  const cluster = await TestCluster.open(t);
  const { given, options, refresh } = allRules(t);
  const { level, ignore, noiseOff } = refresh;
  await cluster.plan([web.url('/')], given);
  const setups = watchSetups(t);
  await startWork({ ...cluster.entry('worker'), own: { units: 1 } }).summary;
  await refreshThere(cluster, 'refresher', { patience: undefined, units: 1 });
  assert.equal(setups.some((setup) => setup.refresh !== null) && setups.some((setup) => setup.refresh === null), true);
  assertFollowed(setups, options, { level, ignore, noiseOff });
});

test('the command that Ctrl-C prints continues with the rules of the crawl', async (t) => {
  const { web, asked } = await startSite(t);
  const dir = dataFolder(t);
  const rules = ['--include', '*/open/*', '--exclude', '*/open/1*', '--limit', '5', '--user-agent', 'Mine/1.0'];
  const first = await runCli('crawl', web.url('/'), '--dir', dir, '--units', '1', ...rules, '--delay', '20ms');
  assert.match(first.stdout, /^Continue: orbweaver crawl --dir \S+ --units 1 --limit <n> {4}\(0: no limit\)$/m);
  assert.equal(asked().length, 5);
  const again = await runCli('crawl', '--dir', dir);
  assert.equal(again.exitCode, 0, again.stderr);
  assert.equal(asked().length, 5, 'the limit still holds');
  const more = await runCliIn({ ORBWEAVER_LIMIT: '0' }, 'crawl', '--dir', dir);
  assert.match(more.stderr, /^warning: the rules of this crawl have changed: --limit 0 \(was 5\)$/m);
  assert.equal((await runCli('refresh', '--dir', dir)).exitCode, 0);
  assert.ok(asked().every(({ path }) => path === '/' || /^\/open\/(?!1)/.test(path)));
  assert.ok(asked().every(({ headers }) => headers['user-agent'] === 'Mine/1.0'));
  assert.equal(new Set(asked().map(({ path }) => path)).size, 1 + PAGES - 11);
  const [text, json] = runCommands('this', {}, [
    ['status', '--dir', dir],
    ['status', '--dir', dir, '--json'],
  ]);
  assert.deepEqual(JSON.parse(json!.stdout).rules, {
    include: ['*/open/*'],
    exclude: ['*/open/1*'],
    delay: '20ms',
    userAgent: 'Mine/1.0',
  });
  assert.ok(
    text!.stdout.includes("\nRules: --include='*/open/*' --exclude='*/open/1*' --delay=20ms --user-agent=Mine/1.0\n"),
  );
});

test('new rules hold for URLs that wait already, and URLs that they let in again are fetched', async (t) => {
  const { web, asked } = await startSite(t);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { limit: 3, units: 1 });
  await crawlHere(dir, [], { limit: 0, exclude: ['*/closed/*'], units: 1 });
  assert.equal(asked().length, 1 + PAGES);
  assert.ok(asked().every(({ path }) => !path.startsWith('/closed/')));
  const states = Object.entries(Object.groupBy(Object.values(await fatesOf(dir, web.origin)), (fate) => fate));
  assert.deepEqual(
    states.map(([fate, all]) => [fate, all!.length]),
    [
      ['fetched', 1 + PAGES],
      ['skipped/excluded', PAGES],
    ],
  );
  await crawlHere(dir, [], { depth: 0, exclude: ['*/closed/1*'], units: 1 });
  assert.equal(asked().length, 1 + PAGES, 'now all others are too deep');
  await crawlHere(dir, [], { depth: 1, units: 1 });
  assert.equal(asked().length, 1 + 2 * PAGES - 11);
  await crawlHere(dir, [], { exclude: 'none', units: 1 });
  assert.equal(asked().length, 1 + 2 * PAGES);
});

test('guesses that wait are left out when --guess ends, and fetched when it is given again', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/', reply('<script>const data = "/data/list.html";</script>'));
  web.on('/data/list.html', reply('a list'));
  const dir = dataFolder(t);
  const fate = async () => (await fatesOf(dir, web.origin))['/data/list.html'];
  await crawlHere(dir, [web.url('/')], { guess: true, limit: 1, units: 1 });
  assert.equal(await fate(), 'waiting');
  await crawlHere(dir, [], { guess: false, limit: 0, units: 1 });
  assert.equal(await fate(), 'skipped/guess-unwanted');
  await crawlHere(dir, [], { guess: true, units: 1 });
  assert.equal(await fate(), 'fetched');
});

test('URLs are judged again by new rules only until none waits', async (t) => {
  const { web } = await startSite(t);
  const dir = dataFolder(t);
  const setups = watchSetups(t);
  await crawlHere(dir, [web.url('/')], { limit: 3, units: 1 });
  await crawlHere(dir, [], { limit: 5, exclude: ['*/closed/*'], units: 1 });
  await crawlHere(dir, [], { limit: 0, units: 1 });
  await refreshHere(dir, { units: 1 });
  // URLs that were left out for another reason may be outside of the present rules.
  await crawlHere(dir, [], { followActions: true, units: 1 });
  assert.deepEqual(
    setups.map(({ rejudges }) => rejudges),
    [false, true, true, false, true],
  );
});

test('a run that does not get a secret of the crawl names the flag and sends no request', async (t) => {
  const { web, asked } = await startSite(t);
  const dir = dataFolder(t);
  const host = new URL(web.origin).host;
  const header = `${host}|X-Key: s3cr3t`;
  await crawlHere(dir, [web.url('/')], { header, limit: 3, units: 1 });
  const refusal = {
    code: 'ERR_SECRET_MISSING',
    message:
      'this crawl uses --header, and secrets are not stored with a crawl; give --header again, or --header none to continue without',
  };
  const runs = [
    () => crawlHere(dir, [web.url('/')]),
    () => refreshHere(dir),
    () => crawlInProgram([], { dir, units: 1 }).summary,
    () => refreshInProgram({ dir }).summary,
  ];
  for (const run of runs) await assert.rejects(run, refusal);
  assert.equal(asked().length, 3);
  const [status] = runCommands('this', {}, [['status', '--dir', dir]]);
  assert.match(status!.stdout, /^Needed again by every run, because secrets are not stored: --header$/m);
  await refreshHere(dir, { header });
  assert.ok(asked().every(({ headers }) => headers['x-key'] === 's3cr3t'));
  await refreshHere(dir, { header: 'none' });
  await refreshHere(dir);
  for (const file of readdirSync(dir).filter((name) => name.startsWith('crawl.'))) {
    assert.ok(!readFileSync(join(dir, file)).includes('s3cr3t'), file);
  }
});

test('a worker without a secret of the crawl does not join', { skip: noPostgres }, async (t) => {
  const cluster = await TestCluster.open(t);
  await cluster.plan(['http://no-such-host.invalid/'], { auth: 'a.test|u:p', leaseKey: 'a.test|n:k', patience: '0s' });
  const work = (own: object) => startWork({ ...cluster.entry('worker'), own }).summary;
  await assert.rejects(work({}), { code: 'ERR_SECRET_MISSING', message: /this crawl uses --auth, and/ });
  assert.equal((await work({ auth: 'none', units: 1 })).ending, 'failed', 'it joins');
  await cluster.plan(['http://other.invalid/'], {});
  await assert.rejects(work({}), { code: 'ERR_SECRET_MISSING' }, 'neither a worker nor a plan without it changes that');
});

test('a copy of an older version keeps the rules that it has, and one without rules has the defaults', async (t) => {
  const { web, asked } = await startSite(t);
  const dir = dataFolder(t);
  const warnings: string[] = [];
  t.after(listen('crawl/warning', ({ message }) => warnings.push(message)));
  await crawlHere(dir, [web.url('/')], { limit: 3, units: 1 });
  const { units: _, ...old } = { ...resolveOptions([]), depth: 0, concurrency: 4096, userAgent: 'Old/1' };
  edit(dir, `UPDATE notes SET value = '${JSON.stringify(old)}' WHERE name = 'rules'`);
  await crawlHere(dir, []);
  assert.deepEqual(asked().at(-1)!.headers['user-agent'], 'Old/1');
  assert.equal(asked().length, 1 + 2 * PAGES, 'what was known is fetched');
  edit(dir, `DELETE FROM notes WHERE name = 'rules'`);
  await using copy = await openCopy(dir);
  assert.equal((await copy.counts()).states.fetched, 1 + 2 * PAGES);
  await refreshHere(dir, { limit: 0 });
  assert.notEqual(asked().at(-1)!.headers['user-agent'], 'Old/1');
  assert.deepEqual(warnings, []);
});
