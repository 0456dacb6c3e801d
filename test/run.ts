/**
 * `npm test`: installs what the tests need, then checks the types and the style and runs every test. Extra words are
 * passed on: `npm test -- test/url/*.test.ts`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { buildWeb } from '../build/build-web.ts';
import { findPostgres } from '../testbed/servers/postgres-program.ts';
import { buildForAll } from './setup/built-program.ts';
import { setUp } from './setup/set-up.ts';
import { environmentOf, startSharedServer } from './setup/shared-server.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** With more files than this, building the program takes less time than it saves. */
const MANY_FILES = 20;
const NEEDS_SET_UP = /watcher|postgres|web\/views/;

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync('test/**/*.test.ts').sort();

/**
 * Passes signals on to the command, so that its helpers are stopped after it has ended.
 * A second signal ends this process at once.
 */
async function run(command: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<number> {
  const child = spawn(command, words, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of SIGNALS) process.once(signal, passOn);
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  for (const each of SIGNALS) process.off(each, passOn);
  return code ?? 128 + constants.signals[signal!];
}

/**
 * Starts one database server for all test files, because starting one takes longer than most files. A test file that
 * runs alone starts its own server if it needs one.
 */
async function runTests(): Promise<number> {
  const server = files.length > 1 && (await findPostgres()) !== undefined ? await startSharedServer() : undefined;
  const built = files.length > MANY_FILES ? await buildForAll() : undefined;
  // Every test file is a process that loads some hundred modules. With this cache they are compiled once.
  const environment = { NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '.cache', 'compiled') };
  try {
    // Two files at a time, because the smallest machine has two cores and the tests start their own servers and crawls.
    const runner =
      given.length === 0
        ? [join(import.meta.dirname, 'setup', 'run-files.ts')]
        : ['--test', '--test-concurrency=2', '--test-timeout=300000'];
    return await run(process.execPath, [...(built?.flags ?? []), ...runner, ...files], {
      ...environment,
      ...built?.environment,
      ...(server && environmentOf(server)),
    });
  } finally {
    await built?.close();
    await server?.close();
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

if (given.length === 0 || files.some((file) => NEEDS_SET_UP.test(file))) {
  for (const reason of await setUp(say)) say(`Tests that need it are skipped: ${reason}`);
}
// The pages that a server from the sources shows are those of the present sources.
await buildWeb();
const checks =
  given.length === 0
    ? ([
        ['tsc', '--noEmit'],
        ['tsc', '-p', 'src/web'],
        ['biome', 'check', '.'],
      ] as const)
    : [];
const failed = (await Promise.all(checks.map(([command, ...words]) => run(command, words)))).find((code) => code !== 0);
if (failed !== undefined) process.exit(failed);
process.exitCode = await runTests();
