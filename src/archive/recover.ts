/**
 * The archive brought back to what the store committed. In: the archive folder and the committed length of every file. Out:
 * what was cut, removed or is missing. Always: afterwards no file of ours is longer than its committed length, and no
 * committed byte was touched; running it twice does nothing the second time. It must run before any writer starts.
 */
import { closeSync, fsyncSync, ftruncateSync, openSync, readdirSync, readSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { archiveError } from './archive-error.ts';
import { isArchiveFileName, syncArchiveFolder } from './archive-file.ts';
import { MemberWalk } from './gzip-walk.ts';

export interface ArchiveCut {
  readonly cut: readonly { readonly file: string; readonly fromBytes: number; readonly toBytes: number }[];
  /** Shorter than committed, which only a power loss without `sync` or somebody's hand can do. */
  readonly missing: readonly {
    readonly file: string;
    readonly haveBytes: number;
    readonly committedBytes: number;
    /** Up to here the records are whole: captures behind it must be fetched again. */
    readonly readableToBytes: number;
  }[];
  readonly removed: readonly string[];
}

/** Of several writers in one folder, `isOurs` tells whose files may be touched. */
export function cutArchive(
  dir: string,
  committed: ReadonlyMap<string, number>,
  isOurs: (file: string) => boolean = () => true,
): ArchiveCut {
  const cut: { file: string; fromBytes: number; toBytes: number }[] = [];
  const missing: { file: string; haveBytes: number; committedBytes: number; readableToBytes: number }[] = [];
  const removed: string[] = [];
  const present = archiveFiles(dir).filter(isOurs);
  try {
    for (const file of present) {
      const committedBytes = committed.get(file) ?? 0;
      const path = join(dir, file);
      // Nothing in it was ever committed, so no page is known to be there.
      if (committedBytes === 0) {
        unlinkSync(path);
        removed.push(file);
        continue;
      }
      const haveBytes = statSync(path).size;
      if (haveBytes > committedBytes) {
        truncate(path, committedBytes);
        cut.push({ file, fromBytes: haveBytes, toBytes: committedBytes });
      } else if (haveBytes < committedBytes) {
        missing.push({ file, haveBytes, committedBytes, readableToBytes: readableTo(path) });
      }
    }
  } catch (cause) {
    throw archiveError('cannot bring the archive back to its committed state', cause);
  }
  const found = new Set(present);
  for (const [file, committedBytes] of committed) {
    if (committedBytes > 0 && !found.has(file) && isOurs(file))
      missing.push({ file, haveBytes: 0, committedBytes, readableToBytes: 0 });
  }
  if (cut.length > 0 || removed.length > 0) syncArchiveFolder(dir);
  return { cut, missing, removed };
}

function archiveFiles(dir: string): string[] {
  try {
    return readdirSync(dir).filter(isArchiveFileName).sort();
  } catch (cause) {
    // A crawl that never wrote a page has no folder yet.
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw archiveError('cannot list the archive folder', cause);
  }
}

function truncate(path: string, toBytes: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, toBytes);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function readableTo(path: string): number {
  const fd = openSync(path, 'r');
  try {
    const walk = new MemberWalk();
    for (;;) {
      const result = walk.next();
      if (result.kind === 'member') continue;
      if (result.kind === 'damaged') return walk.offset;
      const { position, bytes } = walk.want;
      const chunk = Buffer.allocUnsafe(bytes);
      const read = readSync(fd, chunk, 0, bytes, position);
      if (read === 0) return walk.offset;
      walk.feed(chunk.subarray(0, read));
    }
  } finally {
    closeSync(fd);
  }
}
