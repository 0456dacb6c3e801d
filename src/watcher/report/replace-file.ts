/** Replaces a small file in one step. A reader sees either the complete old file or the complete new file. */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../core/sync-folder.ts';
import { unwritable } from '../memory/memory-error.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * The file is on the disk when the promise resolves. A link at the target is replaced, not followed.
 * Throws an error that names the folder when the file system refuses. Readers then see the old file or,
 * if only the last sync failed, the new one.
 */
export async function replaceFile(
  target: string,
  mode: number,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const part = `${target}.part`;
  try {
    // A killed process may have left this file.
    await rm(part, { force: true });
    await writePart(part, mode, write);
    await rename(part, target);
    await syncFolder(dirname(target));
  } catch (cause) {
    await rm(part, { force: true }).catch(() => {});
    throw unwritable(dirname(target), cause);
  }
}

async function writePart(part: string, mode: number, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(part, NEW_FILE, mode);
  try {
    await write(file);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}
