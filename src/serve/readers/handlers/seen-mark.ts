/** The number of the last change that a person has marked as seen, in the file `seen.json` of the data folder. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILE_MODES } from '../../../core/file-modes.ts';

const SEEN_FILE = 'seen.json';

export function readSeen(dir: string): number {
  try {
    const { seq } = JSON.parse(readFileSync(join(dir, SEEN_FILE), 'utf8')) as { readonly seq: unknown };
    return Number.isSafeInteger(seq) ? (seq as number) : 0;
  } catch {
    return 0;
  }
}

export function writeSeen(dir: string, seq: number): void {
  const path = join(dir, SEEN_FILE);
  writeFileSync(`${path}.new`, JSON.stringify({ seq }), { mode: FILE_MODES.nobody });
  renameSync(`${path}.new`, path);
}
