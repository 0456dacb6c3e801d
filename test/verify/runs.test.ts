/** How `verify` runs: interrupted and resumed, killed, beside a crawl and a retention, and on a read-only folder. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { retain } from '../../src/crawl/retention/retain.ts';
import { verify } from '../../src/library/verify.ts';
import { openSqliteStore, readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { paceOf } from '../../src/verify/file-bytes.ts';
import { verifyArchive } from '../../src/verify/verify.ts';
import { newState, readState, saveState } from '../../src/verify/verify-state.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { VersionedCopy } from '../crawl/retention/rounds-of-versions.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import { MAIN } from '../setup/built-program.ts';
import { NOW_MS } from '../store/rows.ts';
import { damageRecord, recordsOf } from './damages.ts';
import { serveMixedSite } from './mixed-site.ts';

async function versionsIn(t: TestContext, seed: number, bodyBytes = 3_000): Promise<VersionedCopy> {
  const copy = new VersionedCopy(dataFolder(t), 12, new SeededRandom(seed), bodyBytes);
  for (let round = 0; round < 4; round++) await copy.round();
  return copy;
}

function total({ findings }: { readonly findings: Record<string, number> }): number {
  return Object.values(findings).reduce((sum, some) => sum + some, 0);
}

test('a run that is stopped after every record ends with the same counts as an undisturbed run', async (t) => {
  const copy = await versionsIn(t, 21);
  const places = (await recordsOf(copy.archiveDir, copy.files())).filter(({ type }) => type === 'response');
  const random = new SeededRandom(22);
  for (const place of [places[2]!, places.at(-3)!]) damageRecord(copy.archiveDir, place, 'flip-many', random);
  const request = {
    dir: copy.dir,
    archives: [copy.archiveDir],
    clock: { now: Date.now, after: () => () => {} },
    bytesPerSecond: null,
    repair: false,
  };
  const store = readSqliteStore(copy.dir);
  t.after(() => store.close());
  const whole = await verifyArchive({ ...request, store, restart: true, isStopped: () => false });
  assert.ok(total(whole) >= 2);
  let runs = 0;
  for (let restart = true; ; restart = false, runs++) {
    const { resumedFrom, seconds, peakRssMb, first, ...one } = await verifyArchive({
      ...request,
      store,
      restart,
      isStopped: () => true,
    });
    assert.equal(resumedFrom === null, restart);
    if (one.ending === 'interrupted') continue;
    const { resumedFrom: _, seconds: __, peakRssMb: ___, first: ____, ...expected } = whole;
    assert.deepEqual(one, expected);
    break;
  }
  assert.ok(runs > whole.records, `${runs} runs`);
});

/** Runs the command slowly, so that a test can interrupt it in the middle. */
function slowly(dir: string, ...words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, 'verify', '--dir', dir, '--json', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
  });
}

/** Waits until this many bytes are saved as checked. */
async function untilChecked(child: ChildProcess, dir: string, bytes: number): Promise<void> {
  while ((readState(dir)?.counts.bytes ?? 0) < bytes) {
    assert.equal(child.exitCode, null, 'it is still at work');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('Ctrl-C saves and exits with 11, kill -9 loses little progress, and the same command continues', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 12, new SeededRandom(23), 1_500_000);
  for (let round = 0; round < 2; round++) await copy.round();
  const bytes = copy.bytesOnDisk();
  assert.ok(bytes > 8_000_000, String(bytes));
  const first = slowly(copy.dir, '--rate', '1mb');
  await untilChecked(first, copy.dir, 1);
  first.kill('SIGKILL');
  await new Promise((resolve) => first.once('close', resolve));
  const killed = readState(copy.dir)!;
  assert.notEqual(killed.phase, 'done');
  const second = slowly(copy.dir, '--rate', '1mb');
  // The signal handler is installed once the command has checked something.
  await untilChecked(second, copy.dir, killed.counts.bytes + 1);
  second.kill('SIGINT');
  const exitCode = new Promise((resolve) => second.once('close', resolve));
  const interrupted = (await json(second.stdout!)) as { ending: string; resumedFrom: string };
  assert.deepEqual([interrupted.ending, interrupted.resumedFrom], ['interrupted', killed.startedAt]);
  assert.equal(await exitCode, 11);
  const third = await runCli('verify', '--dir', copy.dir, '--rate', 'none', '--json');
  assert.equal(third.exitCode, 0, third.stderr);
  const done = JSON.parse(third.stdout);
  assert.deepEqual([done.ending, done.bytes, done.damaged], ['done', bytes, 0]);
});

test('reading keeps its rate limit, and a pause does not speed it up afterwards', async () => {
  let nowMs = 1_000;
  const waits: number[] = [];
  const after = (ms: number, callback: () => void) => {
    waits.push(ms);
    nowMs += ms;
    callback();
    return () => {};
  };
  const pace = paceOf(1_000_000, { now: () => nowMs, after });
  for (let n = 0; n < 10; n++) await pace(500_000);
  const spentMs = nowMs - 1_000;
  assert.ok(spentMs >= 4_400 && spentMs <= 5_000, `${spentMs} ms for 5 MB at 1 MB/s`);
  nowMs += 60_000;
  const before = waits.length;
  for (let n = 0; n < 3; n++) await pace(500_000);
  assert.ok(waits.length > before, 'after a minute of rest it does not run free for a minute');
});

test('there are no findings beside a running crawl', async (t) => {
  const site = await serveMixedSite(600);
  t.after(() => site.close());
  const dir = dataFolder(t);
  let isOver = false;
  const crawling = crawlHere(dir, [`${site.origin}/`], { archiveFile: '100kb' }).finally(() => {
    isOver = true;
  });
  while (!existsSync(join(dir, 'archive'))) await new Promise((resolve) => setTimeout(resolve, 10));
  let [runs, captures] = [0, 0];
  while (!isOver) {
    const outcome = await verify({ dir, rate: 'none', restart: true });
    assert.deepEqual([total(outcome), outcome.ending], [0, 'done'], JSON.stringify(outcome.first));
    captures = Math.max(captures, outcome.captures);
    runs++;
    // The crawl runs in this thread.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { fetched } = await crawling;
  assert.ok(runs > 0 && captures > 0 && fetched >= 600, `${runs} runs, ${captures} captures seen`);
  assert.equal(total(await verify({ dir, rate: 'none', restart: true })), 0);
});

test('there are no findings beside a retention that drops captures and rewrites files', async (t) => {
  const copy = await versionsIn(t, 25);
  const writing = openSqliteStore(copy.dir, NOW_MS);
  const store = readSqliteStore(copy.dir);
  t.after(() => store.close());
  let step = 0;
  let retained: Promise<unknown> | null = null;
  // While the first file is being checked, retention rewrites all files, including the first.
  const isStopped = (): boolean => {
    if (++step === 5)
      retained = retain(writing, copy.archiveDir, { kind: 'newest', contents: 1 }, copy.nowMs, { neededShare: 1 });
    return false;
  };
  const clock = { now: Date.now, after: () => () => {} };
  // Captures are listed before the retention and read after it.
  const late: typeof store = Object.create(store, {
    captureFacts: {
      value: async (keys: Parameters<typeof store.captureFacts>[0]) => {
        if (step > 5) await retained;
        return store.captureFacts(keys);
      },
    },
  });
  const outcome = await verifyArchive({
    store: late,
    dir: copy.dir,
    archives: [copy.archiveDir],
    clock,
    bytesPerSecond: null,
    repair: false,
    restart: true,
    isStopped,
  });
  assert.deepEqual(outcome.first, []);
  assert.ok(((await retained) as unknown as { files: number }).files > 0, 'files were rewritten');
  await writing.close();
  assert.equal(total(await verify({ dir: copy.dir, rate: 'none', restart: true })), 0);
});

test('a read-only folder is checked, and a message says that the check cannot be continued later', async (t) => {
  const copy = await versionsIn(t, 26);
  const dirs = [copy.dir, copy.archiveDir];
  for (const name of readdirSync(copy.dir)) if (/-(?:wal|shm)$/.test(name)) rmSync(join(copy.dir, name));
  for (const dir of dirs) {
    for (const { name } of readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isFile())) {
      chmodSync(join(dir, name), 0o444);
    }
    chmodSync(dir, 0o555);
  }
  // Root may write everywhere, so the process gives up these rights.
  const program = `if (process.getuid() === 0) { process.setegid(65534); process.seteuid(65534); }
    process.argv.splice(1, 0, 'main.ts');
    await import(${JSON.stringify(MAIN)});`;
  const words = ['verify', '--dir', copy.dir, '--rate', 'none'];
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
  });
  const exitCode = new Promise((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await exitCode;
  for (const dir of dirs) chmodSync(dir, 0o755);
  assert.equal(child.exitCode, 0, stderr);
  assert.match(stdout, /no damage found/);
  assert.match(stdout, /The folder is not writable/);
  assert.deepEqual(readdirSync(copy.dir).sort(), ['archive', 'crawl.db', 'crawl.lock']);
});

test('unknown arguments and bad values are refused', async () => {
  const cases = [
    [['verify', 'http://a.test/'], /orbweaver verify takes only flags; it checks the whole copy/],
    [['verify', '--rate', 'fast'], /--rate needs a size/],
    [['verify', '--dir', join(import.meta.dirname, 'none')], /no crawl in/],
    [['verify', '--repair', '--dir', join(import.meta.dirname, 'none')], /no crawl in/],
  ] as const;
  for (const [words, said] of cases) {
    const { exitCode, stderr } = await runCli(...words);
    assert.match(stderr, said);
    assert.equal(exitCode, /no crawl/.test(stderr) ? 1 : 2, stderr);
  }
  assert.equal(existsSync(join(import.meta.dirname, 'none')), false);
  const message = /^option rate of verify\(\) needs a size/;
  await assert.rejects(verify({ dir: import.meta.dirname, rate: 'fast' }), { code: 'ERR_BAD_OPTION', message });
});

test('the progress is saved in a data folder that does not exist yet, as on a machine that only checks a cluster', (t) => {
  const dir = join(dataFolder(t), 'new');
  assert.equal(saveState(dir, newState(NOW_MS, false), [], NOW_MS), true);
  assert.notEqual(readState(dir), null);
});
