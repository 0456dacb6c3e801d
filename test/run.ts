/** `npm test`: the types, the style, then every test. Extra words are passed on: `npm test -- test/url/*.test.ts`. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/**/*.test.ts').sort();

function run(command: string, words: readonly string[]): void {
  const { status } = spawnSync(command, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (given.length === 0) {
  run('tsc', ['--noEmit']);
  run('biome', ['check', '.']);
}
// Two files at a time, as many as the smallest machine has cores: the tests start servers and crawls of their own.
run(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=300000', ...files]);
