/**
 * Opening the database of a data folder: the lock that keeps a second writer out, the version check, the migrations, and
 * what a crash left behind.
 *
 * The lock is a transaction on a database file of its own, which the kernel ends with the process however that ends; so no
 * stale lock can ever stand in the way, and readers (`status`, `export`) are not kept out.
 */
import { accessSync, closeSync, constants, existsSync, fdatasync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { OrbweaverError } from '../../core/errors.ts';
import { MIGRATIONS } from './schema.ts';

export const DATABASE_FILE = 'crawl.db';
const LOCK_FILE = 'crawl.lock';
/** SQLite's own cache, in KiB: fixed, so that memory does not grow with what is known. */
const CACHE_KIB = 65_536;

export interface OpenDatabase {
  readonly db: DatabaseSync;
  /** Brings what was committed to the disk, off this thread. */
  sync(): Promise<void>;
  close(): void;
}

export function openForWriting(dir: string): OpenDatabase {
  try {
    makeFolder(resolve(dir));
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new OrbweaverError('ERR_DIR', `cannot use the folder ${dir}: ${(error as Error).message}`, { cause: error });
  }
  const lock = takeLock(dir);
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(join(dir, DATABASE_FILE), false);
    // Before anything else: a database of a newer version is left exactly as it is.
    refuseNewer(db, dir);
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = FILE;
      PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;`);
    migrate(db);
    // The kernel keeps the log through the end of the process; against a loss of power its bytes are synced by a file
    // handle of our own, in the thread pool, because a sync at each commit would hold up the controller for milliseconds.
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

/** SQLite does this for the last who closes, but a reader that is the last cannot; the file alone would not be the copy then. */
function emptyLog(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE);');
  } catch {
    // The disk is full, say. What is in the log is as safe as it was.
  }
}

/** Step by step, because `mkdirSync` with `recursive` never comes back from where folders cannot be made, such as /proc. */
function makeFolder(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  mkdirSync(dir);
}

export function openForReading(dir: string): OpenDatabase {
  const path = join(dir, DATABASE_FILE);
  if (!existsSync(path)) {
    throw new OrbweaverError('ERR_NO_CRAWL', `no crawl in ${dir}; start one with: orbweaver crawl <url> --dir ${dir}`);
  }
  let db: DatabaseSync | null = null;
  try {
    db = openDatabase(path, true);
    refuseNewer(db, dir);
    if (isEmpty(db)) {
      throw new OrbweaverError(
        'ERR_NO_CRAWL',
        `${path} is empty; start a crawl with: orbweaver crawl <url> --dir ${dir}`,
      );
    }
    if (schemaVersion(db) < MIGRATIONS.length) {
      throw new OrbweaverError(
        'ERR_STORE',
        `${dir} has an older layout; run "orbweaver crawl --dir ${dir}" once to bring it up to date`,
      );
    }
    const opened = db;
    return { db: opened, sync: async () => {}, close: () => opened.close() };
  } catch (error) {
    db?.close();
    throw asStoreError(error, dir);
  }
}

function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly, timeout: 5_000 });
  // The page cache of the kernel serves better than a mapping, and a mapping would count as our memory.
  db.exec('PRAGMA mmap_size = 0;');
  return db;
}

function takeLock(dir: string): DatabaseSync {
  let lock: DatabaseSync | null = null;
  try {
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

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined;
}

function schemaVersion(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}

function refuseNewer(db: DatabaseSync, dir: string): void {
  const version = schemaVersion(db);
  if (version <= MIGRATIONS.length) return;
  throw new OrbweaverError(
    'ERR_NEWER_SCHEMA',
    `${dir} has layout ${version}, this version knows up to ${MIGRATIONS.length}; use the newer orbweaver that wrote it`,
  );
}

/** Each migration is a transaction with its version number in it: a crash leaves the one before or the one after. */
function migrate(db: DatabaseSync): void {
  for (let version = schemaVersion(db); version < MIGRATIONS.length; version++) {
    db.exec(`BEGIN IMMEDIATE; ${MIGRATIONS[version]!}; PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}

/** SQLite's codes: no room for the data, no room for the index of its log. */
const FULL_CODES: ReadonlySet<unknown> = new Set([13, 4_874, 'ENOSPC']);

/** What SQLite or the file system reports, as an error that says what to do. */
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
