/** Sets who may read an archive folder and its files. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { changeMode, FILE_MODES, makeDataFolder, type Share } from '../core/file-modes.ts';
import { isArchiveFileName } from './archive-file.ts';

/** Sets the permissions of the folder and of the files in it. Null leaves them unchanged. */
export function shareArchive(dir: string, share: Share | null): void {
  if (share === null) return;
  makeDataFolder(resolve(dir), share);
  for (const name of readdirSync(dir)) if (isArchiveFileName(name)) changeMode(join(dir, name), FILE_MODES[share]);
}
