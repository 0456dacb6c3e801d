/**
 * Tests how commands name a crawl in a database: where a password may be given, where it is never shown,
 * and what the messages say about a server.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { noPostgres, testDatabase } from '../setup/postgres.ts';
import { type CliRun, runCliIn } from './setup/run-cli.ts';

const SECRET = 'hunter2-geheim';
const PAGE = 'http://site.test/';
/** Every command that takes a store. */
const COMMANDS = [
  ['status'],
  ['explain', PAGE],
  ['links', PAGE],
  ['show', PAGE],
  ['history', PAGE],
  ['diff', PAGE],
  ['export', '--format', 'jsonl'],
  ['verify'],
  ['refresh', '--dry-run'],
  ['refresh'],
  ['crawl', PAGE],
  ['crawl', PAGE, '--plan', '--json'],
  ['work'],
  ['work', '--drain', '--json'],
] as const;

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-store-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

function check(run: CliRun, exitCode: number, code: string): void {
  assert.equal(run.exitCode, exitCode, run.stderr);
  assert.match(run.stderr, new RegExp(`^orbweaver: .*\\[${code}\\]\\n$`));
  assert.ok(!(run.stdout + run.stderr).includes(SECRET), 'no output has the password');
}

/** Returns the URL that the user wrote, with another password. */
function wrong(url: string): string {
  return url.replace(/:[^:@/]+@/, `:${SECRET}@`);
}

test('a password on the command line is refused and not repeated', async () => {
  const runs = await Promise.all([
    runCliIn({}, 'status', '--store', `postgres://u:${SECRET}@127.0.0.1:1/d`),
    runCliIn({}, 'work', `--store=postgres://u@127.0.0.1:1/d?password=${SECRET}`),
    runCliIn({}, 'crawl', PAGE, '--store', `postgres://u:a/${SECRET}@127.0.0.1:1/d`),
  ]);
  for (const run of runs) {
    check(run, 2, 'ERR_USAGE');
    assert.match(run.stderr, /PGPASSWORD.*ORBWEAVER_STORE/);
  }
  check(await runCliIn({}, 'crawl', `postgres://u:${SECRET}@127.0.0.1:1/d`), 2, 'ERR_USAGE');
  check(await runCliIn({}, 'status', '--stor', `postgres://u:${SECRET}@h/d`), 2, 'ERR_UNKNOWN_OPTION');
});

test('every command refuses a wrong password from any source in one line without the password', {
  skip: noPostgres,
}, async (t) => {
  const url = await testDatabase(t);
  const plain = url.replace(/:[^:@/]+@/, '@');
  const dir = folder(t);
  const config = join(dir, 'config.yaml');
  writeFileSync(config, `store: ${wrong(url)}\n`);
  for (let at = 0; at < COMMANDS.length; at += 4) {
    const runs = COMMANDS.slice(at, at + 4).map(([command, ...words], i) => {
      const ways: [NodeJS.ProcessEnv, string[]][] = [
        [{ ORBWEAVER_STORE: wrong(url) }, ['--dir', dir]],
        [{ PGPASSWORD: SECRET }, ['--store', plain, '--dir', join(dir, 'none')]],
        [{}, ['--dir', dir]],
        [{}, ['--config', config, '--dir', join(dir, 'none')]],
      ];
      const [env, more] = ways[i]!;
      return runCliIn(env, command!, ...words, ...more);
    });
    for (const run of await Promise.all(runs)) check(run, 1, 'ERR_DENIED');
  }
});

test('an invalid address gets one line without the password', async () => {
  const bad = ['/d?zzz=1', ':x/d', '/d?sslmode=maybe', '/d?connect_timeout=soon', '/%zz', '#', '@h/d', ',,/d'];
  const runs = bad.map((end) => runCliIn({ ORBWEAVER_STORE: `postgres://u:${SECRET}@127.0.0.1${end}` }, 'status'));
  for (const run of await Promise.all(runs)) check(run, 2, 'ERR_BAD_OPTION');
});

test('an absent server and a server that is not PostgreSQL get one line after a few seconds', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const url = `postgres://u:${SECRET}@127.0.0.1:`;
  const [dead, other] = await Promise.all([
    runCliIn({ ORBWEAVER_STORE: `${url}1/d` }, 'crawl', PAGE),
    runCliIn({ ORBWEAVER_STORE: `${url}${port}/d` }, 'status'),
  ]);
  check(dead!, 1, 'ERR_UNREACHABLE');
  assert.match(dead!.stderr, /ECONNREFUSED.*is PostgreSQL running there\?/);
  check(other!, 1, 'ERR_UNREACHABLE');
  assert.match(other!.stderr, /is no PostgreSQL; is the port right\?/);
});

test('a missing crawl is reported and not created', { skip: noPostgres }, async (t) => {
  const env = { ORBWEAVER_STORE: await testDatabase(t) };
  const dir = folder(t);
  const names = [['status'], ['work'], ['crawl'], ['export']] as const;
  const runs = names.map(([command]) => runCliIn(env, command, '--dir', dir, '--name', 'news'));
  for (const run of await Promise.all(runs)) {
    assert.equal(run.exitCode, 1, run.stderr);
    assert.match(run.stderr, /has no crawl yet; begin one.*\[ERR_NO_CRAWL\]/);
  }
});

test('cluster flags without --store and invalid names are refused', async () => {
  const [lonely, plan, name, worker, lease, url, work] = await Promise.all([
    runCliIn({}, 'status', '--name', 'news'),
    runCliIn({}, 'crawl', PAGE, '--plan'),
    runCliIn({}, 'status', '--store', 'postgres://u@h/d', '--name', 'No Such'),
    runCliIn({}, 'work', '--store', 'postgres://u@h/d', '--worker', '../x'),
    runCliIn({}, 'work', '--store', 'postgres://u@h/d', '--lease', '10ms'),
    runCliIn({}, 'status', '--store', 'mysql://u@h/d'),
    runCliIn({}, 'work'),
  ]);
  check(lonely!, 2, 'ERR_USAGE');
  assert.match(lonely!.stderr, /--name is only for a crawl in a database; add --store/);
  check(plan!, 2, 'ERR_USAGE');
  check(name!, 2, 'ERR_BAD_OPTION');
  assert.match(name!.stderr, /lower-case letters, digits, _ and -/);
  check(worker!, 2, 'ERR_BAD_OPTION');
  check(lease!, 2, 'ERR_BAD_OPTION');
  check(url!, 2, 'ERR_BAD_OPTION');
  check(work!, 2, 'ERR_USAGE');
  assert.match(work!.stderr, /--store postgres:\/\//);
});

test('orbweaver work --help has all flags and examples', async () => {
  const { exitCode, stdout } = await runCliIn({}, 'work', '--help');
  assert.equal(exitCode, 0);
  for (const word of ['--store', '--name', '--archive', '--worker', '--lease', '--stay', '--drain', 'Examples:']) {
    assert.ok(stdout.includes(word), word);
  }
});
