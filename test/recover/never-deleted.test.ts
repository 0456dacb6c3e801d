/**
 * An archive is never deleted because the database does not know it. The tests try each way in which the two can
 * disagree, with the real command line. Every case ends with all archive files unchanged, byte for byte.
 */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrbweaverError } from '../../src/core/errors.ts';
import { startCrawl } from '../../src/crawl/crawl.ts';
import { startRefresh } from '../../src/crawl/refresh.ts';
import { type LocalWeb, startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { exchange, writerIn } from '../archive/exchange.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import { mountTmpfs } from '../store/mount-tmpfs.ts';
import { changedFiles, filesOf, renameFilesIn } from './folder-files.ts';

const PAGES = 40;
let web: LocalWeb;
let whole: string;
const cleanUp: (() => void)[] = [];

before(async () => {
  const pages = site({ pages: PAGES });
  web = await startWeb();
  web.on('/*', (visit) => pages.serve(visit));
  whole = dataFolder({ after: (work) => void cleanUp.push(work as () => void) });
  const { exitCode, stderr } = await runCli('crawl', web.url('/'), '--dir', whole, '--units', '2');
  assert.equal(exitCode, 0, stderr);
});

after(async () => {
  await web.close();
  for (const work of cleanUp) work();
});

/** A copy of the crawl for a test to break. */
function copyOf(t: Parameters<typeof dataFolder>[0]): string {
  const dir = dataFolder(t);
  cpSync(whole, dir, { recursive: true });
  return dir;
}

const requests = () => web.ledger.entries.length;
/** Returns the explanation that both commands give. */
async function refused(dir: string, code: string): Promise<string> {
  const files = filesOf(dir);
  const asked = requests();
  let said = '';
  const runs = {
    crawl: () => startCrawl({ dir, seeds: [web.url('/')], sources: [] }).summary,
    refresh: () => startRefresh({ dir, sources: [] }).summary,
  };
  for (const [name, run] of Object.entries(runs)) {
    await assert.rejects(run(), (error: OrbweaverError) => {
      assert.match(error.code, new RegExp(code), name);
      assert.match(error.message, /orbweaver recover/, name);
      said = error.message;
      return true;
    });
  }
  assert.equal(requests(), asked, 'nobody was asked');
  assert.deepEqual(filesOf(dir), files);
  return said;
}

test('without crawl.db, crawl and refresh refuse and create nothing', async (t) => {
  const dir = copyOf(t);
  rmSync(join(dir, 'crawl.db'));
  const said = await runCli('crawl', web.url('/'), '--dir', dir);
  assert.match(said.stderr, /crawl\.db is missing or empty.*holds 2 archive files with pages.*ERR_ARCHIVE_UNKNOWN/s);
  assert.ok(!readdirSync(dir).includes('crawl.db'));
  assert.deepEqual(changedFiles(dir, filesOf(whole)), []);
  for (const command of ['refresh', 'status']) {
    const run = await runCli(command, '--dir', dir);
    assert.match(run.stderr, /missing or empty.*"orbweaver recover --dir.*ERR_NO_CRAWL/s, command);
    assert.doesNotMatch(run.stderr, /orbweaver crawl/);
  }
});

test('with an empty crawl.db, no command suggests to crawl', async (t) => {
  const dir = copyOf(t);
  writeFileSync(join(dir, 'crawl.db'), '');
  for (const words of [['crawl'], ['refresh'], ['status']]) {
    const run = await runCli(...words, '--dir', dir);
    assert.equal(run.exitCode, 1, words[0]);
    assert.match(run.stderr, /orbweaver recover/, words[0]);
    assert.doesNotMatch(run.stderr, /orbweaver crawl/, words[0]);
  }
  assert.deepEqual(changedFiles(dir, filesOf(whole)), []);
});

test('a truncated crawl.db, or one that is no database, is refused', async (t) => {
  for (const spoil of [
    (path: string) => truncateSync(path, 20_000),
    (path: string) => truncateSync(path, 50),
    (path: string) => writeFileSync(path, 'x'.repeat(100_000)),
  ]) {
    const dir = copyOf(t);
    spoil(join(dir, 'crawl.db'));
    await refused(dir, 'ERR_STORE|ERR_NO_CRAWL|ERR_ARCHIVE_UNKNOWN');
  }
});

test('a crawl.db of another crawl is refused', async (t) => {
  const dir = copyOf(t);
  const other = dataFolder(t);
  const crawled = await runCli('crawl', web.url('/'), '--dir', other, '--limit', '3');
  assert.equal(crawled.exitCode, 0, crawled.stderr);
  cpSync(join(other, 'crawl.db'), join(dir, 'crawl.db'));
  assert.match(await refused(dir, 'ERR_ARCHIVE_MISSING'), /belong to another crawl, so crawl\.db may not belong/);
});

test('a crawl.db of another crawl is refused, also if the files of both have the same names', async (t) => {
  const dir = copyOf(t);
  const other = dataFolder(t);
  const crawled = await runCli('crawl', web.url('/'), '--dir', other, '--limit', '3', '--units', '2');
  assert.equal(crawled.exitCode, 0, crawled.stderr);
  cpSync(join(other, 'crawl.db'), join(dir, 'crawl.db'));
  renameFilesIn(join(dir, 'crawl.db'), [...filesOf(dir).keys()]);
  assert.match(await refused(dir, 'ERR_ARCHIVE_MISSING'), /belong to another crawl, so crawl\.db may not belong/);
});

test('a crawl.db of another crawl without pages is refused', async (t) => {
  const dir = copyOf(t);
  const other = dataFolder(t);
  await runCli('crawl', 'http://127.0.0.1:1/', '--dir', other, '--patience', '1ms');
  cpSync(join(other, 'crawl.db'), join(dir, 'crawl.db'));
  await refused(dir, 'ERR_ARCHIVE_UNKNOWN');
});

test('a missing or incomplete archive is refused until its files are back', async (t) => {
  for (const howMany of [2, 1]) {
    const dir = copyOf(t);
    const away = dataFolder(t);
    for (const file of [...filesOf(dir).keys()].slice(0, howMany)) {
      renameSync(join(dir, 'archive', file), join(away, file));
    }
    assert.match(await refused(dir, 'ERR_ARCHIVE_MISSING'), new RegExp(`${howMany} of the 2 archive files`));
    const status = JSON.parse((await runCli('status', '--dir', dir, '--json')).stdout);
    assert.equal(status.archive.missing, howMany);
    for (const file of readdirSync(away)) renameSync(join(away, file), join(dir, 'archive', file));
    const asked = requests();
    const again = await runCli('crawl', '--dir', dir, '--json');
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(JSON.parse(again.stdout).fetched, 0, 'nothing was forgotten');
    assert.ok(requests() - asked <= 2);
    assert.deepEqual(changedFiles(dir, filesOf(whole)), []);
  }
});

test('if archive files were swapped, nothing is cut or removed', async (t) => {
  const dir = copyOf(t);
  const archive = join(dir, 'archive');
  const [first, second] = readdirSync(archive) as [string, string];
  renameSync(join(archive, first), join(archive, 'aside'));
  renameSync(join(archive, second), join(archive, first));
  renameSync(join(archive, 'aside'), join(archive, second));
  const before = filesOf(dir);
  for (const words of [['crawl'], ['refresh']]) {
    const { exitCode, stderr } = await runCli(...words, '--dir', dir);
    assert.equal(exitCode, 1);
    assert.match(stderr, /exchanged.*\[ERR_ARCHIVE_MISSING\]/);
  }
  assert.deepEqual(changedFiles(dir, before), []);
});

test('a read-only archive folder gives a clear error before the first request', async (t) => {
  const dir = copyOf(t);
  const archive = join(dir, 'archive');
  rmSync(archive, { recursive: true });
  mkdirSync(archive);
  const mount = mountTmpfs(archive, 'size=64m');
  if (typeof mount === 'string') return t.skip(mount);
  try {
    cpSync(join(whole, 'archive'), archive, { recursive: true });
    const files = filesOf(dir);
    mount.remount('ro');
    const asked = requests();
    for (const command of ['crawl', 'refresh']) {
      const run = await runCli(command, '--dir', dir);
      assert.equal(run.exitCode, 1);
      assert.match(run.stderr, /cannot be written to; nothing was changed.*ERR_ARCHIVE/);
    }
    assert.equal(requests(), asked);
    assert.deepEqual(filesOf(dir), files);
  } finally {
    mount.unmount();
  }
});

test('a file that is not in the database is kept, reported in one line, and shown by status', async (t) => {
  const dir = copyOf(t);
  const writer = writerIn(join(dir, 'archive'), { unit: 'lost' });
  writer.append(exchange());
  await writer.close();
  const files = filesOf(dir);
  // The beginning of a file, as a crash leaves it. Nothing can be lost here.
  const torn = 'orbweaver-20260101000000-u9-00001.warc.gz';
  writeFileSync(join(dir, 'archive', torn), readFileSync(join(dir, 'archive', [...files.keys()][0]!)).subarray(0, 900));
  for (let n = 0; n < 2; n++) {
    const run = await runCli('crawl', '--dir', dir);
    assert.equal(run.exitCode, 0, run.stderr);
    const lines = run.stderr.split('\n').filter((line) => line.includes('are not in the database'));
    assert.equal(lines.length, 1, run.stderr);
    assert.match(lines[0]!, /the records in 1 archive file are not in the database; they are kept/);
  }
  assert.deepEqual(filesOf(dir), files, 'and the torn one is gone');
  const status = await runCli('status', '--dir', dir);
  assert.match(status.stdout, /1 archive file holds pages that the database does not know: orbweaver recover/);
});

test('with an older database, bytes after the committed length are kept, unless a crash left them', async (t) => {
  const dir = copyOf(t);
  const [first] = [...filesOf(dir).keys()];
  const elsewhere = dataFolder(t);
  const writer = writerIn(elsewhere);
  for (let n = 0; n < 1_100; n++) writer.append(exchange({ url: `http://127.0.0.1/${n}` }));
  await writer.close();
  const tail = readFileSync(join(elsewhere, [...writer.flush().keys()][0]!));
  appendFileSync(join(dir, 'archive', first!), tail);
  const files = filesOf(dir);
  const run = await runCli('crawl', '--dir', dir);
  assert.equal(run.exitCode, 0, run.stderr);
  assert.match(run.stderr, /the records in the end of 1 file are not in the database; they are kept/);
  assert.deepEqual(filesOf(dir), files);
});
