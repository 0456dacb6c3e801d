/** Tests that changes without a description are described later, from the archive, exactly as their visits did it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readDifference } from '../../../src/change/stored-difference.ts';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { resolveRefreshOptions } from '../../../src/core/options/refresh-options.ts';
import { DescriberThread } from '../../../src/crawl/following/describer-thread.ts';
import { placeAt } from '../../../src/crawl/place/crawl-place.ts';
import type { ChangeEntry } from '../../../src/store/contract.ts';
import { openSqliteStore, readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../../src/url/host.ts';
import { urlKeyHex } from '../../../src/url/key.ts';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { MAIN } from '../../setup/built-program.ts';
import { crawlHere } from '../crawl-here.ts';
import { changesIn, refreshHere } from '../refresh/refresh-here.ts';
import { dataFolder } from '../stored-crawl.ts';
import { describeAtVisits, describedCopy, undescribe } from './described-copy.ts';

/** The site goes on while the tests of its copy run. */
const closing: (() => unknown)[] = [];
const shared = { after: (close: () => unknown) => void closing.push(close) };
const described = dataFolder(shared);

before(() => describedCopy(shared, described));
after(async () => {
  for (const close of closing.reverse()) await close();
});

function assertVaried(changes: readonly ChangeEntry[]): void {
  const described = changes.filter(({ change }) => change !== null);
  const kinds = new Set(described.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['changed', 'noise', 'returned']);
  assert.ok(described.length > 25, `${described.length} descriptions`);
  const ofImages = described.filter(({ change }) => readDifference(change!)!.image !== null);
  assert.ok(ofImages.length > 3, `${ofImages.length} images`);
}

test('C12 descriptions made later equal those of the visits, in every run, after a reset and after kill -9', async (t) => {
  const dir = dataFolder(t);
  cpSync(described, dir, { recursive: true });
  const expected = await changesIn(dir);
  assertVaried(expected);

  undescribe(dir);
  const { stdout, exitCode, stderr } = await runCli('follow', '--dir', dir, '--json');
  assert.equal(exitCode, 0, stderr);
  const [report] = JSON.parse(stdout).followers;
  assert.deepEqual(report, { name: 'descriptions', followed: expected.length, isDone: true, failure: null });
  assert.deepEqual(await changesIn(dir), expected);

  // Only a reset looks at old changes again.
  undescribe(dir, 5);
  const idle = await runCli('follow', '--dir', dir);
  assert.match(idle.stdout, /^descriptions: 0 changes followed in [\d.]+ s, up to date\nsearch index: 0 URLs followed/);
  assert.equal((await changesIn(dir)).filter(({ change }) => change !== null).length, countIn(expected.slice(0, 5)));
  for (let kills = 1; kills <= 3; kills++) {
    const child = spawn(process.execPath, [MAIN, 'follow', '--reset', '--dir', dir], { stdio: 'ignore', env: {} });
    const ended = new Promise((resolve) => child.on('close', resolve));
    setTimeout(() => child.kill('SIGKILL'), 150 * kills);
    await ended;
  }
  assert.equal((await runCli('follow', '--reset', '--dir', dir)).exitCode, 0);
  assert.deepEqual(await changesIn(dir), expected);
});

function countIn(changes: readonly ChangeEntry[]): number {
  return changes.filter(({ change }) => change !== null).length;
}

test('a refresh with a listener describes what is missing, and delivers no change without its description', async (t) => {
  const dir = dataFolder(t);
  const lines = join(dir, 'heard.jsonl');
  writeFileSync(lines, '');
  cpSync(described, dir, { recursive: true });
  const expected = await changesIn(dir);
  undescribe(dir);
  // The command is known and has not taken any change.
  const store = openSqliteStore(dir, Date.now());
  const hold = { name: 'delivered/on-change', owner: 'test' };
  await store.holdFollower({ ...hold, version: 1, nowMs: Date.now(), leaseMs: 1_000 });
  await store.moveFollower({ ...hold, position: '{"arrived":0,"until":0}' });
  await store.close();
  await refreshHere(dir, { onChange: `cat >> '${lines}'` });
  const heard = readFileSync(lines, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const wanted = expected.filter(({ kind }) => kind !== 'noise');
  assert.deepEqual(
    heard.map(({ seq, change }) => [seq, change]),
    wanted.map(({ seq, change }) => [seq, change === null ? null : readDifference(change)]),
  );
  assert.deepEqual((await changesIn(dir)).slice(0, expected.length), expected);
});

/** The nice values of the threads of this process. A thread may end while they are read. */
function priorities(): number[] {
  return readdirSync('/proc/self/task').flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17]);
    } catch {
      return [];
    }
  });
}

const needsLinux = process.platform === 'linux' ? false : 'other systems have no priorities of threads';

test('when a run waits for descriptions, a thread of ordinary priority takes over, also in the middle of a change', {
  skip: needsLinux,
}, async (t) => {
  const changes = (await changesIn(described)).filter(({ change }) => change !== null);
  const [first, second] = changes as [ChangeEntry, ChangeEntry];
  const setup = { place: placeAt(described), sizes: resolveOptions([]), refresh: resolveRefreshOptions([]) };
  const describer = new DescriberThread(setup);
  t.after(() => describer.end());
  assert.equal(await describer.describe(first), first.change);
  assert.ok(priorities().includes(19));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const descriptions = [describer.describe(second), describer.describe(first)];
  describer.hurrySoon();
  // The first description has been asked for.
  await new Promise(setImmediate);
  t.mock.timers.tick(1_000);
  t.mock.timers.reset();
  assert.deepEqual(await Promise.all(descriptions), [second.change, first.change]);
  await describer.end();
  assert.ok(!priorities().includes(19), 'the former thread has ended');
});

test('a change whose versions are not in the archive stays without a description, and the next ones get theirs', async (t) => {
  const site = await startLivingSite(t);
  const page = (words: string) => `<title>t</title><p>${words}</p><a href="/b">b</a>`;
  site.set('/', page('one'));
  site.set('/b', page('two'));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  site.set('/', page('three'));
  describeAtVisits(dir);
  await refreshHere(dir);
  site.set('/b', page('four'));
  describeAtVisits(dir);
  await refreshHere(dir);
  const expected = await changesIn(dir);
  assert.equal(expected.length, 2);
  const [first] = expected;
  const store = readSqliteStore(dir);
  const [, before] = await store.capturesOf(hostOf(first!.url), urlKeyHex(first!.url), first!.atMs, 9);
  await store.close();
  undescribe(dir);
  damage(join(dir, 'archive', before!.file), before!.offset);
  assert.equal((await runCli('follow', '--dir', dir)).exitCode, 0);
  assert.deepEqual(
    (await changesIn(dir)).map(({ change }) => change),
    [null, expected[1]!.change],
  );
});

/** Overwrites the beginning of a record. */
function damage(file: string, offset: number): void {
  const bytes = readFileSync(file);
  bytes.fill(0, offset, offset + 40);
  writeFileSync(file, bytes);
}
