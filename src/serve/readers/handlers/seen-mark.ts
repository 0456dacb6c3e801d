/** The number of the last change that a person has marked as seen, in the file `seen.json` of the data folder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../../../crawl/place/replace-file.ts';

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
  replaceFileSync(dir, SEEN_FILE, JSON.stringify({ seq }));
}
