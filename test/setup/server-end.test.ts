import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../testbed/measure/process-tree.ts';
import { isAnyoneIn } from './left-behind.ts';
import { noPostgres } from './postgres.ts';

const OWNER = join(import.meta.dirname, 'server-owner.ts');
const RUN = join(import.meta.dirname, '..', 'run.ts');
const POSTGRES = join(import.meta.dirname, 'postgres.ts');
const PATIENCE_MS = 30_000;

/** The facts that `server-owner.ts` prints. */
interface Facts {
  readonly folder: string;
  readonly guardPid?: number;
  readonly serverPid?: number;
  readonly refused?: string;
}

/** Starts the program as from a shell, without any environment of this test run. */
function start(words: readonly string[]): ChildProcess {
  const { NODE_TEST_CONTEXT: _, TEST_POSTGRES_SERVER: __, ...env } = process.env;
  return spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Returns the first line that is JSON. A test runner also writes other lines. */
async function told<T>(child: ChildProcess): Promise<T> {
  for await (const line of createInterface(child.stdout!)) {
    const found = /\{".*\}/.exec(line);
    if (found !== null) return JSON.parse(found[0]) as T;
  }
  throw new Error('it ended without telling');
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < deadlineMs, `not in time: ${what}`);
    await sleep(10);
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(() => resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

function isMounted(folder: string): boolean {
  return readFileSync('/proc/mounts', 'utf8').includes(` ${folder}/`);
}

for (const [how, word, signal] of [
  ['kill -9 of its owner', 'session', 'SIGKILL'],
  ['a Ctrl-C for its owner', 'session', 'SIGINT'],
  ['an owner that just leaves', 'leave', undefined],
  ['kill -9 of its owner with a small disk', 'small-disk', 'SIGKILL'],
  ['kill -9 of its owner while the data is made', 'initdb', 'SIGKILL'],
] as const) {
  test(`${how} leaves neither server nor files`, { skip: noPostgres }, async (t) => {
    const owner = start([OWNER, word]);
    t.after(() => owner.kill('SIGKILL'));
    const exited = once(owner, 'exit');
    const { folder, guardPid, serverPid, refused } = await told<Facts>(owner);
    if (refused !== undefined) return t.skip(refused);
    if (word === 'small-disk') assert.equal(isMounted(folder), true);
    if (signal !== undefined) {
      assert.equal(existsSync(folder), true);
      owner.kill(signal);
    }
    await exited;
    await until('the folder is gone', () => !existsSync(folder));
    assert.equal(isMounted(folder), false);
    await until('nobody works there', () => !isAnyoneIn(folder));
    for (const pid of [guardPid, serverPid]) {
      if (pid !== undefined) await until(`process ${pid} is gone`, () => !isRunning(pid));
    }
  });
}

/** Two files, so that they share a server. Both print its port, and one of them runs the code in `last`. */
function twoTestFiles(t: TestContext, last: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-run-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return ['', last].map((ending, index) => {
    const path = join(folder, `${index}.test.ts`);
    const text = `import { test } from 'node:test';
import postgres from '${import.meta.resolve('postgres')}';
import { testDatabase } from '${POSTGRES}';
test('a database', async (t) => {
  const url = await testDatabase(t);
  console.log(JSON.stringify({ port: Number(new URL(url).port) }));
  ${ending}
});`;
    writeFileSync(path, text);
    return path;
  });
}

for (const [how, last, status] of [
  ['that pass', '', 0],
  ['that fail', `throw new Error('on purpose');`, 1],
] as const) {
  test(`all files of a test run share one server ${how}, and no server is left after it`, {
    skip: noPostgres,
  }, async (t) => {
    const run = start([RUN, ...twoTestFiles(t, last)]);
    t.after(() => run.kill('SIGKILL'));
    let output = '';
    run.stdout!.on('data', (chunk) => {
      output += chunk;
    });
    const [code] = await once(run, 'close');
    assert.equal(code, status, output);
    const ports = [...output.matchAll(/"port":(\d+)/g)].map(([, port]) => Number(port));
    assert.equal(ports.length, 2);
    assert.equal(ports[0], ports[1]);
    assert.equal(await answers(ports[0]!), false);
  });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  test(`${signal} to a test run also ends its server`, { skip: noPostgres }, async (t) => {
    const run = start([RUN, ...twoTestFiles(t, 'await postgres(url, { max: 1 })`select pg_sleep(60)`;')]);
    t.after(() => run.kill('SIGKILL'));
    const exited = once(run, 'exit');
    const { port } = await told<{ port: number }>(run);
    assert.equal(await answers(port), true);
    run.kill(signal);
    await exited;
    await until('the server is gone', async () => !(await answers(port)));
    run.stdout!.destroy();
  });
}
