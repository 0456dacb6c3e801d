/**
 * `--feed <file>`: the newest changes as a file that feed readers take. It is built from the store each time, so that a batch
 * that is delivered twice, a file that was deleted and a longer feed than last time need no care.
 */
import { atomFeed } from './atom-feed.ts';
import { DeliveryFailure, type Listener } from './listener.ts';
import { writeWholeFile } from './write-whole-file.ts';

export interface FeedSettings {
  readonly file: string;
  readonly kinds: Listener['kinds'];
  readonly maxEntries: number;
}

export function feedListener({ file, kinds, maxEntries }: FeedSettings): Listener {
  return {
    name: 'feed',
    kinds,
    // The batch itself is not looked at: long ones save writing the file.
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
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return `${file} may not be written`;
  if (code === 'EISDIR') return `${file} is a folder`;
  return `${file} was not written (${code ?? message})`;
}
