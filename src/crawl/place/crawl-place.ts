/**
 * Where a crawl is: its state in a data folder or in a database that many machines share, its archive in one folder or in several.
 * Whoever reads a copy is given such a place, or the path of a data folder, which is one. It may cross to another thread.
 */
import { join } from 'node:path';
import { ARCHIVE_FOLDER } from './data-folder.ts';

export interface CrawlPlace {
  /** The data folder. Of a crawl in a database there may be nothing in it but the archive of this machine. */
  readonly dir: string;
  /** Null where the state is in the data folder. */
  readonly cluster: DatabasePlace | null;
  /** Folders that archive files may be in; the first is the one to write to. */
  readonly archives: readonly string[];
}

export interface DatabasePlace {
  /** There may be a password in it: it is handed on to the store, and shown to nobody. */
  readonly url: string;
  /** Of the crawl. */
  readonly name: string;
}

/** A place, or the path of a data folder. */
export type Where = CrawlPlace | string;

export function placeAt(where: Where): CrawlPlace {
  if (typeof where !== 'string') return where;
  return { dir: where, cluster: null, archives: [join(where, ARCHIVE_FOLDER)] };
}
