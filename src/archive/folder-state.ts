/**
 * The archive folder compared with what the store committed. In: the folder and the committed length of every file.
 * Out: the
 * differences. Always: looking changes nothing, and no function here removes a file. The only write is `cutTail`, which
 * takes
 * back what a crash left behind a committed length. Both run before any writer starts.
 */
import { accessSync, closeSync, constants, fsyncSync, ftruncateSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError } from './archive-error.ts';
import { isArchiveFileName } from './archive-file.ts';
import { scanRecords } from './record-scan.ts';

export interface LongerFile {
  readonly file: string;
  readonly haveBytes: number;
  readonly committedBytes: number;
}

export interface ShorterFile extends LongerFile {
  /** Up to here the records are whole: captures behind it must be fetched again. */
  readonly readableToBytes: number;
}

export interface FolderState {
  readonly longer: readonly LongerFile[];
  /** Only a power loss without `sync`, or somebody's hand, makes a file shorter. */
  readonly shorter: readonly ShorterFile[];
  /** Committed, and not in the folder at all: its disk may just not be mounted. */
  readonly absent: readonly string[];
  /** Archive files by their name that the store knows nothing of. */
  readonly unknown: readonly string[];
}

/** Where several processes write to one folder, `isOurs` says which files are to be compared. */
export function compareFolder(
  dir: string,
  committed: ReadonlyMap<string, number>,
  isOurs: (file: string) => boolean = () => true,
): FolderState {
  const present = archiveFilesIn(dir).filter(isOurs);
  const longer: LongerFile[] = [];
  const shorter: ShorterFile[] = [];
  const unknown: string[] = [];
  for (const file of present) {
    const committedBytes = committed.get(file) ?? 0;
    if (committedBytes === 0) {
      unknown.push(file);
      continue;
    }
    const haveBytes = sizeOf(join(dir, file));
    if (haveBytes > committedBytes) longer.push({ file, haveBytes, committedBytes });
    else if (haveBytes < committedBytes) {
      shorter.push({ file, haveBytes, committedBytes, readableToBytes: readableTo(join(dir, file)) });
    }
  }
  const found = new Set(present);
  const absent = [...committed].filter(([file, bytes]) => bytes > 0 && !found.has(file) && isOurs(file));
  return { longer, shorter, absent: absent.map(([file]) => file), unknown };
}

/** The names of the archive files in a folder, sorted; none where there is no folder. */
export function archiveFilesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter(isArchiveFileName).sort();
  } catch (cause) {
    // A crawl that never wrote a page has no folder yet, and what is no data folder has none inside.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return [];
    throw archiveError('cannot list the archive folder', cause);
  }
}

/** Refuses a folder that cannot be written to, before anything is asked of the web. */
export function refuseReadOnly(dir: string): void {
  try {
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw archiveError(`the archive folder ${dir} cannot be written to; nothing was changed`, cause);
  }
}

/** Takes back what was written behind the committed length. */
export function cutTail(dir: string, { file, committedBytes }: LongerFile): void {
  try {
    const fd = openSync(join(dir, file), 'r+');
    try {
      ftruncateSync(fd, committedBytes);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw archiveError(`cannot take back what a crash left in ${file}`, cause);
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch (cause) {
    throw archiveError(`cannot look at ${path}`, cause);
  }
}

function readableTo(path: string): number {
  let end = 0;
  for (const found of scanRecords(path)) {
    if (found.kind === 'damage') break;
    end = found.record.offset + found.record.length;
  }
  return end;
}
