/**
 * The folders that may contain archive files. In: the name of a file. Out: its folder, or, if it is in none of them,
 * the machine, folder and worker that have it.
 */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isArchiveFileName } from '../../archive/archive-file.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { safeText } from '../../core/safe-text.ts';
import type { ArchivePlace, Store } from '../../store/contract.ts';
import { placeAt, type Where } from './crawl-place.ts';

export class ArchiveFolders {
  readonly #folders: readonly string[];
  readonly #isShared: boolean;
  /** The last requested file that is in none of the folders. */
  #missing: string | null = null;

  constructor(where: Where) {
    const { archives, cluster } = placeAt(where);
    this.#folders = archives;
    this.#isShared = cluster !== null;
  }

  /** For the readers of the archive, which report a missing file themselves. */
  readonly folderOf = (file: string): string => {
    const [first] = this.#folders;
    // A crawl on one machine has one folder. Opening the file shows whether it exists.
    if (!this.#isShared) return first!;
    const found = this.folderWith(file);
    if (found === null) this.#missing = file;
    return found ?? first!;
  };

  folderWith(file: string): string | null {
    // A name from a database that others can write to may lead out of the folder.
    if (!isArchiveFileName(file)) return null;
    return this.#folders.find((folder) => existsSync(join(folder, file))) ?? null;
  }

  /** Returns a better error if the file is on another machine; null if the error has another cause. */
  async explain(error: unknown, store: Pick<Store, 'archivePlaces'>): Promise<OrbweaverError | null> {
    if (this.#missing === null || !(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') return null;
    const file = this.#missing;
    const place = (await store.archivePlaces([file])).get(file);
    return place === undefined ? null : new OrbweaverError('ERR_ELSEWHERE', elsewhere(file, place), { cause: error });
  }
}

export function elsewhere(file: string, { owner, machine, folder }: ArchivePlace): string {
  const here = hostname();
  const where = machine === here ? `in ${folder}` : `on ${machine} in ${folder}`;
  const advice =
    machine === here ? `add --archive ${folder}` : 'read it there, or name a folder that has the file: --archive';
  return safeText(`${file} is ${where}, written by worker ${owner}; ${advice}`);
}
