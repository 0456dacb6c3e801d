/**
 * Compares the archive folder with the lengths that the store committed. In: the folder and the
 * committed length of every file. Out: the differences.
 *
 * What always holds: comparing changes nothing, and no function here removes a file. The only write is `cutTail`, which
 * cuts off the bytes that a crash left after a committed length. Both run before any writer starts.
 */
import { accessSync, closeSync, constants, fsyncSync, ftruncateSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError, tryArchive } from './archive-error.ts';
import { isArchiveFileName } from './archive-file.ts';
import { scanRecords } from './record-scan.ts';

export interface LongerFile {
  readonly file: string;
  readonly haveBytes: number;
  readonly committedBytes: number;
}

export interface ShorterFile extends LongerFile {
  /** The records are complete up to this offset. Captures after it must be fetched again. */
  readonly readableToBytes: number;
}

export interface FolderState {
  readonly longer: readonly LongerFile[];
  /** A file becomes shorter only by a power loss without `sync`, or if somebody changes it. */
  readonly shorter: readonly ShorterFile[];
  /** Files that are committed but not in the folder. Their disk may just not be mounted. */
  readonly absent: readonly string[];
  /** Files that have the name of an archive file but are unknown to the store. */
  readonly unknown: readonly string[];
}

/** If several processes write to one folder, `isOurs` selects the files to compare. */
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

/** The sorted names of the archive files in a folder. Empty if the folder does not exist. */
export function archiveFilesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter(isArchiveFileName).sort();
  } catch (cause) {
    // A crawl that never wrote a page has no folder yet, and a path that is not a data folder has none inside.
    if (['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) return [];
    throw archiveError('cannot list the archive folder', cause);
  }
}

/** Refuses a folder without write permission, before any request is sent. */
export function refuseReadOnly(dir: string): void {
  try {
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw archiveError(`the archive folder ${dir} cannot be written to; nothing was changed`, cause);
  }
}

/** Removes the bytes after the committed length. */
export function cutTail(dir: string, { file, committedBytes }: LongerFile): void {
  tryArchive(`cannot remove the incomplete records that a crash left in ${file}`, () => {
    const fd = openSync(join(dir, file), 'r+');
    try {
      ftruncateSync(fd, committedBytes);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

function sizeOf(path: string): number {
  return tryArchive(`cannot read the size of ${path}`, () => statSync(path).size);
}

function readableTo(path: string): number {
  let end = 0;
  for (const found of scanRecords(path)) {
    if (found.kind === 'damage') break;
    end = found.record.offset + found.record.length;
  }
  return end;
}
