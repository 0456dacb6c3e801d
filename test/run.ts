/**
 * `npm test`: what the tests need is installed, then the types, the style and every test. Extra words are passed on:
 * `npm test -- test/url/*.test.ts`.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { setUp } from './setup/set-up.ts';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/**/*.test.ts').sort();

function run(command: string, words: readonly string[]): void {
  const { status } = spawnSync(command, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

if (given.length === 0 || files.some((file) => file.includes('watcher'))) {
  for (const reason of await setUp(say)) say(`Tests that need it are skipped: ${reason}`);
}
if (given.length === 0) {
  run('tsc', ['--noEmit']);
  run('biome', ['check', '.']);
}
// Two files at a time, as many as the smallest machine has cores: the tests start servers and crawls of their own.
run(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=300000', ...files]);
