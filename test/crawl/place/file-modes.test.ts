/** Tests who may read the files that a crawl, a refresh, an export, a feed and a watcher create, with any umask. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { MAIN } from '../../setup/built-program.ts';

const PRIVATE = { folder: '700', file: '600' };
const GROUP = { folder: '750', file: '640' };
const ALL = { folder: '755', file: '644' };

/** A site whose page changes with every request. */
async function changingSite(t: TestContext): Promise<string> {
  let requests = 0;
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Page</title><p>This is the text number ${requests++} of a page that says something new.`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-modes-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Runs the command line in a process with this umask. */
async function run(umask: string, ...words: string[]): Promise<string> {
  const command = ['-c', `umask ${umask}; exec "$@"`, 'sh', process.execPath, MAIN, ...words];
  const child = spawn('sh', command, { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(child.exitCode, 0, stderr);
  return stdout;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Asserts the mode of the folder and of everything in it. */
function assertModes(dir: string, { folder, file }: typeof PRIVATE): void {
  assert.equal(modeOf(dir), folder, dir);
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const path = join(dir, name);
    assert.equal(modeOf(path), statSync(path).isDirectory() ? folder : file, name);
  }
}

const CRAWL = ['--ignore-robots', '--no-watchers', '--units', '1'];

test('a copy is readable only by its user, also after a refresh', async (t) => {
  const [dir, seed] = [join(folder(t), 'above', 'copy'), await changingSite(t)];
  await run('000', 'crawl', seed, '--dir', dir, ...CRAWL);
  assertModes(dir, PRIVATE);
  const feed = join(dir, '..', 'changes.atom');
  const files = readdirSync(join(dir, 'archive')).length;
  await run('000', 'refresh', '--dir', dir, '--feed', feed, '--no-watchers');
  assert.ok(readdirSync(join(dir, 'archive')).length > files, 'there is a new archive file');
  assertModes(dir, PRIVATE);
  assert.equal(modeOf(feed), '644', 'a feed is made to be served');
  chmodSync(feed, 0o640);
  await run('000', 'refresh', '--dir', dir, '--feed', feed, '--no-watchers');
  assert.equal(modeOf(feed), '640', 'an existing feed keeps its mode');
});

test('--share makes all files readable, also later ones, and can be undone', async (t) => {
  const [dir, seed] = [join(folder(t), 'copy'), await changingSite(t)];
  await run('077', 'crawl', seed, '--dir', dir, '--share', 'group', ...CRAWL);
  assertModes(dir, GROUP);
  await run('077', 'refresh', '--dir', dir, '--no-watchers');
  assertModes(dir, GROUP);
  await run('077', 'refresh', '--dir', dir, '--no-watchers', '--share', 'all');
  assertModes(dir, ALL);
  await run('000', 'refresh', '--dir', dir, '--no-watchers', '--share', 'nobody');
  assertModes(dir, PRIVATE);
});

test('an existing folder keeps its mode, and new files in it are private', async (t) => {
  const [dir, seed] = [join(folder(t), 'copy'), await changingSite(t)];
  mkdirSync(dir);
  chmodSync(dir, 0o755);
  writeFileSync(join(dir, 'config.yaml'), 'units: 1\n');
  chmodSync(join(dir, 'config.yaml'), 0o644);
  await run('022', 'crawl', seed, '--dir', dir, ...CRAWL);
  assert.equal(modeOf(dir), '755');
  assert.equal(modeOf(join(dir, 'config.yaml')), '644');
  assert.equal(modeOf(join(dir, 'crawl.db')), '600');
  assertModes(join(dir, 'archive'), PRIVATE);
  // A copy of an earlier version, whose files everybody may read, is not made partly private.
  const own = readdirSync(dir).filter((name) => /^(?:crawl|search)/.test(name));
  const files = [...own, ...readdirSync(join(dir, 'archive')).map((name) => join('archive', name))];
  for (const name of files) chmodSync(join(dir, name), 0o644);
  chmodSync(join(dir, 'archive'), 0o755);
  await run('077', 'refresh', '--dir', dir, '--no-watchers');
  assertModes(dir, ALL);

  const output = join(dir, '..', 'pages.csv');
  await run('000', 'export', '--format', 'csv', '--dir', dir, '--output', output);
  assert.equal(modeOf(output), '600', 'an export');
  await run('077', 'export', '--format', 'csv', '--dir', dir, '--output', output, '--force', '--share', 'group');
  assert.equal(modeOf(output), '640', 'a shared export');
  await run('077', 'export', '--format', 'csv', '--dir', dir, '--output', output, '--force');
  assert.equal(modeOf(output), '640', 'a replaced file keeps its mode');
});

test('the log of a running crawl is as private as its database', async (t) => {
  const { openSqliteStore } = await import('../../../src/store/sqlite/sqlite-store.ts');
  const before = process.umask(0);
  t.after(() => process.umask(before));
  for (const [share, modes] of [
    [null, PRIVATE],
    ['all', ALL],
  ] as const) {
    const dir = join(folder(t), 'copy');
    const store = openSqliteStore(dir, Date.now(), share);
    await store.setNote('a', 'b');
    for (const end of ['-wal', '-shm']) assert.ok(readdirSync(dir).includes(`crawl.db${end}`));
    assertModes(dir, modes);
    await store.close();
  }
});

test('the state of a watcher is readable only by its user, and its files in the web root by everybody', async (t) => {
  const root = folder(t);
  chmodSync(root, 0o755);
  writeFileSync(join(root, 'index.html'), '<title>Home</title><p>Hello.');
  const state = join(folder(t), 'deep', 'state');
  await run(
    '000',
    'watch',
    '--site',
    `http://site.test=${root}`,
    '--state',
    state,
    '--once',
    '--cpu',
    '1',
    '--first-cpu',
    '1',
  );
  assertModes(state, PRIVATE);
  const written = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'index.html');
  assert.ok(written.length > 0);
  for (const name of written) assert.match(modeOf(join(root, name)), /^(644|755)$/, name);
});
