/**
 * The stored versions of pages, in the database of their index. In: versions with the time for which each was the
 * content of its page. Out: the versions of one moment, or all of them. Each version is one page of the index, and its
 * id is the id under which the index has its words.
 *
 * What always holds: versions and their words become visible in one transaction. An id is not given twice until the
 * index is emptied.
 */
import type { IndexDatabase } from '../index/index-database.ts';

export interface StoredVersion {
  readonly id: number;
  readonly urlId: number;
  /** From this time on, the page had this content … */
  readonly fromMs: number;
  /** … until this time; STILL_CURRENT if nothing else was found since. */
  readonly untilMs: number;
  /** The payload digest of its capture. */
  readonly payload: string;
  /** The hash of the decoded body: equal contents of several URLs are copies of each other. */
  readonly body: string;
  /** False for a content without text for people, which is remembered so that it is read once. */
  readonly isPage: boolean;
}

/** What is known about the URL of versions today. */
export interface VersionedUrl {
  readonly urlId: number;
  /** The URL is a duplicate: of equal contents, that of another URL is shown. */
  readonly isCopy: boolean;
  /** The id of the page that its canonical link names, if the link is believed; otherwise 0. */
  readonly canonicalId: number;
}

export type FoundVersion = StoredVersion & VersionedUrl;

/** The changes of one commit. */
export interface VersionChanges {
  readonly put: readonly StoredVersion[];
  readonly removed: readonly number[];
  readonly urls: readonly VersionedUrl[];
}

export const STILL_CURRENT = Number.MAX_SAFE_INTEGER;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS versions (id INTEGER PRIMARY KEY, url_id INTEGER NOT NULL, from_ms INTEGER NOT NULL,
    until_ms INTEGER NOT NULL, payload TEXT NOT NULL, body TEXT NOT NULL, is_page INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS versions_of_url ON versions (url_id, from_ms);
  CREATE TABLE IF NOT EXISTS versioned_urls (url_id INTEGER PRIMARY KEY, is_copy INTEGER NOT NULL,
    canonical_id INTEGER NOT NULL);`;
const COLUMNS = 'id, v.url_id AS urlId, from_ms AS fromMs, until_ms AS untilMs, payload, body, is_page AS isPage';
const OF_URL = 'coalesce(is_copy, 0) AS isCopy, coalesce(canonical_id, 0) AS canonicalId';
const COUNTER = 'last-version';
/** Missing in an index that was emptied. */
const OWNER = 'versions-of';
/** Which versions the copy had dropped when the table was compared with it. */
const DROPPED = 'versions-dropped';

export class VersionTable {
  readonly #database: IndexDatabase;
  #lastId: number;

  private constructor(database: IndexDatabase) {
    this.#database = database;
    this.#lastId = Number(database.note(COUNTER) ?? 0);
  }

  /** For the writer of the index. The versions of an index that was emptied are removed. */
  static forWriting(database: IndexDatabase, owner: string): VersionTable {
    for (const sql of SCHEMA.split(';')) if (sql.trim() !== '') database.statement(sql).run();
    const table = new VersionTable(database);
    if (database.note(OWNER) !== owner) table.clear(owner);
    return table;
  }

  static forReading(database: IndexDatabase): VersionTable {
    return new VersionTable(database);
  }

  /** Its value is committed with the next changes. */
  newId(): number {
    return ++this.#lastId;
  }

  get dropped(): string | null {
    return this.#database.note(DROPPED);
  }

  set dropped(mark: string | null) {
    this.#database.setNote(DROPPED, mark);
  }

  /** The versions of a URL, the oldest first. */
  of(urlId: number): FoundVersion[] {
    return this.#find('v.url_id = ? ORDER BY from_ms', urlId);
  }

  /** The versions that were the content of their pages at this time, or all versions. Only pages for people. */
  at(atMs: number | null): FoundVersion[] {
    if (atMs === null) return this.#find('is_page = 1');
    return this.#find('is_page = 1 AND from_ms <= ? AND until_ms > ?', atMs, atMs);
  }

  #find(condition: string, ...values: readonly number[]): FoundVersion[] {
    const sql = `SELECT ${COLUMNS}, ${OF_URL} FROM versions v LEFT JOIN versioned_urls u ON u.url_id = v.url_id`;
    const rows = this.#database.statement(`${sql} WHERE ${condition}`).all(...values) as unknown as StoredRow[];
    return rows.map((row) => ({ ...row, isPage: row.isPage === 1, isCopy: row.isCopy === 1 }));
  }

  get count(): number {
    const [row] = this.#database.statement('SELECT count(*) AS count FROM versions WHERE is_page = 1').all();
    return (row as { count: number }).count;
  }

  /** The first URLs after this id that have several versions. */
  urlsWithHistory(after: number, limit: number): number[] {
    const sql = `SELECT url_id AS id FROM versions WHERE url_id > ? GROUP BY url_id HAVING count(*) > 1
      ORDER BY url_id LIMIT ?`;
    return (this.#database.statement(sql).all(after, limit) as { id: number }[]).map(({ id }) => id);
  }

  /** Runs inside the transaction that writes the words. */
  write({ put, removed, urls }: VersionChanges): void {
    const database = this.#database;
    database.setNote(COUNTER, String(this.#lastId));
    for (const id of removed) database.statement('DELETE FROM versions WHERE id = ?').run(id);
    const insert = database.statement('INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)');
    for (const { id, urlId, fromMs, untilMs, payload, body, isPage } of put) {
      insert.run(id, urlId, fromMs, untilMs, payload, body, isPage ? 1 : 0);
    }
    const note = database.statement('INSERT OR REPLACE INTO versioned_urls VALUES (?, ?, ?)');
    for (const { urlId, isCopy, canonicalId } of urls) note.run(urlId, isCopy ? 1 : 0, canonicalId);
  }

  clear(owner: string): void {
    this.#database.transaction(() => {
      for (const table of ['versions', 'versioned_urls']) this.#database.statement(`DELETE FROM ${table}`).run();
      this.#database.setNote(OWNER, owner);
      this.dropped = null;
    });
  }
}

type StoredRow = Omit<FoundVersion, 'isPage' | 'isCopy'> & { readonly isPage: number; readonly isCopy: number };
