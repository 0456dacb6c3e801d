/** The store of a crawl, wherever it is: for all who only read, and for a run on a data folder. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { Share } from '../core/file-modes.ts';
import type { Cluster } from '../store/cluster.ts';
import type { Store } from '../store/contract.ts';
import { DATABASE_FILE } from '../store/sqlite/open.ts';
import { openSqliteStore, readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { placeAt, type Where } from './crawl-place.ts';

/** With what workers have in common, where the engine can be shared by many. */
export type AnyStore = Store & { readonly cluster?: Cluster };

/** Set while a recovery is under way: what is in the database is only a part of what the archive holds. */
export const RECOVERING_NOTE = 'recovering';

export async function readStoreAt(where: Where): Promise<AnyStore> {
  const { dir, cluster, archives } = placeAt(where);
  // Loaded only here: most crawls are in a folder and need no client of a database.
  if (cluster !== null) return (await import('./cluster-store.ts')).readClusterStore(cluster);
  try {
    return readSqliteStore(dir);
  } catch (error) {
    throw await namingRecover(error, dir, archives[0]!);
  }
}

/** For a crawl or a refresh. Where the database was lost and the archive was not, nothing is created. */
export async function openStoreAt(dir: string, share: Share | null = null): Promise<Store> {
  const archiveDir = placeAt(dir).archives[0]!;
  if (!hasDatabase(dir)) (await import('./mend-archive.ts')).refuseNewDatabase(dir, archiveDir);
  try {
    const store = openSqliteStore(dir, systemClock.now(), share);
    if (!(await store.note(RECOVERING_NOTE))) return store;
    await store.close();
  } catch (error) {
    throw await namingRecover(error, dir, archiveDir);
  }
  throw new OrbweaverError(
    'ERR_ARCHIVE_UNKNOWN',
    `the state in ${dir} is not completely rebuilt yet; run "orbweaver recover --dir ${dir}" again, which goes on where it stopped`,
  );
}

/** The smallest page of SQLite: a shorter file holds nothing, and SQLite would begin a new database in it. */
const SMALLEST_DATABASE_BYTES = 512;

export function hasDatabase(dir: string): boolean {
  return (statSync(join(dir, DATABASE_FILE), { throwIfNoEntry: false })?.size ?? 0) >= SMALLEST_DATABASE_BYTES;
}

/** A database that is lost or damaged is no reason to begin again, where the archive has the pages. */
async function namingRecover(error: unknown, dir: string, archiveDir: string): Promise<unknown> {
  if (!(error instanceof OrbweaverError) || !['ERR_NO_CRAWL', 'ERR_STORE'].includes(error.code)) return error;
  const { archiveFilesIn } = await import('../archive/folder-state.ts');
  const files = archiveFilesIn(archiveDir).length;
  if (files === 0) return error;
  const what = error.code === 'ERR_NO_CRAWL' ? `the database of ${dir} is missing or empty` : error.message;
  const message = `${what}; ${archiveDir} holds ${files} archive files, from which "orbweaver recover --dir ${dir}" rebuilds it`;
  return new OrbweaverError(error.code, message, { cause: error });
}
