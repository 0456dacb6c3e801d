/**
 * Opens a SQLite database for reading. In: the path of its file. Out: a read-only connection, and a function that says
 * whether the connection still shows the content of the files.
 *
 * What always holds: reading needs no write access. Reading creates no file in the folder. Everything committed is
 * seen, including what a killed process left in the log.
 *
 * SQLite readers and writers of a log (WAL) coordinate through a file `-shm`. A process that works on the
 * database has that file open, and a reader with read access to it takes part fully. If the file does not exist, no
 * process is working on the database. SQLite would create the file, which needs write access. So the database is read
 * without it, as a snapshot: the files are taken as they are, without locks, and `isCurrent` tells when a process has
 * started to write, so that results are read again.
 */
import { accessSync, type BigIntStats, constants, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

export interface ReadConnection {
  readonly db: DatabaseSync;
  /** False when a process has started to write: the connection may show an older state or a mixture. */
  isCurrent(): boolean;
}

/** How a database is read: together with other processes, or as a snapshot with or without the log. */
type Way = 'shared' | 'file' | 'file and log';

const BUSY_MS = 5_000;
const RETRY_MS = 20;
const MOST_TRIES = 100;

/** `check` throws if the database is not what the caller expects. */
export function connectForReading(path: string, check: (db: DatabaseSync) => void): ReadConnection {
  for (let tries = 1; ; tries++) {
    const before = stateOf(path);
    const isCurrent = before.way === 'shared' ? () => true : () => stateOf(path).text === before.text;
    let db: DatabaseSync | null = null;
    try {
      db = connect(path, before.way);
      check(db);
      if (isCurrent()) return { db, isCurrent };
      db.close();
    } catch (error) {
      db?.close();
      // A process that starts, ends or is killed at this moment changes which files exist.
      // Any other error would only repeat.
      if (tries === MOST_TRIES || (isCurrent() && !isTransient(error))) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
}

/** SQLite's codes for a database whose last writer died or left while it was being opened or read. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  14, // SQLITE_CANTOPEN
  264, // SQLITE_READONLY_RECOVERY
  520, // SQLITE_READONLY_CANTLOCK
  1288, // SQLITE_READONLY_CANTINIT
  1544, // SQLITE_READONLY_DIRECTORY
]);

/** Whether opening the database again can help. */
export function isTransient(error: unknown): boolean {
  const { errcode, cause } = error as { errcode?: number; cause?: unknown };
  return PASSING_CODES.has(errcode) || (cause instanceof Error && isTransient(cause));
}

interface FileState {
  readonly way: Way;
  /** Changes when a file appears, disappears or is written to. */
  readonly text: string;
}

function stateOf(path: string): FileState {
  const [file, log, index] = ['', '-wal', '-shm'].map((end) => statOf(path + end));
  // A process that is killed while it creates the database leaves a rollback journal, which only a writer can resolve.
  const hasJournal = statOf(`${path}-journal`) !== null;
  const text = [file, log].map((stat) => stat && `${stat.ino} ${stat.size} ${stat.mtimeNs}`).join(' | ');
  const way = wayFor(path, log!, index !== null || hasJournal);
  return { way, text: `${way} ${text}` };
}

function wayFor(path: string, log: BigIntStats | null, isShared: boolean): Way {
  // The log is created before its index and removed before it. An empty log adds nothing to the file.
  if (log === null || (log.size === 0n && !isShared)) return 'file';
  if (isShared) return 'shared';
  // A user with write access to the log could also remove it on closing. SQLite's own way is safe for that user.
  return mayAccess(`${path}-wal`, constants.W_OK) ? 'shared' : 'file and log';
}

function connect(path: string, way: Way): DatabaseSync {
  const { href } = pathToFileURL(path);
  const options = { readOnly: true, timeout: BUSY_MS };
  let db: DatabaseSync;
  if (way === 'shared') db = new DatabaseSync(path, options);
  else if (way === 'file') db = new DatabaseSync(`${href}?immutable=1`, options);
  else {
    db = new DatabaseSync(`${href}?vfs=unix-none`, options);
    // SQLite then keeps the index of the log in memory, not in a file.
    db.exec('PRAGMA locking_mode = EXCLUSIVE;');
  }
  // The page cache of the kernel is better than a mapping, and a mapping would count as memory of this process.
  db.exec('PRAGMA mmap_size = 0;');
  return db;
}

/** Null if there is no such file, or it cannot be looked at. */
export function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}

function mayAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
