/**
 * What `status` shows about the index, and the pages that could not be read. In: facts after each batch. Out: the same,
 * for other processes. It is a database of its own, because the index knows only pages that are in it.
 *
 * What always holds: a page that could not be read is noted before the position of the index passes it. It is tried
 * again when it changes, and by `orbweaver index`.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDataFile } from '../../../core/file-modes.ts';

const NOTES_FILE = 'search-notes.db';
const NOTES_FILES = [NOTES_FILE, `${NOTES_FILE}-journal`];
const VERSION = 1;
/** Files that `status` names. */
const MAX_FILES = 5;

/** Why a page is not in the index. `too-heavy`: it ended the thread twice. */
export type UnreadCause = 'archive' | 'elsewhere' | 'too-heavy' | 'failed';

export interface UnreadPage {
  readonly urlId: number;
  readonly url: string;
  readonly cause: UnreadCause;
  /** The archive file; '' if no capture is known. */
  readonly file: string;
  readonly problem: string;
}

export interface IndexState {
  /** The crawl that the index belongs to. */
  readonly indexId: string;
  /** Null at the beginning. */
  readonly position: string | null;
  readonly pages: number;
  readonly atMs: number;
}

export interface UnreadFile {
  readonly file: string;
  readonly pages: number;
  /** One of the problems. */
  readonly problem: string;
}

export interface UnreadSummary {
  readonly pages: number;
  /** The files with most unread pages. */
  readonly files: readonly UnreadFile[];
}

export class IndexNotes {
  readonly #db: DatabaseSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Notes that cannot be used are made again: they only repeat what the index and the archive say. */
  static open(dir: string): IndexNotes {
    try {
      return IndexNotes.#openAt(dir);
    } catch (error) {
      if (!isDamage(error)) throw error;
      for (const file of NOTES_FILES) rmSync(join(dir, file), { force: true });
      return IndexNotes.#openAt(dir);
    }
  }

  static #openAt(dir: string): IndexNotes {
    const path = join(dir, NOTES_FILE);
    makeDataFile(path, null);
    const db = new DatabaseSync(path, { timeout: 5_000 });
    try {
      // A lost note is made again with the batch that it belongs to.
      db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;');
      const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
      if (version !== VERSION) db.exec('DROP TABLE IF EXISTS unread; DROP TABLE IF EXISTS state;');
      db.exec(`PRAGMA user_version = ${VERSION};
        CREATE TABLE IF NOT EXISTS unread (url_id INTEGER PRIMARY KEY, url TEXT, cause TEXT, file TEXT, problem TEXT);
        CREATE TABLE IF NOT EXISTS state (id INTEGER PRIMARY KEY CHECK (id = 0), index_id TEXT, position TEXT,
          pages INTEGER, at_ms INTEGER);`);
    } catch (error) {
      db.close();
      throw error;
    }
    return new IndexNotes(db);
  }

  /** Null if there is no index in this folder, or if nobody can read the notes. */
  static read(dir: string): { readonly state: IndexState; readonly unread: UnreadSummary } | null {
    const path = join(dir, NOTES_FILE);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return null;
    let db: DatabaseSync | null = null;
    try {
      db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
      const state = db.prepare('SELECT index_id AS indexId, position, pages, at_ms AS atMs FROM state').get();
      if (state === undefined) return null;
      return { state: { ...(state as unknown as IndexState) }, unread: new IndexNotes(db).unread() };
    } catch {
      return null;
    } finally {
      db?.close();
    }
  }

  /** Writes the notes of one batch: `read` are pages that were read now, or that are gone. */
  write(unread: readonly UnreadPage[], read: readonly number[]): void {
    const hadUnread = this.#db.prepare('SELECT 1 FROM unread LIMIT 1').get() !== undefined;
    if (unread.length === 0 && !hadUnread) return;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const remove = this.#db.prepare('DELETE FROM unread WHERE url_id = ?');
      for (const id of read) remove.run(id);
      const add = this.#db.prepare('INSERT OR REPLACE INTO unread VALUES (?, ?, ?, ?, ?)');
      for (const { urlId, url, cause, file, problem } of unread) add.run(urlId, url, cause, file, problem);
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  setState({ indexId, position, pages, atMs }: IndexState): void {
    this.#db.prepare('INSERT OR REPLACE INTO state VALUES (0, ?, ?, ?, ?)').run(indexId, position, pages, atMs);
  }

  /** Unread pages with ids above `after`, ascending. */
  unreadAfter(after: number, limit: number): number[] {
    const rows = this.#db.prepare('SELECT url_id AS id FROM unread WHERE url_id > ? ORDER BY url_id LIMIT ?');
    return (rows.all(after, limit) as { id: number }[]).map(({ id }) => id);
  }

  unread(): UnreadSummary {
    const { pages } = this.#db.prepare('SELECT count(*) AS pages FROM unread').get() as { pages: number };
    const files = this.#db
      .prepare(
        `SELECT file, count(*) AS pages, min(problem) AS problem FROM unread GROUP BY file
         ORDER BY pages DESC, file LIMIT ${MAX_FILES}`,
      )
      .all() as unknown as UnreadFile[];
    return { pages, files: files.map((row) => ({ ...row })) };
  }

  clear(): void {
    this.#db.exec('DELETE FROM unread; DELETE FROM state;');
  }

  close(): void {
    this.#db.close();
  }
}

/** SQLite's codes for a damaged file, and for a file that is no database. */
const DAMAGED_CODES: ReadonlySet<unknown> = new Set([11, 26]);

function isDamage(error: unknown): boolean {
  return DAMAGED_CODES.has((error as { errcode?: number }).errcode);
}
