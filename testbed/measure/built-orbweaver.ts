/**
 * Orbweaver as users install it: built like the published package and like its peers, and started with the flags of its
 * first line. When Node runs the sources, it removes the types in each thread, which costs 8 MB per thread.
 */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from './run-command.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Each process has its own: two test files at once must not build into the same folder. */
const BUILT = join(ROOT, 'bench', 'work', `orbweaver-${process.pid}`);
const ENTRY = join(BUILT, 'main.js');

export async function buildOrbweaver(report: (text: string) => void): Promise<void> {
  report('building Orbweaver');
  process.once('exit', () => rmSync(BUILT, { recursive: true, force: true }));
  const words = [join(ROOT, 'build', 'build-package.ts'), BUILT, '--no-types'];
  await promisify(execFile)(process.execPath, words, { cwd: ROOT });
}

export function orbweaverCommand(args: readonly string[]): Command {
  return { program: process.execPath, args: [...flagsOfEntry(), ENTRY, ...args], cwd: ROOT };
}

/** The system starts an installed command by its first line: `#!/usr/bin/env -S node --flag`. */
function flagsOfEntry(): string[] {
  const [firstLine = ''] = readFileSync(join(ROOT, 'src', 'cli', 'main.ts'), 'utf8').split('\n', 1);
  return firstLine.split(' ').filter((word) => word.startsWith('--'));
}
