/**
 * Rebuilds the database from the archive alone, with the real command line. The tests try each way of losing it and
 * compare the result with the lost state, field by field.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
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
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { listen } from '../../src/core/events.ts';
import { startRecovery } from '../../src/recover/recover.ts';
import type { LivingSite } from '../../testbed/web/living-site.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { refreshHere } from '../crawl/refresh/refresh-here.ts';
import { assertSound, dataFolder } from '../crawl/stored-crawl.ts';
import { MAIN } from '../setup/built-program.ts';
import { mountTmpfs } from '../store/mount-tmpfs.ts';
import { change, startChangingSite } from './changing-site.ts';
import { type CopyState, copyState } from './copy-state.ts';
import { filesOf, renameFilesIn } from './folder-files.ts';

const ROUNDS = 3;

let site: LivingSite;
let whole: string;
let original: CopyState;
const cleanUp: (() => unknown)[] = [];
const later = { after: (work: () => unknown) => void cleanUp.push(work) };

before(async () => {
  site = await startChangingSite(later as never);
  whole = dataFolder(later as never);
  const given = { units: 1, depth: 5 };
  await crawlHere(whole, [site.web.url('/')], given);
  for (let round = 1; round <= ROUNDS; round++) {
    change(site, round);
    await refreshHere(whole, given);
  }
  original = await copyState(whole);
});

after(async () => {
  for (const work of cleanUp.reverse()) await work();
});

function copyOf(t: Parameters<typeof dataFolder>[0]): string {
  const dir = dataFolder(t);
  cpSync(whole, dir, { recursive: true });
  return dir;
}

async function recover(dir: string, seeds: readonly string[] = [], given: Record<string, unknown> = {}) {
  const asked = site.requests;
  const sources = [{ from: 'test', given }];
  const summary = await startRecovery({ dir, files: [], seeds, sources, rebuild: false }).summary;
  assert.equal(site.requests, asked, 'nobody was asked');
  return summary;
}

async function assertRestored(dir: string, expected: CopyState = original): Promise<void> {
  const now = await copyState(dir);
  assert.deepEqual([...now.urls.keys()].sort(), [...expected.urls.keys()].sort());
  for (const [url, state] of expected.urls) assert.deepEqual(now.urls.get(url), state, url);
  assert.deepEqual(now.changes.toSorted(), expected.changes.toSorted());
  await assertSound(dir);
}

test('the test site has every finding that leaves a response', () => {
  const kinds = new Set(original.changes.map((line) => line.split(' ')[0]));
  assert.deepEqual([...kinds].sort(), ['changed', 'gone', 'moved', 'new']);
  const states = new Set([...original.urls.values()].map(({ facts }) => facts.state));
  for (const state of ['fetched', 'duplicate', 'redirect', 'failed', 'gone']) assert.ok(states.has(state), state);
  const verdicts = new Set([...original.urls.values()].map(({ facts }) => facts.canonicalVerdict));
  for (const verdict of ['believed', 'target-unlike']) assert.ok(verdicts.has(verdict), verdict);
});

test('without crawl.db, all pages, links, versions and changes are recovered, and no file is touched', async (t) => {
  const dir = copyOf(t);
  rmSync(join(dir, 'crawl.db'));
  const run = await runCli('recover', '--dir', dir, '--json');
  assert.equal(run.exitCode, 0, run.stderr);
  const summary = JSON.parse(run.stdout);
  assert.deepEqual([summary.rebuilt, summary.movedTo, summary.damaged, summary.unreadable], [true, null, 0, 0]);
  await assertRestored(dir);
  assert.deepEqual(filesOf(dir), filesOf(whole));
  assert.ok(!existsSync(join(dir, 'recover.db')), 'the index is gone');

  const again = await recover(dir);
  assert.deepEqual([again.rebuilt, again.added, again.older], [false, 0, 0]);
  await assertRestored(dir);
  assert.deepEqual(again.seeds, [site.web.url('/')]);
  const refreshed = await refreshHere(dir, { units: 1 });
  assert.deepEqual([refreshed.changed, refreshed.new], [0, 0], 'a refresh finds the site as it was left');
});

test('an empty, truncated, invalid or foreign crawl.db is set aside, and everything is recovered', async (t) => {
  const other = dataFolder(t);
  await crawlHere(other, [site.web.url('/p1')], { limit: 3 });
  const cases: readonly ((path: string) => void)[] = [
    (path) => writeFileSync(path, ''),
    (path) => truncateSync(path, 30_000),
    (path) => writeFileSync(path, 'x'.repeat(50_000)),
    (path) => cpSync(join(other, 'crawl.db'), path),
    // Two crawls that begin in the same second give their files the same names.
    (path) => {
      cpSync(join(other, 'crawl.db'), path);
      renameFilesIn(path, [...filesOf(whole).keys()]);
    },
  ];
  for (const spoil of cases) {
    const dir = copyOf(t);
    spoil(join(dir, 'crawl.db'));
    const bytes = readFileSync(join(dir, 'crawl.db')).length;
    const { movedTo, rebuilt } = await recover(dir);
    assert.equal(rebuilt, true);
    assert.equal(readFileSync(movedTo!).length, bytes, 'what was there is kept');
    await assertRestored(dir);
    assert.deepEqual(filesOf(dir), filesOf(whole));
  }
});

test('recovery refuses without an archive, and restores a partial archive, and the rest when it is back', async (t) => {
  const dir = copyOf(t);
  const files = [...filesOf(dir).keys()];
  const away = dataFolder(t);
  for (const file of files) renameSync(join(dir, 'archive', file), join(away, file));
  await assert.rejects(recover(dir), { code: 'ERR_ARCHIVE_MISSING', message: /nothing can be recovered; mount/ });

  // The newest files are missing: this is an older state of the copy.
  for (const file of files.slice(0, 2)) renameSync(join(away, file), join(dir, 'archive', file));
  const part = await recover(dir);
  assert.equal(part.rebuilt, true);
  assert.ok(existsSync(part.movedTo!));
  assert.ok(part.added > 0 && part.added < (await countCaptures(whole)));
  for (const file of files.slice(2)) renameSync(join(away, file), join(dir, 'archive', file));
  const rest = await recover(dir);
  assert.deepEqual([rest.rebuilt, rest.older], [false, 0]);
  assert.equal(part.added + rest.added, await countCaptures(whole));
  await assertRestored(dir);
});

test('if the oldest file comes back last, its responses become history', async (t) => {
  const dir = copyOf(t);
  const files = [...filesOf(dir).keys()];
  const away = dataFolder(t);
  renameSync(join(dir, 'archive', files[0]!), join(away, files[0]!));
  await recover(dir);
  renameSync(join(away, files[0]!), join(dir, 'archive', files[0]!));
  const rest = await recover(dir);
  assert.ok(rest.older > 0 && rest.added > 0);
  const now = await copyState(dir);
  for (const [url, { facts, looks }] of original.urls) {
    const its = now.urls.get(url)!;
    for (const name of ['digest', 'title', 'bytes', 'status'])
      assert.equal(its.facts[name], facts[name], `${name} of ${url}`);
    const told = (all: readonly unknown[]) =>
      (all as { fetchedAtMs: number; digest: string }[]).map((look) => [look.fetchedAtMs, look.digest]);
    assert.deepEqual(told(its.looks), told(looks), url);
  }
  await assertSound(dir);
});

test('recovery works with a read-only archive', async (t) => {
  const dir = copyOf(t);
  rmSync(join(dir, 'crawl.db'));
  const archive = join(dir, 'archive');
  rmSync(archive, { recursive: true });
  mkdirSync(archive);
  const mount = mountTmpfs(archive, 'size=64m');
  if (typeof mount === 'string') return t.skip(mount);
  try {
    cpSync(join(whole, 'archive'), archive, { recursive: true });
    mount.remount('ro');
    await recover(dir);
    await assertRestored(dir);
  } finally {
    mount.unmount();
  }
});

test('a stopped recovery saves its work, a crawl is refused, and the next recovery continues', async (t) => {
  const dir = copyOf(t);
  rmSync(join(dir, 'crawl.db'));
  const running = startRecovery({ dir, files: [], seeds: [], sources: [], rebuild: false });
  const stopAt = listen('recover/progress', ({ step }) => {
    if (step === 'add') running.stop();
  });
  const summary = await running.summary.finally(stopAt);
  assert.equal(summary.ending, 'interrupted');
  await assert.rejects(crawlHere(dir, []), {
    code: 'ERR_ARCHIVE_UNKNOWN',
    message: /the recovery of .* is not finished/,
  });
  const rest = await recover(dir);
  assert.deepEqual([rest.ending, rest.rebuilt], ['done', true]);
  await assertRestored(dir);
});

test('a recovery that is killed again and again continues, and adds nothing twice', async (t) => {
  const dir = copyOf(t);
  rmSync(join(dir, 'crawl.db'));
  for (let kills = 0; kills < 4; kills++) {
    const child = spawn(process.execPath, [MAIN, 'recover', '--dir', dir], { stdio: 'ignore', env: {} });
    const ended = once(child, 'exit');
    await Promise.race([sleep(350 + 60 * kills), ended]);
    child.kill('SIGKILL');
    await ended;
  }
  const last = await recover(dir);
  assert.equal(last.ending, 'done');
  await assertRestored(dir);
  assert.deepEqual(filesOf(dir), filesOf(whole));
});

test('damage in the middle of a file loses only the damaged records', async (t) => {
  const dir = copyOf(t);
  rmSync(join(dir, 'crawl.db'));
  const [first] = [...filesOf(dir).keys()];
  const path = join(dir, 'archive', first!);
  const bytes = readFileSync(path);
  for (let at = 20_000; at < 20_200; at++) bytes[at] = 0x55;
  writeFileSync(path, bytes);
  appendFileSync(path, bytes.subarray(0, 300));
  const { damaged, added } = await recover(dir);
  assert.ok(damaged >= 1);
  assert.ok(added >= (await countCaptures(whole)) - 3, `${added}`);
  assert.deepEqual(readFileSync(path).subarray(0, bytes.length), bytes, 'the file is as it was');
  await assertSound(dir);
});

test('in an archive without crawl ids, seeds are named by the user, or the first page is the seed', async (t) => {
  for (const named of [[], [site.web.url('/')]]) {
    const dir = dataFolder(t);
    mkdirSync(join(dir, 'archive'));
    for (const file of filesOf(whole).keys()) {
      cpSync(join(whole, 'archive', file), join(dir, 'archive', file));
      withoutIdentity(join(dir, 'archive', file));
    }
    const { seeds, seedsGuessed } = await recover(dir, named, { depth: 5 });
    assert.deepEqual([seeds, seedsGuessed], [[site.web.url('/')], named.length === 0]);
    const now = await copyState(dir);
    for (const [url, { facts, looks }] of original.urls) {
      assert.equal(now.urls.get(url)?.facts.digest, facts.digest, url);
      assert.equal(now.urls.get(url)?.looks.length, looks.length, url);
    }
  }
});

test('bad usage and an empty folder are refused with a clear message', async (t) => {
  const dir = dataFolder(t);
  const empty = await runCli('recover', '--dir', dir);
  assert.equal(empty.exitCode, 1);
  assert.match(empty.stderr, /there is nothing to recover in .*ERR_NO_CRAWL/);
  assert.deepEqual(readdirSync(dir), [], 'and leaves nothing behind');
  const noWarc = join(dir, 'notes.txt');
  writeFileSync(noWarc, 'no WARC file');
  const request = { dir: join(dir, 'new'), files: [noWarc], seeds: [], sources: [], rebuild: false };
  await assert.rejects(startRecovery(request).summary, { code: 'ERR_NO_CRAWL' });
  const crawled = await crawlHere(join(dir, 'new'), [site.web.url('/p1')], { limit: 1 });
  assert.equal(crawled.pages, 1, 'a crawl may use the folder');
  const cases: readonly [readonly string[], RegExp][] = [
    [['no-such-file.warc'], /there is no file or folder "no-such-file\.warc"/],
    [['--rebuilt'], /no flag --rebuilt.*--rebuild/],
    [['--store', 'postgres://nobody@127.0.0.1:1/x'], /works only on a data folder/],
  ];
  for (const [words, said] of cases) {
    const run = await runCli('recover', ...words, '--dir', dir);
    assert.equal(run.exitCode, 2, run.stderr);
    assert.match(run.stderr, said);
  }
  const help = await runCli('recover', '--help');
  assert.match(help.stdout, /orbweaver recover --dir imported site\.warc\.gz/);
});

/**
 * Replaces the fields that name the crawl by others of the same length. The gzip members are stored without
 * compression, so the checksum must be updated.
 */
function withoutIdentity(path: string): void {
  const bytes = readFileSync(path);
  const end = bytes.readUInt16LE(11) + 15;
  const text = bytes.toString('latin1', 15, end).replaceAll('orbweaver-', 'elsewhere-');
  bytes.write(text.replace(/WARC-Block-Digest: sha1:/, 'X-AAA-Block-Digest: sha1:'), 15, 'latin1');
  bytes.writeUInt32LE(crc32(bytes.subarray(15, end)), end);
  writeFileSync(path, bytes);
}

async function countCaptures(dir: string): Promise<number> {
  return [...(await copyState(dir)).urls.values()].reduce((sum, { looks }) => sum + looks.length, 0);
}
