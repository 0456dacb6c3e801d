/**
 * Opens the database of a data folder for writing: takes the lock that keeps a second writer out, checks the version,
 * and runs the migrations. Readers use open-reading.ts.
 *
 * The lock is a transaction on a separate database file. The kernel ends it with the process, however the process ends.
 * So there is no stale lock, and readers (`status`, `export`) are not kept out.
 */
import { accessSync, closeSync, constants, fdatasync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { OrbweaverError } from '../../core/errors.ts';
import { changeMode, FILE_MODES, makeDataFile, makeDataFolder, type Share } from '../../core/file-modes.ts';
import { MIGRATIONS } from './schema.ts';

export const DATABASE_FILE = 'crawl.db';
const LOCK_FILE = 'crawl.lock';
/** SQLite's own cache in KiB. It is fixed, so that memory does not grow with the crawl. */
const CACHE_KIB = 65_536;

export interface OpenDatabase {
  readonly db: DatabaseSync;
  /** Writes committed data to the disk, in another thread. */
  sync(): Promise<void>;
  close(): void;
}

/** `share`: who else may read the folder from now on. Null leaves the modes as they are; a new folder is private. */
export function openForWriting(dir: string, share: Share | null = null): OpenDatabase {
  try {
    makeDataFolder(resolve(dir), share);
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof OrbweaverError) throw error;
    throw new OrbweaverError('ERR_DIR', `cannot use the folder ${dir}: ${(error as Error).message}`, { cause: error });
  }
  const lock = takeLock(dir, share);
  let db: DatabaseSync | null = null;
  try {
    // SQLite gives the log and its index the mode of the database.
    makeDataFile(join(dir, DATABASE_FILE), share);
    if (share !== null)
      for (const end of ['-wal', '-shm']) changeMode(join(dir, DATABASE_FILE + end), FILE_MODES[share]);
    db = openDatabase(join(dir, DATABASE_FILE));
    // Must come first: a database of a newer version is not changed at all.
    refuseNewer(db, dir);
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = FILE;
      PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;`);
    migrate(db);
    // The log survives the end of the process in the kernel. Against a power failure its bytes are
    // synced through a separate file handle in the thread pool, because a sync at each commit
    // would block the controller for milliseconds.
    const log = openSync(join(dir, `${DATABASE_FILE}-wal`), 'r');
    const opened = db;
    return {
      db: opened,
      sync: () => promisify(fdatasync)(log),
      close() {
        try {
          closeSync(log);
        } catch (error) {
          throw asStoreError(error, dir);
        } finally {
          emptyLog(opened);
          opened.close();
          lock.close();
        }
      },
    };
  } catch (error) {
    db?.close();
    lock.close();
    throw asStoreError(error, dir);
  }
}

/**
 * SQLite empties the log when the last connection closes, but a reader cannot do that as the last one. Without this
 * step `crawl.db` alone would then not be the whole database.
 */
function emptyLog(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);');
  } catch {
    // For example, the disk is full. The data in the log is as safe as before.
  }
}

function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 5_000 });
  // The page cache of the kernel is better than a mapping, and a mapping would count as memory of this process.
  db.exec('PRAGMA mmap_size = 0;');
  return db;
}

function takeLock(dir: string, share: Share | null): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
    makeDataFile(join(dir, LOCK_FILE), share);
    lock = new DatabaseSync(join(dir, LOCK_FILE), { timeout: 0 });
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;');
    return lock;
  } catch (error) {
    lock?.close();
    if (!/locked|busy/i.test((error as Error).message)) throw asStoreError(error, dir);
    throw new OrbweaverError(
      'ERR_LOCKED',
      `another process is crawling or refreshing ${dir}; wait for it, or use another --dir`,
    );
  }
}

export function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
}

export function schemaVersion(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}

export function refuseNewer(db: DatabaseSync, dir: string): void {
  const version = schemaVersion(db);
  if (version <= MIGRATIONS.length) return;
  throw new OrbweaverError(
    'ERR_NEWER_SCHEMA',
    `${dir} has layout ${version}, this version knows up to ${MIGRATIONS.length}; use the newer orbweaver that wrote it`,
  );
}

/**
 * Each migration is a transaction that includes its version number: after a crash it has run completely or not at all.
 */
function migrate(db: DatabaseSync): void {
  for (let version = schemaVersion(db); version < MIGRATIONS.length; version++) {
    db.exec(`BEGIN IMMEDIATE; ${MIGRATIONS[version]!}; PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}

/** Runs `work` in one write transaction. An error rolls the transaction back. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has already rolled back after some errors, such as a full disk.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** SQLite's codes for: no space for the data, no space for the index of its log. */
const FULL_CODES: ReadonlySet<unknown> = new Set([13, 4_874, 'ENOSPC']);

/** Converts an error of SQLite or the file system into an error that says what to do. */
export function asStoreError(error: unknown, where: string): OrbweaverError {
  if (error instanceof OrbweaverError) return error;
  const { message, code, errcode } = error as NodeJS.ErrnoException & { errcode?: number };
  if (FULL_CODES.has(errcode) || FULL_CODES.has(code)) {
    return new OrbweaverError(
      'ERR_DISK_FULL',
      `the disk is full (${where}); free some space and run the same command again`,
      { cause: error },
    );
  }
  return new OrbweaverError('ERR_STORE', `the database in ${where} cannot be used: ${message}`, { cause: error });
}
