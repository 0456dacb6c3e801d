/**
 * An index on disk of the responses to add, sorted by time. In: archive files of the folder. Out: their responses and
 * revisits in the order in which they were fetched. What always holds: memory does not grow with the number of records.
 * A file that was read to its end is not read again after a crash. The archive files are only read.
 *
 * Within a file, the records keep their written order, because a unit writes pages in the order in which they were
 * finished, and links of one page lead to the next. Between files, the order is by time. A file whose times jump back
 * was merged from other files and is sorted by time alone.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isExchange, scanRecords } from '../archive/record-scan.ts';
import { exactUrl } from '../archive/target-uri.ts';
import type { CaptureAddress } from '../archive/warc-reader.ts';
import { makeDataFile } from '../core/file-modes.ts';

const INDEX_FILE = 'recover.db';
/** No fetch takes longer, so times within a file go back by at most this much. */
const MAX_FETCH_MS = 10 * 60_000;
const ROWS_AT_ONCE = 256;
const WRITES_AT_ONCE = 5_000;

export interface IndexedRecord extends CaptureAddress {
  /** The sort key. */
  readonly orderMs: number;
  readonly url: string;
  readonly timeMs: number;
}

export type Position = Pick<IndexedRecord, 'orderMs' | 'file' | 'offset'>;

/** The position before all records. */
export const START: Position = { orderMs: Number.MIN_SAFE_INTEGER, file: '', offset: -1 };

export interface IndexedFile {
  readonly file: string;
  /** The end of its last complete record. */
  readonly endBytes: number;
  readonly records: number;
  /** Number of damaged ranges, not counting an incomplete record at the end. */
  readonly damages: number;
}

/** Called from time to time while files are read. Reading ends if it returns true. */
export type IsStopped = (records: number) => boolean;

const SCHEMA = `PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; PRAGMA temp_store = FILE;
  CREATE TABLE IF NOT EXISTS files (file TEXT PRIMARY KEY, from_bytes INTEGER NOT NULL, size INTEGER NOT NULL,
    end_bytes INTEGER NOT NULL, records INTEGER NOT NULL, damages INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS records (order_ms INTEGER NOT NULL, file TEXT NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL, url TEXT NOT NULL, time_ms INTEGER NOT NULL, digest TEXT NOT NULL, revisit INTEGER NOT NULL,
    PRIMARY KEY (order_ms, file, offset)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS records_payload ON records (digest) WHERE revisit = 0;
  CREATE INDEX IF NOT EXISTS records_url ON records (url);
  CREATE TABLE IF NOT EXISTS origins (name TEXT PRIMARY KEY, file TEXT NOT NULL, offset INTEGER NOT NULL,
    length INTEGER NOT NULL) WITHOUT ROWID;`;

export class RecordIndex {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #next: StatementSync;
  readonly #payload: StatementSync;
  readonly #ofUrl: StatementSync;
  readonly #origin: StatementSync;
  readonly #addOrigin: StatementSync;

  constructor(dir: string) {
    this.#path = join(dir, INDEX_FILE);
    makeDataFile(this.#path, null);
    this.#db = new DatabaseSync(this.#path);
    this.#db.exec(SCHEMA);
    this.#insert = this.#db.prepare('INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    this.#next = this.#db.prepare(
      `SELECT order_ms AS orderMs, file, offset, length, url, time_ms AS timeMs FROM records
       WHERE (order_ms, file, offset) > (?, ?, ?) ORDER BY order_ms, file, offset LIMIT ${ROWS_AT_ONCE}`,
    );
    this.#payload = this.#db.prepare(
      'SELECT file, offset, length FROM records WHERE digest = ? AND revisit = 0 LIMIT 1',
    );
    this.#ofUrl = this.#db.prepare(
      'SELECT file, offset, length, time_ms AS timeMs FROM records WHERE url = ? AND digest = ?',
    );
    this.#origin = this.#db.prepare('SELECT file, offset, length FROM origins WHERE name = ?');
    this.#addOrigin = this.#db.prepare('INSERT OR IGNORE INTO origins VALUES (?, ?, ?, ?)');
  }

  /** Reads a file from an offset on. Skips a file that was read before and has not grown. */
  add(dir: string, file: string, fromBytes: number, isStopped: IsStopped): IndexedFile | null {
    const { size } = statSync(join(dir, file));
    const known = this.#db.prepare('SELECT * FROM files WHERE file = ?').get(file) as
      | { from_bytes: number; size: number; end_bytes: number; records: number; damages: number }
      | undefined;
    if (known?.size === size && known.from_bytes === fromBytes) {
      return { file, endBytes: known.end_bytes, records: known.records, damages: known.damages };
    }
    this.#db.prepare('DELETE FROM records WHERE file = ?').run(file);
    const read = this.#read(dir, file, fromBytes, isStopped);
    if (read === null) return null;
    this.#db
      .prepare('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)')
      .run(file, fromBytes, size, read.endBytes, read.records, read.damages);
    return read;
  }

  #read(dir: string, file: string, fromBytes: number, isStopped: IsStopped): IndexedFile | null {
    let [endBytes, records, damages, latestMs] = [fromBytes, 0, 0, Number.NEGATIVE_INFINITY];
    this.#db.exec('BEGIN');
    try {
      for (const found of scanRecords(join(dir, file), fromBytes)) {
        if (found.kind === 'damage') {
          if (!found.isEnd) damages++;
          continue;
        }
        const { record } = found;
        endBytes = record.offset + record.length;
        if (!isExchange(record)) continue;
        const timeMs = Date.parse(record.headers.get('warc-date') ?? '');
        const url = exactUrl(record.headers);
        if (Number.isNaN(timeMs) || url === '') {
          damages++;
          continue;
        }
        latestMs = timeMs < latestMs - MAX_FETCH_MS ? timeMs : Math.max(latestMs, timeMs);
        const { offset, length, headers, type } = record;
        const digest = headers.get('warc-payload-digest') ?? '';
        this.#insert.run(latestMs, file, offset, length, url, timeMs, digest, type === 'revisit' ? 1 : 0);
        records++;
        if (records % WRITES_AT_ONCE === 0) this.#db.exec('COMMIT; BEGIN');
        if (records % ROWS_AT_ONCE === 0 && isStopped(records)) return null;
      }
    } finally {
      this.#db.exec('COMMIT');
    }
    return { file, endBytes, records, damages };
  }

  /** The records after a position, in order. */
  *after(position: Position | null): Generator<IndexedRecord, void, void> {
    let at: Position = position ?? START;
    for (;;) {
      const rows = this.#next.all(at.orderMs, at.file, at.offset) as unknown as IndexedRecord[];
      yield* rows;
      if (rows.length < ROWS_AT_ONCE) return;
      at = rows.at(-1)!;
    }
  }

  get count(): number {
    return (this.#db.prepare('SELECT count(*) AS n FROM records').get() as { n: number }).n;
  }

  /** Finds the place of a payload by the digest in its record. */
  payload(digest: string): CaptureAddress | null {
    return (this.#payload.get(digest) as CaptureAddress | undefined) ?? null;
  }

  /** The responses of a URL with this payload. */
  withPayload(url: string, digest: string): readonly Omit<IndexedRecord, 'orderMs' | 'url'>[] {
    return this.#ofUrl.all(url, digest) as unknown as Omit<IndexedRecord, 'orderMs' | 'url'>[];
  }

  /** Finds the new place of an imported record by a name that revisits may use for it. */
  origin(name: string): CaptureAddress | null {
    return (this.#origin.get(name) as CaptureAddress | undefined) ?? null;
  }

  addOrigins(names: readonly string[], place: CaptureAddress): void {
    for (const name of names) this.#addOrigin.run(name, place.file, place.offset, place.length);
  }

  forgetOrigins(): void {
    this.#db.exec('DELETE FROM origins');
  }

  close(): void {
    this.#db.close();
  }

  /** Deletes the index. It is not needed once all its records are in the store. */
  discard(): void {
    this.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(this.#path + suffix, { force: true });
  }
}
