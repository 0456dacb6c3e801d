/**
 * The rows of one table in a transaction. They are read in batches, changed in memory, and written in batches: one
 * statement for all new rows, and one for each part and kind of change, however many rows there are.
 *
 * In: keys to read, rows to put, columns to change. Out: statements, which `flush` sends. What always holds:
 * a row is read at most once, and `get` returns the changed row. For a row that has not been read `get`
 * throws, because a wrong answer would be stored for good.
 */

import { booleans, bytes, numbers, plainTexts, texts } from '../connection/arrays.ts';
import type { Row, Session, Value } from '../connection/database.ts';
import type { LargeTable } from '../schema.ts';
import type { Parts } from './parts.ts';

export type ColumnType = 'bigint' | 'integer' | 'smallint' | 'double precision' | 'boolean' | 'text' | 'uuid' | 'bytea';

export type Key = number | string;

export interface Parted {
  readonly part: number;
}

/** A table: its columns except `part`, and the column that, together with `part`, is the key. */
export interface Shape<R extends Parted> {
  readonly table: LargeTable;
  readonly key: keyof R & string;
  readonly columns: { readonly [C in Exclude<keyof R & string, 'part'>]: ColumnType };
}

/**
 * How rows are locked until the end of the transaction. `held`: exclusive lock, for rows that will be changed.
 * `shared`: shared lock, for rows that others may read but not change. `free`: no lock.
 */
export type Hold = 'held' | 'shared' | 'free';

const STRENGTH: Readonly<Record<Hold, number>> = { free: 0, shared: 1, held: 2 };
const LOCK: Readonly<Record<Hold, string>> = { free: '', shared: 'FOR SHARE', held: 'FOR NO KEY UPDATE' };

type Changes<R> = { -readonly [C in keyof R]?: R[C] };

export class Rows<R extends Parted> {
  readonly #session: Session;
  readonly #shape: Shape<R>;
  readonly #schema: string;
  readonly #parts: Parts;
  readonly #columns: readonly (keyof R & string)[];
  /** Null if there is no such row. */
  readonly #known = new Map<Key, R | null>();
  readonly #strength = new Map<Key, number>();
  readonly #put = new Map<Key, R>();
  /** Keys of `#put` for which no row exists. */
  readonly #new = new Set<Key>();
  readonly #changed = new Map<Key, Set<keyof R & string>>();
  readonly #removed = new Map<Key, number>();

  constructor(session: Session, schema: string, parts: Parts, shape: Shape<R>) {
    this.#session = session;
    this.#shape = shape;
    this.#schema = schema;
    this.#parts = parts;
    this.#columns = Object.keys(shape.columns) as (keyof R & string)[];
  }

  /** Reads the rows of one part that have not been read yet. */
  async load(part: number, keys: Iterable<Key>, hold: Hold): Promise<void> {
    const wanted = this.#wanted(keys, hold);
    if (wanted.length === 0) return;
    this.#keep(wanted, await this.#select(this.#leaf(part), 'part = $1 AND', [part, this.#list(wanted)], hold), hold);
  }

  /** Reads rows whose parts are not known. All parts are searched, so it must not be used for every page. */
  async find(keys: Iterable<Key>, hold: Hold): Promise<void> {
    const wanted = this.#wanted(keys, hold);
    if (wanted.length === 0) return;
    this.#keep(
      wanted,
      await this.#select(`${this.#schema}.${this.#shape.table}`, '', [this.#list(wanted)], hold),
      hold,
    );
  }

  /** Adds rows that the caller has read with its own statement, with all columns and a lock. */
  hold(keys: Iterable<Key>, rows: readonly R[]): void {
    this.#keep([...keys], rows, 'held');
  }

  /** Notes that no rows with these keys exist, and that no other transaction can add one. */
  lack(keys: Iterable<Key>): void {
    for (const key of keys) if (!this.#known.has(key)) this.#known.set(key, null);
  }

  has(key: Key): boolean {
    return this.#known.has(key);
  }

  /** Null if there is no such row. */
  get(key: Key): Readonly<R> | null {
    const row = this.#known.get(key);
    if (row === undefined) throw new Error(`${this.#shape.table} ${key} is used before it is read`);
    return row;
  }

  /** Puts a new row in place of any row with the same key. */
  put(row: R): void {
    const key = this.#keyOf(row);
    if (this.#known.get(key) === null && !this.#removed.has(key)) this.#new.add(key);
    this.#known.set(key, row);
    this.#put.set(key, row);
    this.#strength.set(key, STRENGTH.held);
    this.#changed.delete(key);
    this.#removed.delete(key);
  }

  change(key: Key, changes: Changes<R>): void {
    const row = this.get(key);
    if (row === null) throw new Error(`${this.#shape.table} ${key} is to be changed and is not there`);
    Object.assign(row, changes);
    if (this.#put.has(key)) return;
    const columns = this.#changed.get(key) ?? new Set();
    for (const column of Object.keys(changes)) columns.add(column as keyof R & string);
    this.#changed.set(key, columns);
  }

  remove(key: Key): void {
    const row = this.get(key);
    if (row === null) return;
    this.#removed.set(key, row.part);
    this.#known.set(key, null);
    this.#put.delete(key);
    this.#new.delete(key);
    this.#changed.delete(key);
  }

  /** Writes all changes, part by part. */
  async flush(): Promise<void> {
    const parts = this.#parts;
    const sent: Promise<unknown>[] = [];
    for (const [part, gone] of parts.group(this.#removed, ([, of]) => of)) {
      const keys = this.#list(gone.map(([key]) => key));
      sent.push(
        this.#session.run(`DELETE FROM ${this.#leaf(part)} WHERE part = $1 AND ${this.#isIn(2)}`, [part, keys]),
      );
    }
    const isNew = (row: R): boolean => this.#new.has(this.#keyOf(row));
    const rows = [...this.#put.values()].sort((a, b) => a.part - b.part);
    const [fresh, other] = [rows.filter(isNew), rows.filter((row) => !isNew(row))];
    if (fresh.length > 0) sent.push(this.#insert(fresh, ''));
    if (other.length > 0) sent.push(this.#insert(other, this.#inPlace()));
    // Rows with the same changed columns are written together. This covers most rows of a commit.
    const kinds = Map.groupBy(this.#changed, ([, columns]) =>
      this.#columns.filter((column) => columns.has(column)).join(),
    );
    for (const [kind, changed] of kinds) {
      const columns = kind.split(',') as (keyof R & string)[];
      const ours = changed.map(([key]) => this.#known.get(key)!);
      for (const [part, some] of parts.group(ours, (row) => row.part)) sent.push(this.#update(part, columns, some));
    }
    this.#removed.clear();
    this.#put.clear();
    this.#new.clear();
    this.#changed.clear();
    await Promise.all(sent);
  }

  /**
   * Inserts rows of all parts: PostgreSQL puts each row into its partition. Looking for a row to replace costs the
   * server about as much as inserting one, so `end` is empty for new rows.
   */
  #insert(rows: readonly R[], end: string): Promise<number> {
    const names = this.#columns.map((column) => `"${column}"`);
    return this.#session.run(
      `INSERT INTO ${this.#schema}.${this.#shape.table} (part, ${names.join()})
       SELECT * FROM unnest($1::smallint[], ${this.#casts(this.#columns, 2)}) ${end}`,
      [numbers(rows.map(({ part }) => part)), ...this.#lists(this.#columns, rows)],
    );
  }

  #inPlace(): string {
    const rest = this.#columns.filter((column) => column !== this.#shape.key);
    const sets = rest.map((column) => `"${column}" = excluded."${column}"`);
    return `ON CONFLICT ("${this.#shape.key}", part) DO UPDATE SET ${sets.join()}`;
  }

  #update(part: number, columns: readonly (keyof R & string)[], rows: readonly R[]): Promise<number> {
    const { key } = this.#shape;
    const given = [key, ...columns];
    const sets = columns.map((column) => `"${column}" = r."${column}"`);
    return this.#session.run(
      `UPDATE ${this.#leaf(part)} t SET ${sets.join()}
       FROM unnest(${this.#casts(given, 2)}) AS r(${given.map((column) => `"${column}"`).join()})
       WHERE t.part = $1 AND t."${key}" = r."${key}"`,
      [part, ...this.#lists(given, rows)],
    );
  }

  #select(table: string, condition: string, values: readonly Value[], hold: Hold): Promise<readonly Row[]> {
    const names = this.#columns.map((column) => `"${column}"`).join();
    // The order of keys avoids a deadlock between two transactions that lock some of the same rows.
    const end = hold === 'free' ? '' : `ORDER BY "${this.#shape.key}" ${LOCK[hold]}`;
    return this.#session.all(
      `SELECT part, ${names} FROM ${table} WHERE ${condition} ${this.#isIn(values.length)} ${end}`,
      values,
    );
  }

  #leaf(part: number): string {
    return this.#parts.leaf(this.#schema, this.#shape.table, part);
  }

  #isIn(position: number): string {
    return `"${this.#shape.key}" = ANY($${position}::${this.#typeOf(this.#shape.key)}[])`;
  }

  #wanted(keys: Iterable<Key>, hold: Hold): Key[] {
    const isMissing = (key: Key): boolean => !this.#known.has(key) || (this.#strength.get(key) ?? 0) < STRENGTH[hold];
    return [...new Set(keys)].filter(isMissing);
  }

  #keep(wanted: readonly Key[], rows: readonly Row[], hold: Hold): void {
    const found = new Map(rows.map((row) => [this.#keyOf(row as R), row as R]));
    for (const key of wanted) {
      if (hold !== 'free') this.#strength.set(key, STRENGTH[hold]);
      // A row that was read without a lock may have changed before it was locked, so
      // it is replaced. A row that was changed here stays.
      if (!this.#put.has(key) && !this.#changed.has(key) && !this.#removed.has(key)) {
        this.#known.set(key, found.get(key) ?? null);
      }
    }
  }

  #keyOf(row: R): Key {
    return row[this.#shape.key] as Key;
  }

  #typeOf(column: keyof R & string): ColumnType {
    return (this.#shape.columns as Record<string, ColumnType>)[column]!;
  }

  #casts(columns: readonly (keyof R & string)[], from: number): string {
    return columns.map((column, i) => `$${from + i}::${this.#typeOf(column)}[]`).join();
  }

  #lists(columns: readonly (keyof R & string)[], rows: readonly R[]): string[] {
    return columns.map((column) =>
      listOf(
        this.#typeOf(column),
        rows.map((row) => row[column]),
      ),
    );
  }

  #list(keys: readonly Key[]): string {
    return listOf(this.#typeOf(this.#shape.key), keys);
  }
}

function listOf(type: ColumnType, values: readonly unknown[]): string {
  switch (type) {
    case 'text':
      return texts(values as (string | null)[]);
    case 'uuid':
      return plainTexts(values as (string | null)[]);
    case 'bytea':
      return bytes(values as (Uint8Array | null)[]);
    case 'boolean':
      return booleans(values as boolean[]);
    default:
      return numbers(values as (number | null)[]);
  }
}
