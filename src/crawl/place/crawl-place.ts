/**
 * Where a crawl is: its state in a data folder or in a database shared by many machines, its archive in
 * one or more folders. Readers of a copy get a place, or the path of a data folder, which stands for one.
 * A place can be passed to another thread.
 */
import { join } from 'node:path';
import { ARCHIVE_FOLDER } from './data-folder.ts';

export interface CrawlPlace {
  /** The data folder. For a crawl in a database it may contain only the archive of this machine. */
  readonly dir: string;
  /** Null if the state is in the data folder. */
  readonly cluster: DatabasePlace | null;
  /** Folders that may contain archive files. New files are written to the first one. */
  readonly archives: readonly string[];
}

export interface DatabasePlace {
  /** May contain a password: it is passed to the store and never shown. */
  readonly url: string;
  /** The name of the crawl. */
  readonly name: string;
  /** The secret with which archive files are read from other machines; null: they are not. */
  readonly archiveToken?: string | null;
}

/** A place, or the path of a data folder. */
export type Where = CrawlPlace | string;

export function placeAt(where: Where): CrawlPlace {
  if (typeof where !== 'string') return where;
  return { dir: where, cluster: null, archives: [join(where, ARCHIVE_FOLDER)] };
}
