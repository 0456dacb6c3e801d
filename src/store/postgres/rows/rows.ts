/**
 * The rows of one table in a transaction. They are read in batches, changed in memory, and written in batches: one
 * statement for all new rows, and one for each kind of change, however many rows there are.
 *
 * In: keys to read, rows to put, columns to change. Out: statements, which `flush` sends. What always holds:
 * a row is read at most once, and `get` returns the changed row. For a row that has not been read `get`
 * throws, because a wrong answer would be stored for good.
 */

import { booleans, bytes, numbers, plainTexts, texts } from '../connection/arrays.ts';
import type { Row, Session } from '../connection/database.ts';

export type ColumnType = 'bigint' | 'integer' | 'smallint' | 'double precision' | 'boolean' | 'text' | 'uuid' | 'bytea';

export type Key = number | string;

/** A table: its columns, and the column that, together with `host_id`, is the key. */
export interface Shape<R> {
  readonly table: string;
  readonly key: keyof R & string;
  readonly columns: { readonly [C in keyof R & string]: ColumnType };
}

/**
 * How rows are locked until the end of the transaction. `held`: exclusive lock, for rows that will be changed.
 * `shared`: shared lock, for rows that others may read but not change. `free`: no lock.
 */
export type Hold = 'held' | 'shared' | 'free';

const STRENGTH: Readonly<Record<Hold, number>> = { free: 0, shared: 1, held: 2 };
const LOCK: Readonly<Record<Hold, string>> = { free: '', shared: 'FOR SHARE', held: 'FOR NO KEY UPDATE' };

type Changes<R> = { -readonly [C in keyof R]?: R[C] };

export class Rows<R extends object> {
  readonly #session: Session;
  readonly #shape: Shape<R>;
  /** The name of the table, with its schema. */
  readonly #table: string;
  readonly #columns: readonly (keyof R & string)[];
  /** Null if there is no such row. */
  readonly #known = new Map<Key, R | null>();
  readonly #strength = new Map<Key, number>();
  readonly #put = new Map<Key, R>();
  /** Keys of `#put` for which no row exists. */
  readonly #new = new Set<Key>();
  readonly #changed = new Map<Key, Set<keyof R & string>>();
  readonly #removed = new Set<Key>();

  constructor(session: Session, schema: string, shape: Shape<R>) {
    this.#session = session;
    this.#shape = shape;
    this.#table = `${schema}.${shape.table}`;
    this.#columns = Object.keys(shape.columns) as (keyof R & string)[];
  }

  /** Reads the rows that have not been read yet, and locks them if they are not locked yet. */
  async load(keys: Iterable<Key>, hold: Hold): Promise<void> {
    const isMissing = (key: Key): boolean => !this.#known.has(key) || (this.#strength.get(key) ?? 0) < STRENGTH[hold];
    const wanted = [...new Set(keys)].filter(isMissing);
    if (wanted.length === 0) return;
    // The order of keys avoids a deadlock between two transactions that lock some of the same rows.
    const end = hold === 'free' ? '' : `ORDER BY "${this.#shape.key}" ${LOCK[hold]}`;
    const rows = await this.#session.all(
      `SELECT ${quoted(this.#columns)} FROM ${this.#table} WHERE ${this.#isIn} ${end}`,
      [this.#list(wanted)],
    );
    this.#keep(wanted, rows, hold);
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
    if (row === null) throw new Error(`${this.#shape.table} ${key} cannot be changed, because it does not exist`);
    Object.assign(row, changes);
    if (this.#put.has(key)) return;
    const columns = this.#changed.get(key) ?? new Set();
    for (const column of Object.keys(changes)) columns.add(column as keyof R & string);
    this.#changed.set(key, columns);
  }

  remove(key: Key): void {
    if (this.get(key) === null) return;
    this.#removed.add(key);
    this.#known.set(key, null);
    this.#put.delete(key);
    this.#new.delete(key);
    this.#changed.delete(key);
  }

  async flush(): Promise<void> {
    const sent: Promise<unknown>[] = [];
    if (this.#removed.size > 0) {
      const sql = `DELETE FROM ${this.#table} WHERE ${this.#isIn}`;
      sent.push(this.#session.run(sql, [this.#list([...this.#removed])]));
    }
    const rows = [...this.#put.values()];
    const isNew = (row: R): boolean => this.#new.has(this.#keyOf(row));
    const [fresh, other] = [rows.filter(isNew), rows.filter((row) => !isNew(row))];
    if (fresh.length > 0) sent.push(this.#insert(fresh, ''));
    if (other.length > 0) sent.push(this.#insert(other, this.#inPlace()));
    // Rows with the same changed columns are written together. This covers most rows of a commit.
    const kinds = Map.groupBy(this.#changed, ([, columns]) =>
      this.#columns.filter((column) => columns.has(column)).join(),
    );
    for (const [kind, changed] of kinds) {
      const ours = changed.map(([key]) => this.#known.get(key)!);
      sent.push(this.#update(kind.split(',') as (keyof R & string)[], ours));
    }
    this.#removed.clear();
    this.#put.clear();
    this.#new.clear();
    this.#changed.clear();
    await Promise.all(sent);
  }

  /**
   * Looking for a row to replace costs the server about as much as inserting one, so `end` is empty for new rows.
   */
  #insert(rows: readonly R[], end: string): Promise<number> {
    return this.#session.run(
      `INSERT INTO ${this.#table} (${quoted(this.#columns)}) SELECT * FROM unnest(${this.#casts(this.#columns)}) ${end}`,
      this.#lists(this.#columns, rows),
    );
  }

  #inPlace(): string {
    const rest = this.#columns.filter((column) => column !== this.#shape.key && column !== 'host_id');
    const sets = rest.map((column) => `"${column}" = excluded."${column}"`);
    return `ON CONFLICT ("${this.#shape.key}", host_id) DO UPDATE SET ${sets.join()}`;
  }

  #update(columns: readonly (keyof R & string)[], rows: readonly R[]): Promise<number> {
    const { key } = this.#shape;
    const given = [key, ...columns];
    const sets = columns.map((column) => `"${column}" = r."${column}"`);
    return this.#session.run(
      `UPDATE ${this.#table} t SET ${sets.join()} FROM unnest(${this.#casts(given)}) AS r(${quoted(given)})
       WHERE t."${key}" = r."${key}"`,
      this.#lists(given, rows),
    );
  }

  /** SQL condition: the key is in the list that is the first value. */
  get #isIn(): string {
    return `"${this.#shape.key}" = ANY($1::${this.#typeOf(this.#shape.key)}[])`;
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

  #casts(columns: readonly (keyof R & string)[]): string {
    return columns.map((column, i) => `$${i + 1}::${this.#typeOf(column)}[]`).join();
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

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join();
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
