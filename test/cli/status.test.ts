import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { runCli } from './setup/run-cli.ts';
import { makeSmallCrawl, NOW_MS, removeCrawl, SEED, type SmallCrawl } from './setup/small-crawl.ts';

let crawl: SmallCrawl;
before(async () => {
  crawl = await makeSmallCrawl();
});
after(() => removeCrawl(crawl));

test('status --json prints one object with the documented keys', async () => {
  const { exitCode, stdout, stderr } = await runCli('status', '--dir', crawl.dir, '--json');
  assert.equal(stderr, '');
  assert.equal(exitCode, 0);
  const status = JSON.parse(stdout);
  assert.deepEqual(Object.keys(status), [
    'states',
    'reasons',
    'hosts',
    'bytes',
    'archive',
    'seeds',
    'rules',
    'secrets',
    'topic',
    'guesses',
    'mirrors',
    'lastLookAt',
    'changes',
    'sources',
    'watchers',
    'noise',
    'cluster',
    'verify',
    'retrying',
    'retryReasons',
    'search',
  ]);
  assert.deepEqual(status.states, {
    waiting: 7,
    fetched: 2,
    duplicate: 2,
    redirect: 2,
    failed: 1,
    skipped: 2,
    gone: 0,
  });
  assert.deepEqual([status.retrying, status.retryReasons], [1, { 'server-error': 1 }]);
  assert.equal(status.reasons.gone, 1);
  assert.equal(status.reasons['robots-disallowed'], 1);
  assert.equal(status.reasons['duplicate-content'], 1);
  assert.deepEqual([status.lastLookAt, status.changes, status.sources], [null, 0, []]);
  assert.deepEqual(status.seeds, [SEED]);
  assert.deepEqual(status.archive, { files: 1, bytes: crawl.committedBytes });
  assert.equal(status.bytes, 'front'.length + 2 * 'the same'.length + 'a copy'.length);
});

test('hosts are sorted by waiting URLs and have their delay and robots.txt', async () => {
  const { stdout } = await runCli('status', '--dir', crawl.dir, '--json');
  const [other, site] = JSON.parse(stdout).hosts;
  assert.deepEqual(other, {
    host: 'http://other.test',
    pages: 0,
    waiting: 4,
    failed: 0,
    delayMs: 2_500,
    blockedUntil: '2999-01-01T00:00:00.000Z',
    robots: 'not-asked',
    trouble: null,
  });
  assert.equal(site.waiting, 3);
  assert.equal(site.robots, 'rules');
  assert.equal(site.blockedUntil, null);
});

test('the text has states, reasons with their meaning, and the wanted number of hosts', async () => {
  const { stdout, exitCode } = await runCli('status', '--dir', crawl.dir, '--hosts', '1');
  assert.equal(exitCode, 0);
  assert.match(stdout, /knows 16 URLs of 2 hosts/);
  assert.match(stdout, /waiting +7\n/);
  assert.match(stdout, /gone +1 +the server says 410\n/);
  assert.match(stdout, /http:\/\/other\.test +0 +4 +0 +2500 ms +not-asked +2999-01-01 00:00:00 UTC\n/);
  assert.doesNotMatch(stdout, /http:\/\/site\.test +/);
  assert.match(stdout, /and 1 more host \(/);
});

test('status works while a crawl has locked the folder', async () => {
  const writer = openSqliteStore(crawl.dir, NOW_MS);
  try {
    assert.equal((await runCli('status', '--dir', crawl.dir)).exitCode, 0);
  } finally {
    await writer.close();
  }
});

test('bad usage and a folder without a crawl have different exit codes', async () => {
  const [noCrawl, badNumber, extraWord] = await Promise.all([
    runCli('status', '--dir', '/nonexistent-folder'),
    runCli('status', '--dir', crawl.dir, '--hosts', 'many'),
    runCli('status', SEED),
  ]);
  assert.equal(noCrawl.exitCode, 1);
  assert.match(noCrawl.stderr, /\[ERR_NO_CRAWL\]/);
  assert.equal(badNumber.exitCode, 2);
  assert.match(badNumber.stderr, /--hosts needs a whole number.*\[ERR_BAD_OPTION\]/);
  assert.equal(extraWord.exitCode, 2);
  assert.match(extraWord.stderr, /\[ERR_USAGE\]/);
});
