/**
 * Records of URLs that no earlier record links to. Two units write at the same time, so the page that links to a
 * URL may come a few records after the URL itself. Such a record is held back for a moment. In: records in
 * order. Out: records that have waited long enough. What always holds: the records of one URL keep their order,
 * and only a few records are held.
 */
import { type IndexedRecord, type Position, START } from './record-index.ts';

const LONG_ENOUGH_MS = 500;
const MAX_RECORDS = 256;

export class HeldRecords {
  #held: { readonly row: IndexedRecord; readonly before: Position | null }[] = [];
  readonly #urls = new Map<string, number>();
  #since = 0;

  has(url: string): boolean {
    return this.#urls.has(url);
  }

  /** The position before the first held record. Null if no record is held. */
  get before(): Position | null {
    const [first] = this.#held;
    return first === undefined ? null : (first.before ?? START);
  }

  hold(row: IndexedRecord, before: Position | null): void {
    if (this.#held.length === 0) this.#since = 0;
    this.#held.push({ row, before });
    this.#urls.set(row.url, (this.#urls.get(row.url) ?? 0) + 1);
  }

  /** Returns the records that have waited long enough when the record `now` arrives. */
  late(now: IndexedRecord): IndexedRecord[] {
    if (this.#held.length === 0) return [];
    this.#since++;
    if (this.#held.length >= MAX_RECORDS || this.#since >= MAX_RECORDS) return this.all();
    return this.all().filter((row) => now.orderMs - row.orderMs >= LONG_ENOUGH_MS);
  }

  all(): IndexedRecord[] {
    return this.#held.map(({ row }) => row);
  }

  /** Removes a record that does not need to be held any more. */
  drop(row: IndexedRecord): void {
    this.#held = this.#held.filter((each) => each.row !== row);
    this.#since = 0;
    const left = this.#urls.get(row.url)! - 1;
    if (left > 0) this.#urls.set(row.url, left);
    else this.#urls.delete(row.url);
  }
}
