/**
 * Opens the database that a recovery writes to. In: a data folder in any state. Out: an open store, whether it is
 * rebuilt from nothing or extended, and the trusted notes of the earlier database about the crawl.
 *
 * What always holds: a database is never deleted. A database that cannot be used, or does not
 * belong to the archive, is renamed.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { timestamp14 } from '../archive/archive-file.ts';
import { compareFolder } from '../archive/folder-state.ts';
import { systemClock } from '../core/clock.ts';
import { OrbweaverError } from '../core/errors.ts';
import { DEMO_NOTE } from '../crawl/earlier-runs.ts';
import { areOfOtherCrawls, crawlIdOf } from '../crawl/mending/crawl-identity.ts';
import { RULES_NOTE } from '../crawl/place/data-folder.ts';
import { hasDatabase, RECOVERING_NOTE } from '../crawl/place/open-store.ts';
import type { RecoverableStore } from '../store/recoverable.ts';
import { DATABASE_FILE } from '../store/sqlite/open.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';

export interface OpenedForRecovery {
  readonly store: RecoverableStore;
  /** True if the state is rebuilt from nothing, or an interrupted rebuild is continued. */
  readonly isRebuilt: boolean;
  /** The new path of the earlier database. Null if there was none or it is still in use. */
  readonly movedTo: string | null;
  /** Notes of the earlier database. */
  readonly notes: ReadonlyMap<string, string>;
}

export interface RecoveryFolder {
  readonly dir: string;
  readonly archiveDir: string;
  /** The crawl ids in the archive files. */
  readonly crawlIds: ReadonlySet<string>;
  /** True if the user wants a full rebuild. */
  readonly isForced: boolean;
}

/** The notes that are kept if the database belongs to the archive. */
const KEPT_NOTES = ['seeds', RULES_NOTE, 'crawl-id', DEMO_NOTE];
const NONE: ReadonlyMap<string, string> = new Map();

export async function openForRecovery(folder: RecoveryFolder): Promise<OpenedForRecovery> {
  const { dir } = folder;
  if (!hasDatabase(dir)) return createNew(dir, moveAside(dir), NONE);
  const store = openIfSound(dir);
  if (store === null) return createNew(dir, moveAside(dir), NONE);
  let notes = NONE;
  try {
    if (!(await isOutdated(store, folder))) {
      const isRebuilt = Boolean(await store.note(RECOVERING_NOTE));
      return { store, isRebuilt, movedTo: null, notes: NONE };
    }
    notes = await notesOf(store, folder);
  } catch (error) {
    await store.close();
    throw error;
  }
  await store.close();
  return createNew(dir, moveAside(dir), notes);
}

/** Returns null if the database is damaged. */
function openIfSound(dir: string): RecoverableStore | null {
  let store: RecoverableStore;
  try {
    store = openSqliteStore(dir, systemClock.now());
  } catch (error) {
    if (error instanceof OrbweaverError && error.code === 'ERR_STORE') return null;
    throw error;
  }
  if (isSound(join(dir, DATABASE_FILE))) return store;
  void store.close();
  return null;
}

function isSound(path: string): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const [row] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
    return row?.quick_check === 'ok';
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** True if the database does not belong to the files that are in the archive folder now. */
async function isOutdated(store: RecoverableStore, folder: RecoveryFolder): Promise<boolean> {
  const { archiveDir, isForced } = folder;
  const committed = new Map([...(await store.archiveFiles())].filter(([, bytes]) => bytes > 0));
  const { absent, unknown } = compareFolder(archiveDir, committed);
  if (absent.length > 0) {
    const hasOthers = unknown.length > 0 || absent.length < committed.size;
    if (hasOthers) return true;
    throw new OrbweaverError(
      'ERR_ARCHIVE_MISSING',
      `none of the ${committed.size} archive files of this crawl is in ${archiveDir}, so nothing can be recovered; mount the ` +
        'disk or move the files back',
    );
  }
  if (await store.note(RECOVERING_NOTE)) return isForced;
  if (isForced || areOfOtherCrawls(archiveDir, committed.keys(), await crawlIdOf(store))) return true;
  return committed.size === 0 && unknown.length > 0 && !(await isOfThisCrawl(store, folder));
}

async function isOfThisCrawl(store: RecoverableStore, { crawlIds }: RecoveryFolder): Promise<boolean> {
  const id = await crawlIdOf(store);
  return id !== null && crawlIds.has(id);
}

async function notesOf(store: RecoverableStore, folder: RecoveryFolder): Promise<ReadonlyMap<string, string>> {
  // Files of old versions have no crawl id and may belong to any crawl. The notes of the
  // database are then the best source.
  if (folder.crawlIds.size > 0 && !(await isOfThisCrawl(store, folder))) return NONE;
  const notes = new Map<string, string>();
  for (const name of KEPT_NOTES) {
    const value = await store.note(name);
    if (value !== null) notes.set(name, value);
  }
  return notes;
}

function createNew(dir: string, movedTo: string | null, notes: ReadonlyMap<string, string>): OpenedForRecovery {
  return { store: openSqliteStore(dir, systemClock.now()), isRebuilt: true, movedTo, notes };
}

/**
 * Renames the database with its log, so that the new database does not use the old log. Returns
 * null if there was no database.
 */
function moveAside(dir: string): string | null {
  const path = join(dir, DATABASE_FILE);
  const parts = ['-wal', '-shm', ''].filter((suffix) => existsSync(path + suffix));
  if (parts.length === 0) return null;
  const stamp = `${path}.before-recover-${timestamp14(systemClock.now())}`;
  let target = stamp;
  for (let n = 2; existsSync(target); n++) target = `${stamp}-${n}`;
  try {
    for (const suffix of parts) renameSync(path + suffix, target + suffix);
  } catch (cause) {
    throw new OrbweaverError('ERR_DIR', `cannot move ${path} aside: ${(cause as Error).message}`, { cause });
  }
  // A log alone is not a database.
  return parts.includes('') ? target : null;
}
