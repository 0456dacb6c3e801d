/**
 * The files that an import reads: the files that the user named, and all WARC files in the folders that the user named.
 */
import { existsSync, globSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';

const PATTERNS = ['**/*.warc', '**/*.warc.gz', '**/*.warc.zst'];

/** Files of the archive folder itself are left out, because the copy already has them. */
export function warcFiles(words: readonly string[], archiveDir: string): string[] {
  const own = existsSync(archiveDir) ? realpathSync(archiveDir) : null;
  const files = words.flatMap(filesOf).map((path) => realpathSync(path));
  return [...new Set(files)].filter((path) => dirname(path) !== own);
}

function filesOf(word: string): string[] {
  const stats = statSync(word, { throwIfNoEntry: false });
  if (stats === undefined) throw new OrbweaverError('ERR_USAGE', `there is no file or folder "${word}" to import`);
  if (/\.wacz$/i.test(word)) {
    throw new OrbweaverError('ERR_USAGE', `${word} is a ZIP file; unzip it and import its folder "archive"`);
  }
  if (!stats.isDirectory()) return [word];
  const found = globSync(PATTERNS, { cwd: word }).sort();
  if (found.length === 0) {
    throw new OrbweaverError('ERR_USAGE', `the folder ${word} holds no .warc, .warc.gz or .warc.zst file`);
  }
  return found.map((file) => join(word, file));
}
