/** Tests real commands: what they read, where their output goes, and that none of them runs longer than its timeout. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { commandListener } from '../../../src/crawl/delivery/command-listener.ts';
import { DEFAULT_KINDS, type DeliveryFailure } from '../../../src/crawl/delivery/listener.ts';
import { SECRET_VARIABLE } from '../../../src/crawl/delivery/webhook-signature.ts';
import type { ChangeEntry } from '../../../src/store/contract.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';
import { batchOf, NASTY } from './a-batch.ts';
import { change } from './change-store.ts';

const skip = process.platform === 'win32' ? 'the commands here are for a POSIX shell' : false;

interface Ran {
  readonly said: string[];
  readonly failure: DeliveryFailure | null;
}

interface Circumstances {
  readonly entries?: readonly ChangeEntry[];
  readonly clock?: Clock;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly said?: string[];
}

async function run(command: string, circumstances: Circumstances = {}): Promise<Ran> {
  const { entries = [change(1)], clock = systemClock, timeoutMs = 20_000, signal, said = [] } = circumstances;
  const kinds = new Set(DEFAULT_KINDS);
  const listener = commandListener({ command, kinds, timeoutMs, clock, say: (line) => said.push(line) });
  try {
    await listener.deliver(await batchOf(entries), signal ?? new AbortController().signal);
    return { said, failure: null };
  } catch (failure) {
    return { said, failure: failure as DeliveryFailure };
  }
}

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-command-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Whether a process exists. A zombie does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilDead(pid: number): Promise<void> {
  const deadlineMs = Date.now() + 10_000;
  while (isAlive(pid)) {
    assert.ok(Date.now() < deadlineMs, `process ${pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('the command gets the changes as JSON lines on its standard input', { skip }, async (t) => {
  const file = join(folder(t), 'read');
  const entries = [
    change(1, { kind: 'new' }),
    change(2, { kind: 'gone', reason: 'not-found', title: 'Übersicht' }),
    change(3, { change: '{"kinds":["text"],"band":"small","shared":0.9,"wordsAdded":2,"wordsRemoved":1}' }),
  ];
  const { failure } = await run(`cat > '${file}'`, { entries });
  assert.equal(failure, null);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const told = lines.map((line) => JSON.parse(line));
  assert.deepEqual(Object.keys(told[0]), [
    'seq',
    'url',
    'kind',
    'at',
    'title',
    'reason',
    'change',
    'archived',
    'shownOn',
    'edit',
  ]);
  assert.deepEqual(told[1], {
    seq: 2,
    url: 'http://a.test/2',
    kind: 'gone',
    at: '2026-11-15T09:30:02.000Z',
    title: 'Übersicht',
    reason: 'not-found',
    change: null,
    archived: null,
    shownOn: [],
    edit: null,
  });
  assert.deepEqual(told[2].change, {
    kinds: ['text'],
    band: 'small',
    shared: 0.9,
    wordsAdded: 2,
    wordsRemoved: 1,
    levels: [],
    regions: [],
    image: null,
  });
});

test('no text of a page reaches the command line, the environment or the shell', { skip }, async (t) => {
  const dir = folder(t);
  const marker = 'a-title-that-gives-itself-away';
  const entries = [change(1, { title: `${marker} ${NASTY}`, url: 'http://a.test/$(touch%20pwned);touch+pwned' })];
  const command = `cd '${dir}' && cat > read && env > env && tr '\\0' ' ' < /proc/$$/cmdline > words; ls > list`;
  assert.equal((await run(command, { entries })).failure, null);
  for (const name of ['env', 'words']) {
    const text = existsSync(join(dir, name)) ? readFileSync(join(dir, name), 'utf8') : '';
    assert.ok(!text.includes(marker) && !text.includes('a.test'), name);
  }
  assert.ok(!readFileSync(join(dir, 'list'), 'utf8').includes('pwned'));
  const lines = readFileSync(join(dir, 'read'), 'utf8').split('\n');
  assert.equal(lines.length, 2, 'a title cannot begin a line of its own');
  assert.equal(JSON.parse(lines[0]!).title, `${marker} ${NASTY}`.toWellFormed());
});

test('the environment of the command lacks only the secret of the webhook', { skip }, async (t) => {
  process.env[SECRET_VARIABLE] = 'a secret of the test, long enough';
  t.after(() => delete process.env[SECRET_VARIABLE]);
  const { said } = await run(`env | grep -c '^${SECRET_VARIABLE}='; env | grep -c '^PATH='`);
  assert.deepEqual(said, ['on-change: 0', 'on-change: 1']);
});

test('exit code 0 means delivered, even if the command has not read all of its input', { skip }, async () => {
  const entries = Array.from({ length: 500 }, (_, i) => change(i + 1, { title: 'x'.repeat(400) }));
  assert.equal((await run('true', { entries })).failure, null);
  assert.equal((await run('head -c 10 > /dev/null', { entries })).failure, null);
});

test('any other exit is a failure with a reason', { skip }, async () => {
  assert.equal((await run('false')).failure?.message, 'exit code 1');
  assert.equal(
    (await run('echo first >&2; echo no such table >&2; exit 7')).failure?.message,
    'exit code 7, no such table',
  );
  assert.match((await run('no-such-command-anywhere')).failure!.message, /^exit code 127, .*not found/);
  assert.equal((await run('kill -9 $$')).failure?.message, 'it was killed by SIGKILL');
});

test('a command that reads slowly gets everything', { skip }, async () => {
  const entries = Array.from({ length: 1_000 }, (_, i) => change(i + 1, { title: 'x'.repeat(400) }));
  const { said, failure } = await run('sleep 0.2; while read -r line; do :; done; sleep 0.1; echo all read', {
    entries,
  });
  assert.deepEqual([said, failure], [['on-change: all read'], null]);
});

test('the output of the command is shown without control characters, and is limited', {
  skip,
}, async () => {
  const { said } = await run(
    `printf 'red \\033[31m\\007 bell\\r\\n\\n\\342\\200\\256reversed\\n'; printf 'no end' >&2`,
  );
  assert.deepEqual(said.toSorted(), ['on-change: no end', 'on-change: red  [31m  bell', 'on-change: reversed']);
  const big = await run(
    'head -c 20000000 /dev/zero | tr "\\0" x; echo; yes line | head -n 200000; echo last >&2; exit 3',
  );
  assert.equal(big.said.length, 101);
  assert.match(big.said[0]!, /^on-change: x{999}…$/);
  assert.match(big.said.at(-1)!, /^on-change: … and \d+ more lines$/);
  assert.equal(big.failure?.message, 'exit code 3, last', 'read to its end all the same');
});

test('a command that runs too long is killed with all processes that it started', { skip }, async (t) => {
  const dir = folder(t);
  const clock = new ManualClock();
  const said: string[] = [];
  // The shell and its child both ignore SIGTERM.
  const command = `trap '' TERM; (trap '' TERM; sleep 60) & echo $! > '${dir}/child'; echo $$ > '${dir}/shell'; echo up; wait`;
  const ran = run(command, { clock, timeoutMs: 5_000, said });
  const deadlineMs = Date.now() + 20_000;
  while (said.length === 0 && Date.now() < deadlineMs) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(said, ['on-change: up']);
  clock.advance(5_000);
  const pids = ['shell', 'child'].map((name) => Number(readFileSync(join(dir, name), 'utf8')));
  assert.deepEqual(pids.map(isAlive), [true, true], 'asked first, and they refuse');
  clock.advance(2_000);
  assert.equal((await ran).failure?.message, 'it ran longer than 5 s');
  for (const pid of pids) await untilDead(pid);
  assert.equal(clock.pending, 0);
});

test('an interrupted run kills the command and all processes that it started', { skip }, async (t) => {
  const dir = folder(t);
  const abort = new AbortController();
  const said: string[] = [];
  const ran = run(`sleep 60 & echo $! > '${dir}/child'; echo up; wait`, { signal: abort.signal, said });
  while (said.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  abort.abort();
  assert.equal((await ran).failure?.message, 'the run ended before the delivery');
  await untilDead(Number(readFileSync(join(dir, 'child'), 'utf8')));
  const late = await run(`touch '${dir}/late'`, { signal: abort.signal });
  assert.equal(late.failure?.message, 'the run ended before the delivery');
  assert.ok(!existsSync(join(dir, 'late')), 'nothing is started after that');
});

test('a background process of the command neither delays the run nor is killed', { skip }, async (t) => {
  const dir = folder(t);
  const { failure, said } = await run(`sleep 60 & echo $! > '${dir}/child'; echo done`);
  assert.deepEqual([failure, said], [null, ['on-change: done']]);
  const pid = Number(readFileSync(join(dir, 'child'), 'utf8'));
  assert.ok(isAlive(pid));
  process.kill(pid, 'SIGKILL');
});

test('the command does not outlive a run that exits at once', { skip }, async () => {
  const script = join(import.meta.dirname, 'exit-with-command.ts');
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 30_000 });
  assert.equal(status, 11);
  const pid = Number(stdout.trim());
  assert.ok(pid > 1, stdout);
  await untilDead(pid);
});

test('a command that cannot be started is a failure and does not end the run', { skip }, async () => {
  const script = join(import.meta.dirname, 'command-without-files.ts');
  const words = ['-c', 'ulimit -n 100 && exec "$0" "$1"', process.execPath, script];
  const { stdout, stderr, status } = spawnSync('/bin/sh', words, { encoding: 'utf8', timeout: 30_000 });
  assert.equal(stderr, '');
  assert.match(stdout, /^DeliveryFailure: it cannot be started \(.*EMFILE.*\)$/);
  assert.equal(status, 0);
});
