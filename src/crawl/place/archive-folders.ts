/**
 * The folders that may contain archive files. In: the name of a file. Out: its folder, or, if it is in none of them,
 * the machine, folder and worker that have it.
 */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isArchiveFileName } from '../../archive/archive-file.ts';
import type { ArchiveFolder } from '../../archive/warc-reader.ts';
import { putNewest } from '../../core/bounded-map.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { safeText } from '../../core/safe-text.ts';
import type { ArchivePlace, Store } from '../../store/contract.ts';
import { addressParts, RemoteFolder } from '../archives/remote-folder.ts';
import { placeAt, type Where } from './crawl-place.ts';

const MAX_REMEMBERED = 10_000;
/** By database, crawl and file: where it is served. The pages of a file are read one after the other. */
const served = new Map<string, string>();

export class ArchiveFolders {
  readonly #folders: readonly string[];
  readonly #isShared: boolean;
  readonly #secret: string | null;
  readonly #crawl: string;
  /** The last requested file that is in none of the folders, and where it was read instead. */
  #missing: { readonly file: string; readonly address: string | undefined } | null = null;

  constructor(where: Where) {
    const { archives, cluster } = placeAt(where);
    this.#folders = archives;
    this.#isShared = cluster !== null;
    this.#secret = cluster?.archiveToken ?? null;
    this.#crawl = `${cluster?.url} ${cluster?.name}`;
  }

  /** For the readers of the archive, which report a missing file themselves. */
  readonly folderOf = (file: string): ArchiveFolder => {
    const [first] = this.#folders;
    // A crawl on one machine has one folder. Opening the file shows whether it exists.
    if (!this.#isShared) return first!;
    const found = this.folderWith(file);
    if (found !== null) return found;
    const address = this.#secret === null ? undefined : served.get(this.#keyOf(file));
    this.#missing = { file, address };
    return address === undefined ? first! : new RemoteFolder(address, this.#secret!);
  };

  /**
   * Asks the store where the file that could not be read is served. Returns true if this is news: reading it may
   * succeed now.
   */
  async findServer(store: Pick<Store, 'archivePlaces'>): Promise<boolean> {
    if (this.#secret === null || this.#missing === null || !isArchiveFileName(this.#missing.file)) return false;
    const { file, address } = this.#missing;
    const named = (await store.archivePlaces([file])).get(file)?.serves ?? '';
    const serves = addressParts(named) === null ? undefined : named;
    if (serves === undefined) served.delete(this.#keyOf(file));
    else putNewest(served, this.#keyOf(file), serves, MAX_REMEMBERED);
    return serves !== address;
  }

  #keyOf(file: string): string {
    return `${this.#crawl} ${file}`;
  }

  folderWith(file: string): string | null {
    // A name from a database that others can write to may lead out of the folder.
    if (!isArchiveFileName(file)) return null;
    return this.#folders.find((folder) => existsSync(join(folder, file))) ?? null;
  }

  /** Returns a better error if the file is on another machine; null if the error has another cause. */
  async explain(error: unknown, store: Pick<Store, 'archivePlaces'>): Promise<OrbweaverError | null> {
    if (this.#missing === null || !(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') return null;
    const { file } = this.#missing;
    const place = (await store.archivePlaces([file])).get(file);
    return place === undefined
      ? null
      : new OrbweaverError('ERR_ELSEWHERE', elsewhere(file, place, this.#secret !== null), { cause: error });
  }
}

export function elsewhere(file: string, { owner, machine, folder }: ArchivePlace, asks: boolean): string {
  const here = hostname();
  const where = machine === here ? `in ${folder}` : `on ${machine} in ${folder}`;
  const advice =
    machine === here ? `add --archive ${folder}` : 'read it there, or name a folder that has the file: --archive';
  const unserved = asks ? ', and no worker that is alive serves it' : '';
  return safeText(`${file} is ${where}, written by worker ${owner}${unserved}; ${advice}`);
}
