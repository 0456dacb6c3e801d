/** A file that readers see whole or not at all: the old one until the new one is on the disk. */
import { type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { syncFolder } from '../../core/sync-folder.ts';

export async function writeWholeFile(path: string, text: string): Promise<void> {
  // A link stays one: it may lead from the folder of a web server to here.
  const target = await realpath(path).catch(() => path);
  // Whoever asks by time of change is not sent the same file again.
  if ((await readFile(target, 'utf8').catch(() => null)) === text) return;
  const part = `${target}.part`;
  // A feed is made to be served, mostly by a web server that runs as another user. Whoever wants it otherwise changes
  // its mode once.
  const mode = ((await stat(target).catch(() => null))?.mode ?? FILE_MODES.all) & 0o777;
  // Left by a run that was killed. Removed and not written over: in a folder that others can write to it could be a link.
  await rm(part, { force: true });
  try {
    await withFile(part, 'wx', async (file) => {
      await file.chmod(mode).catch(() => {});
      await file.writeFile(text);
      await file.sync();
    });
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(target));
}

async function withFile(path: string, flags: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
