/**
 * A stand-in for the index until the real one is here: it keeps the pages as they are, and searches nothing. The pages
 * and the position of the follower are written in one transaction.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDataFile } from '../../core/file-modes.ts';
import type { SearchPage } from '../search-page.ts';

export const INDEX_FILE = 'search.db';

export class IndexWriter {
  readonly #db: DatabaseSync;
  #position: string | null;

  /** Opens or creates search.db in this folder. `crawlId`: an index of another crawl is emptied. */
  static open(dir: string, crawlId: string): IndexWriter {
    makeDataFile(join(dir, INDEX_FILE), null);
    const db = new DatabaseSync(join(dir, INDEX_FILE), { timeout: 5_000 });
    try {
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS pages (url_id INTEGER PRIMARY KEY, page TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;`);
      return new IndexWriter(db, crawlId);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  private constructor(db: DatabaseSync, crawlId: string) {
    this.#db = db;
    this.#position = this.#fact('position');
    if (this.#fact('crawl') !== crawlId) {
      this.clear();
      this.#db.prepare("INSERT OR REPLACE INTO facts VALUES ('crawl', ?)").run(crawlId);
    }
  }

  #fact(name: string): string | null {
    const row = this.#db.prepare('SELECT value FROM facts WHERE name = ?').get(name) as { value: string } | undefined;
    return row?.value ?? null;
  }

  /** The position of the follower that is in the index; null at the beginning. */
  get position(): string | null {
    return this.#position;
  }

  /** The number of pages, with those that are not durable yet. */
  get pages(): number {
    return (this.#db.prepare('SELECT count(*) AS n FROM pages').get() as { n: number }).n;
  }

  /** Adds or replaces a page. */
  add(page: SearchPage): void {
    this.#begin();
    this.#db.prepare('INSERT OR REPLACE INTO pages VALUES (?, ?)').run(page.urlId, JSON.stringify(page));
  }

  remove(urlId: number): void {
    this.#begin();
    this.#db.prepare('DELETE FROM pages WHERE url_id = ?').run(urlId);
  }

  /** Makes everything durable, with the new position of the follower. */
  commit(position: string | null): void {
    this.#begin();
    this.#db.prepare("INSERT OR REPLACE INTO facts VALUES ('position', ?)").run(position);
    this.#db.exec('COMMIT');
    this.#position = position;
  }

  /** Merges small parts of the index if that pays. Returns whether more is left to merge. */
  merge(): boolean {
    return false;
  }

  /** Begins again with an empty index. */
  clear(): void {
    this.#begin();
    this.#db.exec("DELETE FROM pages; DELETE FROM facts WHERE name = 'position'; COMMIT");
    this.#position = null;
  }

  close(): void {
    this.#db.close();
  }

  #begin(): void {
    if (!this.#db.isTransaction) this.#db.exec('BEGIN IMMEDIATE');
  }
}
