/**
 * Writes small files into a data folder. In: the folder, a name and a text. Out: the file has the whole text, or what
 * it had before. What always holds: whoever may read the database may read the file, whatever the umask is.
 */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { changeMode, FILE_MODES, undoUmask } from '../../core/file-modes.ts';
import { syncFolderSync } from '../../core/sync-folder.ts';
import { DATABASE_FILE } from '../../store/sqlite/open.ts';

const READERS = 0o644;

/** The mode of new files in this folder. */
export function modeIn(dir: string): number {
  const database = statSync(join(dir, DATABASE_FILE), { throwIfNoEntry: false });
  return database === undefined ? FILE_MODES.nobody : database.mode & READERS;
}

/** The file is on the disk when this returns. */
export function replaceFileSync(dir: string, name: string, text: string): void {
  const [path, mode] = [join(dir, name), modeIn(dir)];
  const draft = draftOf(path);
  const fd = openSync(draft, 'w', mode);
  try {
    undoUmask(() => fchmodSync(fd, mode));
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
  syncFolderSync(dir);
}

/** The same without blocking the thread or waiting for the disk. `isWanted` is asked before the file appears. */
export async function replaceFile(dir: string, name: string, text: string, isWanted: () => boolean): Promise<void> {
  const [path, mode] = [join(dir, name), modeIn(dir)];
  const draft = draftOf(path);
  await writeFile(draft, text, { mode });
  undoUmask(() => changeMode(draft, mode));
  if (isWanted()) await rename(draft, path);
  else await rm(draft);
}

function draftOf(path: string): string {
  return `${path}.${process.pid}.new`;
}
