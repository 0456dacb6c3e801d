/**
 * The program that tests start in processes and threads. A whole `npm test` builds it once, because the sources take
 * three times as long to load, and the tests load them more than a thousand times. A test file that runs alone uses the
 * sources.
 */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Not `ORBWEAVER_…`, because the crawler reads these variables as options. */
const VARIABLE = 'TEST_BUILT_PROGRAM';
const ROOT = join(import.meta.dirname, '..', '..');

/** The folder of the built program; undefined if a test file runs alone. */
export const builtFolder: string | undefined = process.env[VARIABLE];

/** The command line. */
export const MAIN = builtFolder === undefined ? join(ROOT, 'src', 'cli', 'main.ts') : join(builtFolder, 'main.js');

/** Flags for processes that run crawls from the sources: their units are built ones. */
export const UNIT_FLAGS: readonly string[] =
  builtFolder === undefined ? [] : ['--import', join(import.meta.dirname, 'built-units.ts')];

export async function build(folder: string): Promise<void> {
  const words = [join(ROOT, 'build', 'build-package.ts'), folder, '--no-types'];
  await promisify(execFile)(process.execPath, words, { cwd: ROOT });
}

/** Builds the program for a whole run. */
export async function buildForAll() {
  const folder = join(ROOT, '.cache', `built-${process.pid}`);
  await build(folder);
  return {
    environment: { [VARIABLE]: folder },
    flags: ['--import', join(import.meta.dirname, 'built-units.ts')],
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
