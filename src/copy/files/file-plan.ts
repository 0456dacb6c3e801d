/**
 * Which file each URL of an export has. In: the responses of the copy in the order of discovery, and the URLs that lead
 * to other URLs. Out: the file of a URL, and all files in order.
 *
 * What always holds: no two files have the same path on any file system, also where upper and lower case are the same,
 * and no file has the path of a folder. Folders keep their names, and a file gives way by a hash in its name. Of files
 * with the same path, the one that was discovered first keeps it, so that a growing copy keeps its names.
 *
 * The plan is in a temporary database without a name, so memory does not grow with the copy.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { putNewest } from '../../core/bounded-map.ts';
import type { CaptureRecord } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKey } from '../../url/key.ts';
import { digitsToTry, foldersOf, foldPath, pathOfFile, proposeFile } from './file-names.ts';

const CACHE_KB = 16_000;
const MAX_HOPS = 20;
const MAX_REMEMBERED = 50_000;

const TABLES = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KB};
  CREATE TABLE file(id INTEGER PRIMARY KEY, key BLOB UNIQUE, url TEXT, host TEXT, type TEXT, capture TEXT, path TEXT);
  CREATE TABLE taken(folded TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE folder(folded TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE lead(key BLOB PRIMARY KEY, target TEXT) WITHOUT ROWID;
  CREATE TABLE part(id INTEGER PRIMARY KEY, path TEXT UNIQUE, line TEXT);
  CREATE TABLE seed(id INTEGER PRIMARY KEY, url TEXT, title TEXT);`;

export interface PlannedFile {
  readonly id: number;
  readonly url: string;
  /** The path below the folder of the mirror. */
  readonly path: string;
  /** The media type by which the file is named and rewritten. */
  readonly type: string;
  readonly capture: CaptureRecord;
}

export interface PlannedHost {
  readonly host: string;
  readonly files: number;
  /** The file to begin with. */
  readonly path: string;
}

export interface PlannedSeed {
  readonly url: string;
  readonly title: string;
}

export class FilePlan {
  readonly #database = new DatabaseSync('');
  readonly #statements = new Map<string, StatementSync>();
  /** The newest answers. Pages of a site have most of their links in common. */
  readonly #paths = new Map<string, string | null>();

  constructor() {
    this.#database.exec(`${TABLES} BEGIN`);
  }

  /** Call this in the order of discovery. */
  addFile(url: string, type: string, capture: CaptureRecord): void {
    this.#run('INSERT OR IGNORE INTO file(key, url, host, type, capture) VALUES(?, ?, ?, ?, ?)', [
      ...[urlKey(url), url, hostOf(url), type, JSON.stringify(capture)],
    ]);
    for (const folder of foldersOf(proposeFile(url, type).folder)) {
      this.#run('INSERT OR IGNORE INTO folder VALUES(?)', [foldPath(folder)]);
    }
  }

  /** A redirect, or a URL for which another one was fetched. */
  addLead(url: string, target: string): void {
    this.#run('INSERT OR REPLACE INTO lead VALUES(?, ?)', [urlKey(url), target]);
  }

  addSeed(url: string, title: string): void {
    this.#run('INSERT INTO seed(url, title) VALUES(?, ?)', [url, title]);
  }

  /** Gives each file its path. Call this once, after everything was added. */
  assignPaths(): void {
    for (let after = 0; ; ) {
      const row = this.#get('SELECT id, url, type FROM file WHERE id > ? ORDER BY id LIMIT 1', [after]);
      if (row === undefined) return;
      const proposed = proposeFile(String(row.url), String(row.type));
      const digits = digitsToTry(proposed).find((some) => this.#take(pathOfFile(proposed, String(row.url), some)));
      this.#run('UPDATE file SET path = ? WHERE id = ?', [pathOfFile(proposed, String(row.url), digits!), row.id!]);
      after = Number(row.id);
    }
  }

  /** Returns whether the path was free. */
  #take(path: string): boolean {
    const folded = foldPath(path);
    if (this.#get('SELECT 1 FROM folder WHERE folded = ?', [folded]) !== undefined) return false;
    return this.#run('INSERT OR IGNORE INTO taken VALUES(?)', [folded]) === 1;
  }

  /** The path of the file that a URL leads to, also through redirects; null if the export has none. */
  pathOf(url: string): string | null {
    const known = this.#paths.get(url);
    if (known !== undefined) return known;
    const path = this.#followed(url);
    putNewest(this.#paths, url, path, MAX_REMEMBERED);
    return path;
  }

  #followed(url: string): string | null {
    let key = urlKey(url);
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const file = this.#get('SELECT path FROM file WHERE key = ?', [key]);
      if (file !== undefined) return String(file.path);
      const lead = this.#get('SELECT target FROM lead WHERE key = ?', [key]);
      if (lead === undefined) return null;
      key = urlKey(String(lead.target));
    }
    return null;
  }

  /** Whether a file of the export has this path, in this spelling. */
  hasPath(path: string): boolean {
    if (this.#get('SELECT 1 FROM taken WHERE folded = ?', [foldPath(path)]) === undefined) return false;
    this.#database.exec('CREATE INDEX IF NOT EXISTS file_path ON file(path)');
    return this.#get('SELECT 1 FROM file WHERE path = ?', [path]) !== undefined;
  }

  get files(): number {
    return Number(this.#get('SELECT count(*) AS files FROM file', [])!.files);
  }

  /** Planned files with ids above `after`, ascending. */
  filesAfter(after: number, limit: number): PlannedFile[] {
    const rows = this.#all('SELECT id, url, path, type, capture FROM file WHERE id > ? ORDER BY id LIMIT ?', [
      ...[after, limit],
    ]);
    return rows.map(({ id, url, path, type, capture }) => ({
      id: Number(id),
      url: String(url),
      path: String(path),
      type: String(type),
      capture: JSON.parse(String(capture)) as CaptureRecord,
    }));
  }

  /** Call this for the parts of a file (file-form.ts), when they are known. */
  addPart(path: string, line: string): void {
    this.#run('INSERT OR IGNORE INTO part(path, line) VALUES(?, ?)', [path, line]);
  }

  hasPart(path: string): boolean {
    return this.#get('SELECT 1 FROM part WHERE path = ?', [path]) !== undefined;
  }

  *parts(): Generator<{ readonly path: string; readonly line: string }> {
    const rows = this.#prepare('SELECT path, line FROM part ORDER BY id').iterate() as Iterable<Row>;
    for (const { path, line } of rows) yield { path: String(path), line: String(line) };
  }

  /** Hosts in the order of discovery. A host begins with its first page, or else with its first file. */
  hosts(limit: number): PlannedHost[] {
    const rows = this.#all(
      `SELECT host, files, path FROM (
         SELECT host, count(*) AS files, min(id) AS first, min(CASE WHEN type LIKE '%html%' THEN id END) AS page
         FROM file GROUP BY host ORDER BY first LIMIT ?) AS listed
       JOIN file AS start USING(host) WHERE start.id = coalesce(page, first) ORDER BY first`,
      [limit],
    );
    return rows.map(({ host, files, path }) => ({ host: String(host), files: Number(files), path: String(path) }));
  }

  seeds(limit: number): PlannedSeed[] {
    const rows = this.#all('SELECT url, title FROM seed ORDER BY id LIMIT ?', [limit]);
    return rows.map(({ url, title }) => ({ url: String(url), title: String(title) }));
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #run(sql: string, values: readonly Value[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  #get(sql: string, values: readonly Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  #all(sql: string, values: readonly Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }
}

type Value = string | number | Buffer;
type Row = Record<string, string | number>;
