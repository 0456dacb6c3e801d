import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { flagName } from '../../src/core/options/options.ts';
import { WATCH_OPTION_NAMES } from '../../src/watcher/watch-options.ts';
import { runCli } from './setup/run-cli.ts';

test('orbweaver watch --help has every option', async () => {
  const { stdout, exitCode } = await runCli('watch', '--help');
  assert.equal(exitCode, 0);
  for (const name of WATCH_OPTION_NAMES) assert.ok(stdout.includes(`--${flagName(name)}`), name);
  assert.match(stdout, /Usage: orbweaver watch <root> --url <site>/);
  assert.match(stdout, /--print-file/);
});

test('orbweaver watch refuses unknown flags', async () => {
  const misspelt = await runCli('watch', '.', '--url', 'http://a.test/', '--evry', '1s');
  assert.deepEqual([misspelt.exitCode, misspelt.stdout], [2, '']);
  assert.match(misspelt.stderr, /orbweaver watch has no flag --evry; did you mean --every\?/);
});

test('orbweaver watch --once reads a folder and prints its pages as JSON', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'cli-watch-'));
  context.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'index.html'), 'main');
  const state = await mkdtemp(join(tmpdir(), 'cli-watch-state-'));
  context.after(() => rm(state, { recursive: true }));
  const words = ['watch', folder, '--url', 'http://a.test/', '--state', state, '--once', '--json', '--cpu', '100%'];
  const { exitCode, stdout, stderr } = await runCli(...words);
  assert.equal(exitCode, 0, stderr);
  const { listening, sites } = JSON.parse(stdout);
  assert.equal(listening, null);
  assert.deepEqual([sites[0].site, sites[0].pages, sites[0].isComplete], ['http://a.test', 1, true]);
});
