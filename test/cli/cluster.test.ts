/**
 * Tests a crawl in a database from the command line. The crawl is planned, two workers crawl it, and commands read it
 * on the machine that has the archive and on a machine that does not.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clusterLines, clusterStatus } from '../../src/copy/cluster-status.ts';
import { parseAddress } from '../../src/store/postgres/connection/address.ts';
import { Database } from '../../src/store/postgres/connection/database.ts';
import { slotOf } from '../../src/url/host.ts';
import { startWeb } from '../../testbed/web/local-web.ts';
import { noPostgres, testDatabase } from '../setup/postgres.ts';
import { SITE_PAGES, site } from './setup/cluster-site.ts';
import { type CliRun, runCliIn } from './setup/run-cli.ts';

test('a crawl is planned, crawled by two workers, and read by its name', {
  skip: noPostgres,
  timeout: 120_000,
}, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-cluster-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const url = await testDatabase(t);
  const secret = new URL(url).password;
  const seen: CliRun[] = [];
  const run = async (...words: string[]): Promise<CliRun> => {
    const done = await runCliIn({ ORBWEAVER_STORE: url }, ...words, '--name', 'two-of-us');
    seen.push(done);
    return done;
  };
  const seed = await site(t);
  const planned = await run('crawl', seed, '--plan', '--assign', 'ip');
  assert.match(planned.stdout, /^Planned the crawl "two-of-us" .*: 1 URL of 1 host waiting/);

  const folders = [join(dir, 'blue'), join(dir, 'red')];
  const workers = ['blue', 'red'].map((name, i) =>
    run('work', '--worker', name, '--archive', folders[i]!, '--lease', '3s', '--json'),
  );
  const ends = (await Promise.all(workers)).map(({ exitCode, stdout, stderr }) => {
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout) as { ending: string; fetched: number; pages: number };
  });
  assert.ok(ends.every(({ ending }) => ending === 'done'));
  // The last page links to a page that does not exist.
  assert.equal(
    ends.reduce((sum, { fetched }) => sum + fetched, 0),
    SITE_PAGES + 1,
    'nothing was fetched twice',
  );

  const status = JSON.parse((await run('status', '--json')).stdout);
  assert.deepEqual([status.states.fetched, status.states.waiting], [SITE_PAGES, 0]);
  assert.deepEqual(status.rules, { assign: 'ip' });
  const otherSeed = await run('crawl', 'http://127.0.0.1:9/', '--plan');
  assert.match(otherSeed.stderr, /under this name, .* give another --name for another crawl, .*\[ERR_OTHER_SEEDS\]/);
  assert.deepEqual(status.cluster, { alive: 0, pagesPerSecond: 0, workers: [] });

  const archives = folders.flatMap((folder) => ['--archive', folder]);
  const shown = await run('show', `${seed}3`, ...archives);
  assert.match(shown.stdout, /number 3 says 23757/);
  const elsewhere = await run('show', `${seed}3`, '--dir', join(dir, 'none'));
  assert.match(
    elsewhere.stderr,
    new RegExp(`is in ${dir}/(blue|red), written by worker (blue|red)#\\d+; add --archive .*\\[ERR_ELSEWHERE\\]`),
  );
  const linked = await run('links', `${seed}3`, '--dir', join(dir, 'none'));
  assert.match(linked.stdout, /\/2 {2}"Page 2"\n {4}its text cannot be read here; /);
  assert.match(linked.stdout, new RegExp(`is in ${dir}/(blue|red), written by worker .*; add --archive `));
  assert.doesNotMatch(linked.stdout, /not in the archive/);
  const linkedHere = await run('links', `${seed}3`, ...archives);
  assert.match(linkedHere.stdout, /\/2 {2}"Page 2"\n {4}"on"; /);
  assert.doesNotMatch(linkedHere.stdout, /elsewhere/);
  for (const folder of folders) {
    const name = folder.slice(dir.length + 1);
    const files = readdirSync(folder, { recursive: false }).map(String);
    assert.ok(
      files.every((file) => file.includes(`-${name}.`)),
      files.join(),
    );
  }
  const exported = await run('export', '--format', 'warc', '--output', join(dir, 'all.warc.gz'), ...archives);
  assert.deepEqual([exported.exitCode, exported.stderr], [0, '']);
  const explained = await run('explain', `${seed}3`);
  assert.match(explained.stdout, /The page has the title "Page 3"/);

  const nobody = await run('work', '--drain', '--worker', 'blue');
  assert.match(nobody.stderr, /there is no active worker blue .*; no worker is active \[ERR_NO_WORKER\]/);
  const wrongName = await runCliIn({ ORBWEAVER_STORE: url }, 'status', '--name', 'two-of-use');
  assert.match(wrongName.stderr, /did you mean --name two-of-us\?/);

  for (const { stdout, stderr } of seen) assert.ok(!(stdout + stderr).includes(secret), 'no password in any output');
  const database = new Database(parseAddress(url, {}), '', 0);
  const hosts = await database.all('SELECT host, slot FROM "orbweaver_two-of-us".hosts');
  assert.deepEqual(
    hosts.map(({ slot }) => slot),
    hosts.map(({ host }) => slotOf(new URL(String(host)).hostname)),
    'hosts are assigned by their addresses',
  );
  const notes = await database.all('SELECT value FROM "orbweaver_two-of-us".notes');
  await database.run('UPDATE "orbweaver_two-of-us".layout SET version = 999');
  await database.close();
  for (const words of [['status'], ['work', '--archive', folders[0]!]]) {
    const newer = await run(...words);
    assert.equal(newer.exitCode, 1);
    assert.match(newer.stderr, /^orbweaver: the crawl two-of-us in postgres:.*layout 999.*\[ERR_NEWER_SCHEMA\]\n$/);
  }
  assert.ok(notes.length > 0 && !JSON.stringify(notes).includes(secret), 'the store has no password');
});

test('a worker of a crawl without a page fails and says why, and so does status', { skip: noPostgres }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-cluster-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const env = { ORBWEAVER_STORE: await testDatabase(t) };
  // Nothing listens on the port of a server that has been closed.
  const closed = await startWeb();
  await closed.close();
  const planned = await runCliIn(env, 'crawl', closed.url('/'), '--plan', '--patience', '0s');
  assert.equal(planned.exitCode, 0, 'a plan has not failed');
  const worked = await runCliIn(env, 'work', '--archive', dir, '--lease', '3s');
  assert.equal(worked.exitCode, 1, worked.stderr);
  assert.match(worked.stdout, /^Failed: 0 URLs fetched/);
  assert.match(
    worked.stdout,
    /: the robots\.txt of its host could not be read: .* \[connect-failed\]; next try after /,
  );
  const { stdout } = await runCliIn(env, 'status');
  assert.match(stdout, /unreachable +\S+ \S+ UTC +connect-failed/);
});

test('status shows working, draining and dead workers and their work', () => {
  const news = {
    pages: 1_234,
    pagesPerSecond: 5.25,
    failures: 3,
    rssMb: 150.4,
    liveHosts: 7,
    underWay: 9,
    units: 2,
    window: 64,
  };
  const facts = {
    machine: hostname(),
    pid: 1,
    archiveDir: '/srv/a',
    joinedAtMs: 0,
    isIdle: false,
    isDraining: false,
    hostsWanted: 0,
    lastError: null,
  };
  const worker = (name: string, more: object) => ({
    name,
    owner: `${name}#1`,
    ...news,
    ...facts,
    beatAtMs: 9_500,
    life: 1,
    isAlive: true,
    ...more,
  });
  const status = clusterStatus(
    [
      worker('gone', { isAlive: false, beatAtMs: -110_000 }),
      worker('red', { isDraining: true }),
      worker('white', { isIdle: true, window: 0 }),
      worker('blue', { isIdle: true }),
      worker('green', { lastError: 'the way\x1b[2J is broken', beatAtMs: 7_000 }),
    ],
    10_000,
  );
  assert.deepEqual(
    status.workers.map(({ name, state }) => [name, state]),
    [
      ['blue', 'idle'],
      ['green', 'working'],
      ['red', 'draining'],
      ['white', 'starting'],
      ['gone', 'dead'],
    ],
  );
  assert.deepEqual([status.alive, status.pagesPerSecond], [4, 21.2]);
  assert.deepEqual(
    [status.workers[4]!.pagesPerSecond, status.workers[4]!.hosts, status.workers[4]!.silentSeconds],
    [0, 0, 120],
  );
  const lines = clusterLines(status);
  assert.match(lines[0]!, /^Workers: 4 active, 21 pages\/s; 1 dead\.$/);
  assert.match(
    lines.find((line) => line.includes('green'))!,
    /working .* 1,?234 +5\.3 +150\.0 MB +7 +9 +3 +3 seconds ago/,
  );
  assert.match(lines.find((line) => line.includes('gone'))!, /dead .*2 minutes ago/);
  assert.ok(!lines.join('').includes('\x1b'), 'no escape sequence reaches the terminal');
  assert.deepEqual(clusterLines({ alive: 0, pagesPerSecond: 0, workers: [] }), [
    'No worker is active. To join: orbweaver work',
  ]);
});
