/**
 * `--feed <file>`: the newest changes as a file for feed readers. The file is built from the store each time, so a
 * batch that is delivered twice, a deleted file, or a longer feed than last time needs no special case.
 */

import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FILE_MODES } from '../../core/file-modes.ts';
import { syncFolder } from '../../core/sync-folder.ts';
import { atomFeed } from './atom-feed.ts';
import { DeliveryFailure, type Listener } from './listener.ts';

export interface FeedSettings {
  readonly file: string;
  readonly kinds: Listener['kinds'];
  readonly maxEntries: number;
}

export function feedListener({ file, kinds, maxEntries }: FeedSettings): Listener {
  return {
    name: 'feed',
    kinds,
    // The batch itself is not used. Long batches save writes of the file.
    limits: { maxChanges: 2_000, maxBytes: 10_000_000, gatherMs: 5_000 },
    showsState: true,
    async deliver({ copy, newest }) {
      const text = atomFeed(copy, await newest(maxEntries));
      try {
        await writeWholeFile(file, text);
      } catch (error) {
        throw new DeliveryFailure(fileMessage(error as NodeJS.ErrnoException, file), { cause: error });
      }
    },
  };
}

function fileMessage({ code, message }: NodeJS.ErrnoException, file: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return `the disk is full; ${file} was not written`;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the folder of ${file} does not exist`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `there is no permission to write ${file}`;
  if (code === 'EISDIR') return `${file} is a folder`;
  return `${file} was not written (${code ?? message})`;
}

/** Replaces a file atomically: readers see the old file until the new one is on disk. */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  // A symbolic link stays a link: it may lead here from the folder of a web server.
  const target = await realpath(path).catch(() => path);
  // An unchanged file keeps its modification time, so clients that ask by that time do not download it again.
  if ((await readFile(target, 'utf8').catch(() => null)) === text) return;
  const part = `${target}.part`;
  // A feed is served, usually by a web server that runs as another user. A user who wants another mode changes it once.
  const mode = ((await stat(target).catch(() => null))?.mode ?? FILE_MODES.all) & 0o777;
  // A killed run may have left this file. It is removed and not overwritten: in a folder that
  // others can write to, it could be a link.
  await rm(part, { force: true });
  try {
    await writeNewFile(part, mode, text);
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(target));
}

async function writeNewFile(path: string, mode: number, text: string): Promise<void> {
  await using file = await open(path, 'wx');
  await file.chmod(mode).catch(() => {});
  await file.writeFile(text);
  await file.sync();
}
