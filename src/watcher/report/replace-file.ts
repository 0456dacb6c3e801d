/** Replaces a small file in one step. A reader sees either the complete old file or the complete new file. */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { syncFolder } from '../../core/sync-folder.ts';
import { unwritable } from '../memory/memory-error.ts';

type Write = (file: FileHandle) => Promise<void>;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/**
 * The file is on the disk when the promise resolves. A link at the target is replaced, not followed.
 * Throws an error that names the folder when the file system refuses. Readers then see the old file or,
 * if only the last sync failed, the new one.
 */
export async function replaceFile(target: string, mode: number, write: Write): Promise<void> {
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

/** Replaces a private file that holds one JSON value. */
export function replaceJson(target: string, value: unknown): Promise<void> {
  return replaceFile(target, FILE_MODES.nobody, (file) => file.writeFile(JSON.stringify(value)));
}

async function writePart(part: string, mode: number, write: Write): Promise<void> {
  const file = await open(part, NEW_FILE, mode);
  try {
    await write(file);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}
