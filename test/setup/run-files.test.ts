import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../testbed/measure/process-tree.ts';
import { temporaryFolder } from '../store/fresh-store.ts';
import { inOrder, LONG_FILES, WAITING_FILES } from './file-order.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(import.meta.dirname, 'run-files.ts');
const PASSES = `test('passes', () => {}); test('is skipped', { skip: true }, () => {});`;

/** Starts the runner with one test file for each text, without any environment of this test run. */
function start(t: TestContext, ...texts: readonly string[]) {
  const folder = temporaryFolder(t);
  const files = texts.map((text, index) => {
    const path = join(folder, `${index}.test.ts`);
    writeFileSync(path, `import { suite, test } from 'node:test';\n${text}\n`);
    return path;
  });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, [PROGRAM, ...files], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const output = { text: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output.text += piece;
  });
  return { child, output, ended: once(child, 'close') as Promise<[number | null]> };
}

function counts(text: string): Record<string, number> {
  return Object.fromEntries(Array.from(text.matchAll(/^ℹ ([a-z]+) (\d+)$/gm), ([, name, count]) => [name!, +count!]));
}

test('every test file runs once, and every file in the lists exists', () => {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).sort();
  for (const file of [...LONG_FILES, ...WAITING_FILES]) assert.ok(files.includes(file), `${file} does not exist`);
  const { atWork, waiting } = inOrder(files);
  assert.deepEqual([...atWork, ...waiting].sort(), files);
  assert.equal(new Set(waiting).size, WAITING_FILES.length);
});

test('the report counts the tests of all files, and the exit code is 0 if they passed', async (t) => {
  const nested = `suite('outer', () => { test('inner', () => {}); });`;
  const { output, ended } = start(t, PASSES, nested);
  assert.deepEqual(await ended, [0, null], output.text);
  const { tests, suites, pass, fail, skipped } = counts(output.text);
  assert.deepEqual([tests, suites, pass, fail, skipped], [3, 1, 2, 0, 1]);
});

test('a failed test, a file that cannot be loaded and a file that ends early make the exit code 1', async (t) => {
  for (const bad of [
    `test('fails', () => { throw new Error('on purpose'); });`,
    'this is no program',
    'process.exit(3);',
  ]) {
    const { output, ended } = start(t, bad, PASSES);
    assert.deepEqual(await ended, [1, null], output.text);
    const { pass, fail } = counts(output.text);
    assert.deepEqual([pass, fail], [1, 1], output.text);
  }
});

test('a signal ends the files that are running, and the run has failed', async (t) => {
  const pidFile = join(temporaryFolder(t), 'pid');
  const waits = `import { writeFileSync } from 'node:fs';
test('waits', async () => {
  setInterval(() => {}, 1_000);
  writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
  await new Promise(() => {});
});`;
  const { child, output, ended } = start(t, waits, PASSES);
  while (!existsSync(pidFile) || readFileSync(pidFile, 'utf8') === '') await sleep(10);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [1, null], output.text);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  while (isRunning(pid)) await sleep(10);
});
