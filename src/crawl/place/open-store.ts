/** Opens the store of a crawl, wherever it is: for readers, and for a run on a data folder. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { Share } from '../../core/file-modes.ts';
import type { Cluster } from '../../store/cluster.ts';
import type { Store } from '../../store/contract.ts';
import { DATABASE_FILE } from '../../store/sqlite/open.ts';
import { openSqliteStore, readSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { placeAt, type Where } from './crawl-place.ts';

/** A store, with its cluster if several workers can share the engine. */
export type AnyStore = Store & { readonly cluster?: Cluster };

/** Set during a recovery: the database contains only a part of the archive. */
export const RECOVERING_NOTE = 'recovering';

export async function readStoreAt(where: Where): Promise<AnyStore> {
  const { dir, cluster, archives } = placeAt(where);
  // Imported only here: most crawls are in a folder and need no database client.
  if (cluster !== null) return (await import('./cluster-store.ts')).readClusterStore(cluster);
  try {
    return readSqliteStore(dir);
  } catch (error) {
    throw await withRecoverHint(error, dir, archives[0]!);
  }
}

/** Opens a crawl for reading, and closes it in any case. */
export async function withStoreAt<T>(where: Where, work: (store: AnyStore) => Promise<T>): Promise<T> {
  const store = await readStoreAt(where);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Opens the store for a crawl or a refresh. If the database was lost and the archive was not, nothing is created. */
export async function openStoreAt(dir: string, share: Share | null = null): Promise<Store> {
  const archiveDir = placeAt(dir).archives[0]!;
  if (!hasDatabase(dir)) await refuseNewDatabase(dir, archiveDir);
  try {
    const store = openSqliteStore(dir, systemClock.now(), share);
    if (!(await store.note(RECOVERING_NOTE))) return store;
    await store.close();
  } catch (error) {
    throw await withRecoverHint(error, dir, archiveDir);
  }
  throw new OrbweaverError(
    'ERR_ARCHIVE_UNKNOWN',
    `the recovery of ${dir} is not finished; run "orbweaver recover --dir ${dir}" again to continue it`,
  );
}

/** The smallest page of SQLite. A shorter file holds nothing, and SQLite would start a new database in it. */
const SMALLEST_DATABASE_BYTES = 512;

export function hasDatabase(dir: string): boolean {
  return (statSync(join(dir, DATABASE_FILE), { throwIfNoEntry: false })?.size ?? 0) >= SMALLEST_DATABASE_BYTES;
}

/** Called before a database is created: a folder whose archive has pages had a database and lost it. */
async function refuseNewDatabase(dir: string, archiveDir: string): Promise<void> {
  const [{ archiveFilesIn }, { countExchanges }] = await Promise.all([
    import('../../archive/folder-state.ts'),
    import('../../archive/record-scan.ts'),
  ]);
  const files = archiveFilesIn(archiveDir).filter((file) => countExchanges(join(archiveDir, file), 0, 1) > 0);
  if (files.length === 0) return;
  throw new OrbweaverError(
    'ERR_ARCHIVE_UNKNOWN',
    `${join(dir, DATABASE_FILE)} is missing or empty, but ${archiveDir} holds ${files.length} archive ` +
      `${files.length === 1 ? 'file' : 'files'} with pages. Nothing was changed. "orbweaver recover --dir ${dir}" rebuilds the ` +
      'database from the archive; to start a new crawl instead, use another --dir',
  );
}

/** Adds a hint to use `orbweaver recover`, if the database is lost or damaged and the archive still has the pages. */
async function withRecoverHint(error: unknown, dir: string, archiveDir: string): Promise<unknown> {
  if (!(error instanceof OrbweaverError) || !['ERR_NO_CRAWL', 'ERR_STORE'].includes(error.code)) return error;
  const { archiveFilesIn } = await import('../../archive/folder-state.ts');
  const files = archiveFilesIn(archiveDir).length;
  if (files === 0) return error;
  const what = error.code === 'ERR_NO_CRAWL' ? `the database of ${dir} is missing or empty` : error.message;
  const message = `${what}; ${archiveDir} holds ${files} archive files, from which "orbweaver recover --dir ${dir}" rebuilds it`;
  return new OrbweaverError(error.code, message, { cause: error });
}
