/**
 * Writes the output of a command: text, one JSON object, or an export to stdout or to a file. The file appears under
 * its name only when it is complete. The reader sets the pace in both cases, so no output piles up in memory.
 */
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { OrbweaverError } from '../core/errors.ts';
import { FILE_MODES } from '../core/file-modes.ts';
import { type OptionSource, resolveTable } from '../core/options/option-table.ts';
import { CRAWL_OPTIONS } from '../core/options/options.ts';
import { safeJson, safeLines } from '../core/safe-text.ts';
import { CRAWL_FLAGS, type FlagTable } from './arguments.ts';

export const OUTPUT_FLAGS: FlagTable = {
  output: { hint: '<file>', help: 'write to this file; it appears when it is complete' },
  share: {
    ...CRAWL_FLAGS.share!,
    help: 'who else on this machine may read the file (default: nobody for a new file)',
  },
  force: { hint: '', help: 'replace the file if it exists' },
};

export type Chunks = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/** Prints text of a command. Text from pages, servers and databases is made safe here. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(`${lines.map(safeLines).join('\n')}\n`);
}

/** Prints the one object of `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(`${safeJson(value)}\n`);
}

/** Writes bytes for other programs. Text for people must be made safe before. */
export async function writeToStdout(chunks: Chunks): Promise<void> {
  for await (const chunk of chunks) {
    // command-line.ts handles a reader that stops early.
    if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
  }
}

/** Called before any work is done, so that a bad path is refused early. */
export function checkOutput(path: string, replace: boolean): void {
  if (path === '') throw new OrbweaverError('ERR_BAD_OPTION', '--output needs the name of a file');
  if (!replace && existsSync(path)) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--output ${path} exists; add --force to replace it`);
  }
}

/**
 * The file gets the mode of the file that it replaces. A new file is readable by
 * the user only. `--share` overrides both.
 */
export async function writeToFile(chunks: Chunks, path: string, sources: readonly OptionSource[]): Promise<void> {
  const { share } = resolveTable({ share: CRAWL_OPTIONS.share }, sources);
  const part = `${path}.${process.pid}.part`;
  const before = statSync(path, { throwIfNoEntry: false });
  const mode = share === null ? (before?.mode ?? FILE_MODES.nobody) & 0o777 : FILE_MODES[share];
  try {
    const file = await open(part, 'wx', FILE_MODES.nobody);
    try {
      // Some file systems have no modes.
      await file.chmod(mode).catch(() => {});
      await file.writeFile(chunks);
      // The name must not appear before the bytes are on the disk, even after a power failure.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') await rm(part, { force: true }).catch(() => {});
    throw asOutputError(error, path);
  }
}

function asOutputError(error: unknown, path: string): unknown {
  if (error instanceof OrbweaverError) return error;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new OrbweaverError('ERR_DISK_FULL', `the disk is full; ${path} was not written`, { cause: error });
  }
  if (WRONG_PLACE.has(code)) {
    return new OrbweaverError('ERR_BAD_OPTION', `--output ${path}: ${message}`, { cause: error });
  }
  if (syscall === undefined) return error;
  return new OrbweaverError('ERR_OUTPUT', `${path} was not written: ${message}`, { cause: error });
}

const WRONG_PLACE: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'EACCES',
  'EPERM',
  'EISDIR',
  'ENOTDIR',
  'EEXIST',
  'EROFS',
  'ENAMETOOLONG',
]);
