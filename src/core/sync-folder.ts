/**
 * Writes the names in a folder to the disk. In: a folder. Out: nothing; afterwards a file that was created, renamed or
 * removed there stays so after a power cut. What always holds: a failing or full disk is an error. Only a system that
 * cannot sync folders at all is not an error, because such a system orders these writes itself.
 */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Windows does not open folders, some file systems do not sync them, and a folder may be writable but not readable. */
const CANNOT_SYNC: ReadonlySet<unknown> = new Set(['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'ENOSYS']);

function ignoreIfImpossible(error: unknown): void {
  if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code)) throw error;
}

export function syncFolderSync(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    ignoreIfImpossible(error);
  }
}

/** The same without blocking the thread. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    ignoreIfImpossible(error);
  }
}
