/** A small file that is replaced in one step: who reads it has the whole of the old or the whole of the new. */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../core/sync-folder.ts';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** On the disk when it resolves. A link at the target is replaced, not followed. */
export async function replaceFile(
  target: string,
  mode: number,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const part = `${target}.part`;
  // What a killed process left.
  await rm(part, { force: true });
  const file = await open(part, NEW_FILE, mode);
  try {
    await write(file);
    await file.chmod(mode);
    await file.sync();
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
  await file.close();
  await rename(part, target);
  await syncFolder(dirname(target));
}
