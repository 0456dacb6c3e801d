/**
 * The rows of one table that a transaction works on. They are read many at a time, changed in memory, and written many at a
 * time: one statement for all that is new, and one a part and kind of change, however many rows there are.
 *
 * In: keys to be read, rows to be put, columns to be changed. Out: statements, sent by `flush`. Always: a row is read at most once,
 * and what was changed is what `get` gives. A row that nobody has read is no row: `get` throws, because a wrong answer would be
 * stored for good.
 */
import { booleans, bytes, numbers, plainTexts, texts } from './arrays.ts';
import type { Row, Session, Value } from './database.ts';
import type { Parts } from './parts.ts';
import type { LargeTable } from './schema.ts';

export type ColumnType = 'bigint' | 'integer' | 'smallint' | 'double precision' | 'boolean' | 'text' | 'uuid' | 'bytea';

export type Key = number | string;

export interface Parted {
  readonly part: number;
}

/** A table: its columns but for `part`, and the one that, with `part`, is the key. */
export interface Shape<R extends Parted> {
  readonly table: LargeTable;
  readonly key: keyof R & string;
  readonly columns: { readonly [C in Exclude<keyof R & string, 'part'>]: ColumnType };
}

/**
 * Whether rows are kept from others until the end of the transaction. Those that are going to be changed are held; those that others
 * may read but not change before we are done are shared.
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
  /** Null: there is no such row. */
  readonly #known = new Map<Key, R | null>();
  readonly #strength = new Map<Key, number>();
  readonly #put = new Map<Key, R>();
  /** Those of `#put` that are known to take nobody's place. */
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

  /** Reads those of one part that are not known yet. */
  async load(part: number, keys: Iterable<Key>, hold: Hold): Promise<void> {
    const wanted = this.#wanted(keys, hold);
    if (wanted.length === 0) return;
    this.#keep(wanted, await this.#select(this.#leaf(part), 'part = $1 AND', [part, this.#list(wanted)], hold), hold);
  }

  /** The same of keys whose parts are not known: every part is asked, so it is nothing for what happens at every page. */
  async find(keys: Iterable<Key>, hold: Hold): Promise<void> {
    const wanted = this.#wanted(keys, hold);
    if (wanted.length === 0) return;
    this.#keep(
      wanted,
      await this.#select(`${this.#schema}.${this.#shape.table}`, '', [this.#list(wanted)], hold),
      hold,
    );
  }

  /** Takes in what a statement of the caller's own has read of these keys, with all columns, and holds. */
  hold(keys: Iterable<Key>, rows: readonly R[]): void {
    this.#keep([...keys], rows, 'held');
  }

  /** Takes in that there are no rows with these keys, and that nobody else can add one. */
  lack(keys: Iterable<Key>): void {
    for (const key of keys) if (!this.#known.has(key)) this.#known.set(key, null);
  }

  /** Takes in rows that a statement of the caller's own has read, with all columns. */
  add(rows: Iterable<R>): void {
    for (const row of rows) if (!this.#known.has(this.#keyOf(row))) this.#known.set(this.#keyOf(row), row);
  }

  has(key: Key): boolean {
    return this.#known.has(key);
  }

  /** Null where there is none. */
  get(key: Key): Readonly<R> | null {
    const row = this.#known.get(key);
    if (row === undefined) throw new Error(`${this.#shape.table} ${key} is used before it is read`);
    return row;
  }

  /** A new row, in place of one with the same key. */
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

  /** Writes what has changed, part after part. */
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
    // Rows of which the same columns changed go together: most of a commit does.
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

  /** Of all parts: each row finds its partition by itself. Looking for a row to replace costs the server about as much as inserting one. */
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
    // In the order of keys: two that hold some of the same rows never wait for each other in a ring.
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
      // What was read first and is held now may be another by now; what was changed here stays.
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
