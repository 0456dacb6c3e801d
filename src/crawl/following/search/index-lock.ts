/**
 * The lock of the index in a data folder: one process writes it at a time. As for the database of the crawl, the lock
 * is a transaction on a file of its own, so the kernel ends it with the process.
 */
import { accessSync, constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OrbweaverError } from '../../../core/errors.ts';
import { makeDataFile, makeDataFolder } from '../../../core/file-modes.ts';

const LOCK_FILE = 'search.lock';

export class IndexLock {
  readonly #dir: string;
  #lock: DatabaseSync | null = null;

  constructor(dir: string) {
    this.#dir = resolve(dir);
  }

  /** Returns false while another process has it. Throws ERR_DIR if the folder cannot be written. */
  take(): boolean {
    if (this.#lock !== null) return true;
    const path = join(this.#dir, LOCK_FILE);
    let lock: DatabaseSync | null = null;
    try {
      // For a crawl in a database the folder may be new.
      makeDataFolder(this.#dir, null);
      makeDataFile(path, null);
      // SQLite would open a file without the right to write for reading, and lock nothing.
      accessSync(this.#dir, constants.W_OK);
      accessSync(path, constants.W_OK);
      lock = new DatabaseSync(path, { timeout: 0 });
      lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE;');
    } catch (error) {
      lock?.close();
      const { message } = error as Error;
      if (/locked|busy/i.test(message)) return false;
      throw new OrbweaverError('ERR_DIR', `cannot write the search index in ${this.#dir}: ${message}`, {
        cause: error,
      });
    }
    this.#lock = lock;
    return true;
  }

  release(): void {
    this.#lock?.close();
    this.#lock = null;
  }
}
