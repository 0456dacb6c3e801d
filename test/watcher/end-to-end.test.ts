/** The uploaded watcher file, started as an owner starts it, on every supported Node. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReportEntry, RunningWatcher, readReport } from '../../testbed/watcher/running-watcher.ts';
import { bundle, NODES } from './built-watcher.ts';

const SITE = 'https://www.example.org';

let folder: string;
let root: string;
const running: RunningWatcher[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watcher-e2e-'));
  root = join(folder, 'www');
  await mkdir(join(root, 'docs'), { recursive: true });
  await put('index.html', '<h1>Main</h1><a href="/docs/near.html">near</a>');
  await put('docs/near.html', '<p>near</p>');
  await put('docs/far.html', '<p>far</p>');
  await put('docs/.secret.html', 'no');
  await put('notes.bak', 'no');
});
afterEach(async () => {
  for (const watcher of running.splice(0)) await watcher.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Writes the file atomically, because a half-written file would count as another change. */
async function put(path: string, text: string): Promise<void> {
  const beside = join(folder, 'being-written');
  await writeFile(beside, text);
  await rename(beside, join(root, path));
}

const flags = (...more: string[]) => [root, '--url', SITE, '--state', join(folder, 'state'), '--cpu', '100%', ...more];

async function start(node: string, ...more: string[]): Promise<RunningWatcher> {
  const words = flags('--listen', '127.0.0.1:0', '--every', '200ms', ...more);
  const watcher = await RunningWatcher.start({ node, file: bundle.path, words, cwd: folder, env: {} });
  running.push(watcher);
  return watcher;
}

/** Asks until the report has an entry. */
async function newsSince(watcher: RunningWatcher, cursor: string): Promise<{ entries: ReportEntry[]; cursor: string }> {
  for (let tries = 0; tries < 500; tries++) {
    const { head, entries } = await watcher.report(SITE, `?since=${cursor}`);
    if (entries.length > 0) return { entries, cursor: head.cursor };
    await sleep(20);
  }
  throw new Error(`nothing was reported: ${watcher.stderr}`);
}

const entryLines = (entries: readonly ReportEntry[]) => entries.map(({ change, url }) => `${change} ${url}`).sort();

for (const [name, node] of Object.entries(NODES)) {
  describe(`on ${name}`, { skip: node === undefined && `${name} is not installed: npm test installs it` }, () => {
    test('it starts, lists the site by rank, reports changes, and continues after kill -9', async () => {
      let watcher = await start(node!);
      await watcher.ready(SITE);
      const { head, entries } = await watcher.report(SITE, '');
      assert.deepEqual([head.site, head.listing, head.pages], [SITE, true, 3]);
      assert.deepEqual(
        entries.map(({ url, rank }) => [url, rank]),
        [
          ['/', 0.5],
          ['/docs/near.html', 0.5],
          ['/docs/far.html', entries[2]!.rank],
        ],
      );
      assert.ok(entries[2]!.rank < 0.5);
      await put('docs/far.html', '<p>other</p>');
      const first = await newsSince(watcher, head.cursor);
      assert.deepEqual(entryLines(first.entries), ['updated /docs/far.html']);
      const hash = createHash('sha256').update('<p>other</p>').digest('base64url');
      assert.equal(first.entries[0]!.hash, hash);

      await watcher.stop('SIGKILL');
      await put('docs/while-away.html', '<p>new</p>');
      await rename(join(root, 'docs/near.html'), join(root, 'docs/moved.html'));
      watcher = await start(node!);
      await watcher.ready(SITE);
      const seen: ReportEntry[] = [];
      for (let cursor = first.cursor; seen.length < 3; ) {
        const more = await newsSince(watcher, cursor);
        seen.push(...more.entries);
        cursor = more.cursor;
      }
      assert.deepEqual(entryLines(seen), [
        'deleted /docs/near.html',
        'new /docs/moved.html',
        'new /docs/while-away.html',
      ]);
      const exitCode = await watcher.stop('SIGINT');
      assert.deepEqual([exitCode, watcher.stdout], [11, ''], watcher.stderr);
      assert.match(watcher.stderr, /robots\.txt: Orbweaver-Report: https:\/\/www\.example\.org\/\.well-known/);
    });

    test('--once sweeps, writes the files and exits', async () => {
      const watcher = RunningWatcher.run({
        node: node!,
        file: bundle.path,
        words: flags('--once', '--json'),
        cwd: folder,
        env: {},
      });
      assert.equal(await watcher.ended, 0, watcher.stderr);
      const { sites } = JSON.parse(watcher.stdout) as { sites: { pages: number; isComplete: boolean }[] };
      assert.deepEqual([sites[0]!.pages, sites[0]!.isComplete], [3, true]);
      const { head } = readReport(readFileSync(join(root, '.well-known/orbweaver-report'), 'utf8'));
      assert.deepEqual([head.pages, head.lease.by], [3, 'none']);
      assert.match(readFileSync(join(root, '.well-known/orbweaver-sitemap-1.xml'), 'utf8'), /docs\/near\.html/);
      await put('docs/far.html', 'again');
      const again = RunningWatcher.run({
        node: node!,
        file: bundle.path,
        words: flags('--once'),
        cwd: folder,
        env: {},
      });
      assert.equal(await again.ended, 0, again.stderr);
      const { entries } = readReport(readFileSync(join(root, '.well-known/orbweaver-report'), 'utf8'));
      assert.deepEqual(entryLines(entries), ['updated /docs/far.html']);
    });
  });
}

test('--once gives the lease through the access log and announces changes, from one run to the next', async () => {
  const notices: { urlList: string[] }[] = [];
  const engine = createServer(async (request, response) => {
    notices.push(JSON.parse(await text(request)) as { urlList: string[] });
    response.end();
  }).listen(0, '127.0.0.1');
  await once(engine, 'listening');
  const log = join(folder, 'access.log');
  const taken = (name: string) =>
    `10.0.0.1 - - [15/Nov/2026:21:00:00 +0000] "GET /.well-known/orbweaver-report?take=${name} HTTP/1.1" 200 9 "-" "-"\n`;
  await writeFile(log, taken('long-ago'));
  const endpoint = `http://127.0.0.1:${(engine.address() as AddressInfo).port}/`;
  const words = flags('--once', '--access-log', log, '--indexnow-key', 'abcdefgh', '--indexnow-endpoint', endpoint);
  const run = async () => {
    const watcher = RunningWatcher.run({ node: process.execPath, file: bundle.path, words, cwd: folder, env: {} });
    assert.equal(await watcher.ended, 0, watcher.stderr);
    return readReport(readFileSync(join(root, '.well-known/orbweaver-report'), 'utf8')).head;
  };
  assert.deepEqual((await run()).lease, { by: 'log', held: false });
  await writeFile(log, taken('bot'), { flag: 'a' });
  await put('docs/new.html', 'new');
  const { lease, pages } = await run();
  assert.deepEqual([lease.holder, pages], ['bot', 4], 'the key file is not a page');
  assert.deepEqual(
    notices.map(({ urlList }) => urlList),
    [[`${SITE}/docs/new.html`]],
  );
  await run();
  assert.equal(notices.length, 1);
  engine.close();
});

test('an unusable value gives one line that says what to do', async () => {
  await writeFile(join(folder, 'file'), '');
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['--state', join(folder, 'file'), /the state folder .* cannot be used: .*--state \[ERR_DIR\]$/],
    ['--access-log', folder, /--access-log .* is not a regular file.*\[ERR_BAD_OPTION\]$/],
    ['--trust-proxy', 'proxy.example', /--trust-proxy proxy\.example: give addresses .*\[ERR_BAD_OPTION\]$/],
    ['--trust-proxy', '10.0.0.0/99', /--trust-proxy 10\.0\.0\.0\/99: give addresses .*\[ERR_BAD_OPTION\]$/],
  ];
  for (const [flag, value, message] of wrong) {
    const words = [bundle.path, ...flags('--listen', '0', flag, value)];
    const { stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', timeout: 20_000 });
    assert.match(stderr.trim(), message);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});

test('W8 the requested host selects one of several sites in one process', async () => {
  const other = join(folder, 'other');
  await mkdir(other);
  await writeFile(join(other, 'b.html'), 'b');
  const watcher = await start(process.execPath, '--site', `http://b.example:8080/=${other}`);
  await watcher.ready(SITE);
  const { head } = { head: await watcher.ready('http://b.example:8080') };
  assert.deepEqual([head.site, head.pages], ['http://b.example:8080', 1]);
  assert.equal((await watcher.get('http://c.example', '')).status, 404);
  await writeFile(join(other, 'b.html'), 'changed');
  for (let tries = 0; tries < 500; tries++) {
    const { entries } = await watcher.report('http://b.example:8080', `?since=${head.cursor}`);
    if (entries.length === 0) await sleep(20);
    else {
      assert.deepEqual(entryLines(entries), ['updated /b.html']);
      assert.deepEqual((await watcher.report(SITE, '?limit=0')).head.cursor.split('.')[1], '0');
      return;
    }
  }
  assert.fail('the change of the second site was not reported');
});

test('W6 a log-in, and a page that only a form leads to, are not reported', async () => {
  await put('log-in.html', '<form action="/in.html"><input name=user><input type=password name=p></form>');
  await put('find.html', '<p>Results</p>');
  await put('search.html', '<p>Text</p><form action="/find.html"><input name=q></form>');
  const watcher = await start(process.execPath);
  await watcher.ready(SITE);
  const { entries } = await watcher.report(SITE, '');
  assert.deepEqual(entries.map(({ url }) => url).sort(), ['/', '/docs/far.html', '/docs/near.html', '/search.html']);
});

test('W2 a second watcher on the same state folder is refused, and the first continues', async () => {
  const watcher = await start(process.execPath);
  await watcher.ready(SITE);
  const second = RunningWatcher.run({
    node: process.execPath,
    file: bundle.path,
    words: flags('--no-listen'),
    cwd: folder,
    env: {},
  });
  assert.equal(await second.ended, 1);
  assert.match(second.stderr, /ERR_LOCKED/);
  assert.equal((await watcher.get(SITE, '?limit=0')).status, 200);
});

test('the bundled file needs no other file, and describes itself', () => {
  const text = readFileSync(bundle.path, 'utf8');
  assert.match(text, /^#!\/usr\/bin\/env node\n\/\*!\n \* orbweaver-watcher \d/);
  assert.match(text, /MIT License/);
  const imports = [...text.matchAll(/^import .*? from ["']([^"']+)["']|\bimport\(["']([^"']+)/gm)].map(
    (found) => found[1] ?? found[2],
  );
  assert.deepEqual(imports, ['node:module']);
  const required = [...text.matchAll(/\brequireBuiltin\("([^"]+)"\)/g)].map(([, name]) => name!);
  assert.ok(required.length > 5);
  for (const name of required) assert.match(name, /^node:/);
  assert.deepEqual(
    bundle.inputs.filter((input) => /^src\/(?:crawl|cli|library|store|fetch|frontier)\//.test(input)),
    [],
  );
  assert.ok(bundle.gzipBytes < 120_000, `${bundle.gzipBytes} bytes gzipped`);
});

const WRONG: readonly (readonly [string, readonly string[], number, RegExp])[] = [
  ['no arguments', [], 2, /^$/],
  ['a misspelt flag', ['--urll', 'x'], 2, /no flag --urll; did you mean --url\?/],
  ['a missing URL', ['.'], 2, /--url https/],
  ['a missing folder', ['/no/such', '--url', SITE], 2, /\/no\/such/],
  ['an invalid URL', ['.', '--url', 'example.org'], 2, /https:\/\/example\.org/],
  ['a state folder inside the root', ['.', '--url', SITE, '--state', './state'], 2, /inside the web root/],
  ['an invalid listen address', ['.', '--url', SITE, '--listen', 'here'], 2, /host:port/],
  ['a missing configuration', ['--config', '/no/such.json'], 2, /ERR_CONFIG/],
];

for (const [what, words, exitCode, message] of WRONG) {
  test(`${what} gives exit code ${exitCode} and one line, and writes nothing`, () => {
    const { status, stderr } = spawnSync(process.execPath, [bundle.path, ...words], {
      cwd: root,
      env: {},
      encoding: 'utf8',
    });
    assert.equal(status, exitCode, stderr);
    assert.match(stderr, message);
    assert.ok(stderr.split('\n').length <= 2, stderr);
    assert.equal(existsSync(join(root, 'state')), false);
    assert.equal(existsSync(join(root, 'orbweaver-watcher-state')), false);
  });
}
