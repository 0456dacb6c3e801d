/**
 * The file `search.db`. In: rows of segments, sets of dead pages, and the places of pages. Out: the same, for one
 * writer and any number of readers.
 *
 * What always holds: a segment is visible to readers when its facts are committed, and not before. A page is in one
 * segment at most. Rows of segments without facts are what a crash left, and are removed.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { OrbweaverError } from '../../core/errors.ts';
import { makeDataFile } from '../../core/file-modes.ts';
import { connectForReading } from '../../core/sqlite-reading.ts';
import { PageBits } from './page-bits.ts';
import { RowCache } from './row-cache.ts';
import { COMPRESSED, ROW_BYTES, SECTIONS, type Section } from './segment/section-writer.ts';
import { Segment } from './segment/segment.ts';
import type { SegmentFacts } from './segment/segment-draft.ts';

export const SEARCH_FILE = 'search.db';
/** Another layout or another meaning of the terms gets another number. The index is then built again. */
export const INDEX_VERSION = 2;
/** The note that has the version. */
export const VERSION_NOTE = 'version';

const SEGMENT_COUNTER = 'segment';
const CACHE_KIB = 16_384;
/** A reader keeps rows itself, so SQLite only needs the pages that lead to them. */
const READER_CACHE_KIB = 4_096;
const ROWS_PER_SECTION = 2 ** 26;
const ROWS_PER_SEGMENT = 8 * ROWS_PER_SECTION;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS segments (id INTEGER PRIMARY KEY, facts TEXT NOT NULL, dead BLOB);
  CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS places (url_id INTEGER PRIMARY KEY, segment INTEGER NOT NULL, page INTEGER NOT NULL);`;

export interface SegmentRow {
  readonly id: number;
  readonly facts: SegmentFacts;
  readonly dead: PageBits;
}

export interface PagePlace {
  readonly segment: number;
  readonly page: number;
}

export class IndexDatabase {
  readonly #db: DatabaseSync;
  readonly #isCurrent: () => boolean;
  readonly #statements = new Map<string, StatementSync>();
  /** Rows that many queries need. */
  readonly #rows = new RowCache();

  private constructor(db: DatabaseSync, isCurrent = () => true) {
    this.#db = db;
    this.#isCurrent = isCurrent;
  }

  static openForWriting(dir: string): IndexDatabase {
    const path = join(dir, SEARCH_FILE);
    try {
      makeDataFile(path, null);
      const db = new DatabaseSync(path, { timeout: 10_000 });
      db.exec(`PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 67108864;`);
      db.exec(SCHEMA);
      const index = new IndexDatabase(db);
      index.removeLeftovers();
      return index;
    } catch (error) {
      throw asIndexError(error, dir);
    }
  }

  /** Null if there is no index, or one of another version: a writer will make it again. Needs no write access. */
  static openForReading(dir: string): IndexDatabase | null {
    const path = join(dir, SEARCH_FILE);
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
    try {
      const { db, isCurrent } = connectForReading(path, (opened) => opened.exec('SELECT 1 FROM notes'));
      db.exec(`PRAGMA cache_size = -${READER_CACHE_KIB};`);
      const index = new IndexDatabase(db, isCurrent);
      if (index.note(VERSION_NOTE) === String(INDEX_VERSION)) return index;
      index.close();
      return null;
    } catch (error) {
      throw asIndexError(error, dir);
    }
  }

  /** False when a process has started to write since this connection was opened: it must be opened again. */
  get isCurrent(): boolean {
    return this.#isCurrent();
  }

  #run(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** For tables of their own beside the index (versions/version-table.ts). */
  statement(sql: string): StatementSync {
    return this.#run(sql);
  }

  /** Everything that `work` writes is committed together, or not at all. For a reader: one state of the index. */
  transaction<Result>(work: () => Result, kind: 'write' | 'read' = 'write'): Result {
    this.#db.exec(kind === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  note(name: string): string | null {
    const row = this.#run('SELECT value FROM notes WHERE name = ?').get(name) as { value: string } | undefined;
    return row?.value ?? null;
  }

  setNote(name: string, value: string | null): void {
    if (value === null) this.#run('DELETE FROM notes WHERE name = ?').run(name);
    else this.#run('INSERT OR REPLACE INTO notes VALUES (?, ?)').run(name, value);
  }

  /** Changes with each commit of another connection. */
  get version(): number {
    return (this.#run('PRAGMA data_version').get() as { data_version: number }).data_version;
  }

  segments(): SegmentRow[] {
    const rows = this.#run('SELECT id, facts, dead FROM segments ORDER BY id').all() as unknown as StoredSegment[];
    return rows.map(({ id, facts: text, dead }) => {
      const facts = JSON.parse(text) as SegmentFacts;
      return { id, facts, dead: deadPages(facts.pages, dead) };
    });
  }

  /** No id is given twice, also after `clear`: readers keep the segments and rows that they know by it. */
  newSegmentId(): number {
    const id = Number(this.note(SEGMENT_COUNTER) ?? 0) + 1;
    this.setNote(SEGMENT_COUNTER, String(id));
    return id;
  }

  putRow(segment: number, section: Section, row: number, bytes: Uint8Array): void {
    const stored = COMPRESSED.has(section) ? deflateRawSync(bytes) : bytes;
    this.#run('INSERT OR REPLACE INTO rows VALUES (?, ?)').run(rowId(segment, section, row), stored);
  }

  readRow(segment: number, section: Section, row: number): Uint8Array {
    const id = rowId(segment, section, row);
    const found = this.#run('SELECT bytes FROM rows WHERE id = ?').get(id) as { bytes: Uint8Array } | undefined;
    if (found === undefined) {
      throw new OrbweaverError(
        'ERR_STORE',
        `${SEARCH_FILE} is damaged: a part is missing; run: orbweaver index --rebuild`,
      );
    }
    return COMPRESSED.has(section) ? inflateRawSync(found.bytes, { maxOutputLength: ROW_BYTES }) : found.bytes;
  }

  open(row: SegmentRow): Segment {
    return new Segment(row.id, row.facts, (section, at) => this.readRow(row.id, section, at));
  }

  /** Opens a segment for queries: rows that many queries need are kept. */
  openForQueries(row: SegmentRow): Segment {
    return new Segment(row.id, row.facts, (section, at) => {
      // These are read once, and stay in memory in another form.
      if (section === 'columns' || section === 'dictionaryIndex') return this.readRow(row.id, section, at);
      return this.#rows.get(rowId(row.id, section, at), () => this.readRow(row.id, section, at));
    });
  }

  addSegment(id: number, facts: SegmentFacts): void {
    this.#run('INSERT INTO segments VALUES (?, ?, NULL)').run(id, JSON.stringify(facts));
  }

  setDead(id: number, dead: PageBits): void {
    const { buffer, byteOffset, byteLength } = dead.words;
    this.#run('UPDATE segments SET dead = ? WHERE id = ?').run(new Uint8Array(buffer, byteOffset, byteLength), id);
  }

  removeSegment(id: number): void {
    this.#run('DELETE FROM segments WHERE id = ?').run(id);
    this.#run('DELETE FROM rows WHERE id >= ? AND id < ?').run(id * ROWS_PER_SEGMENT, (id + 1) * ROWS_PER_SEGMENT);
  }

  removeLeftovers(): void {
    const known = this.#run('SELECT id FROM segments ORDER BY id').all() as { id: number }[];
    let from = 0;
    for (const { id } of [...known, { id: Math.floor(Number.MAX_SAFE_INTEGER / ROWS_PER_SEGMENT) }]) {
      this.#run('DELETE FROM rows WHERE id >= ? AND id < ?').run(from, id * ROWS_PER_SEGMENT);
      from = (id + 1) * ROWS_PER_SEGMENT;
    }
  }

  placeOf(urlId: number): PagePlace | null {
    const row = this.#run('SELECT segment, page FROM places WHERE url_id = ?').get(urlId);
    return (row as unknown as PagePlace | undefined) ?? null;
  }

  setPlace(urlId: number, segment: number, page: number): void {
    this.#run('INSERT OR REPLACE INTO places VALUES (?, ?, ?)').run(urlId, segment, page);
  }

  removePlace(urlId: number): void {
    this.#run('DELETE FROM places WHERE url_id = ?').run(urlId);
  }

  clear(): void {
    for (const table of ['segments', 'rows', 'places']) this.#db.exec(`DELETE FROM ${table}`);
    this.#run('DELETE FROM notes WHERE name <> ?').run(SEGMENT_COUNTER);
  }

  /** Gives free pages of the file back to the disk, a few at a time. */
  shrink(): void {
    this.#db.exec('PRAGMA incremental_vacuum(4096)');
  }

  get bytes(): number {
    const count = (name: string) => Object.values(this.#run(`PRAGMA ${name}`).get() as Record<string, number>)[0]!;
    return (count('page_count') - count('freelist_count')) * count('page_size');
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}

interface StoredSegment {
  readonly id: number;
  readonly facts: string;
  readonly dead: Uint8Array | null;
}

function deadPages(pages: number, dead: Uint8Array | null): PageBits {
  if (dead === null) return new PageBits(pages);
  return new PageBits(pages, new Uint32Array(dead.slice().buffer));
}

function rowId(segment: number, section: Section, row: number): number {
  return segment * ROWS_PER_SEGMENT + SECTIONS.indexOf(section) * ROWS_PER_SECTION + row;
}

function asIndexError(error: unknown, dir: string): Error {
  if (error instanceof OrbweaverError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new OrbweaverError(
    'ERR_STORE',
    `cannot use ${join(dir, SEARCH_FILE)}: ${message}; the index can be made again: orbweaver index --rebuild`,
    { cause: error },
  );
}
