/** Tests the unit that loads its code beside the command. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const SRC = join(import.meta.dirname, '..', '..', '..', 'src');
const run = promisify(execFile);

/** Runs a program that can start units early. Returns the number of threads that it started. */
async function threadsOf(program: string): Promise<number> {
  const words = [
    'let threads = 0; process.on("worker", () => threads++); process.on("exit", () => console.log(threads));',
    `const { startEarlyUnit } = await import(${JSON.stringify(join(SRC, 'crawl', 'crew', 'early-unit.ts'))});`,
    `const { startUnits } = await import(${JSON.stringify(join(SRC, 'crawl', 'run.ts'))});`,
    program,
  ];
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', words.join('\n')]);
  return Number(stdout);
}

test('a run takes the unit that was started early, and starts only the other ones', async () => {
  const ended = 'for (const unit of startUnits(2)) await unit.end();';
  assert.equal(await threadsOf(`startEarlyUnit(); ${ended} ${ended}`), 4);
});

test('a command that fails before its run does not wait for the unit', async () => {
  assert.equal(await threadsOf('startEarlyUnit(); startEarlyUnit();'), 1);
});
