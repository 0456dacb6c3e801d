/** Keeps rows that were read lately. In: a reader of rows, which never change. Out: the same rows. */

/**
 * Up to 40 MB, with rows of 16 KB. A query of frequent words needs hundreds. Each result needs the row of its URL, and
 * each word several rows of the dictionary.
 */
const MOST_ROWS = 2_560;

export class RowCache {
  /** Rows that were read since the older ones were set aside. When these are half of all, the older ones are dropped. */
  #rows = new Map<number, Uint8Array>();
  #older = new Map<number, Uint8Array>();

  get(id: number, read: () => Uint8Array): Uint8Array {
    const known = this.#rows.get(id);
    if (known !== undefined) return known;
    const bytes = this.#older.get(id) ?? read();
    if (this.#rows.size >= MOST_ROWS / 2) {
      this.#older = this.#rows;
      this.#rows = new Map();
    }
    this.#rows.set(id, bytes);
    return bytes;
  }
}
