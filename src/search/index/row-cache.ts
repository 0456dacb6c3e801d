/** Keeps the rows that were read last. In: a reader of rows, which never change. Out: the same rows. */

/**
 * About 40 MB, with rows of 16 KB. A query of frequent words needs hundreds. Each result needs the row of its URL, and
 * each word several rows of the dictionary.
 */
const MOST_ROWS = 2_560;

export class RowCache {
  /** In the order of their last use. */
  readonly #rows = new Map<number, Uint8Array>();

  get(id: number, read: () => Uint8Array): Uint8Array {
    const known = this.#rows.get(id);
    if (known !== undefined) this.#rows.delete(id);
    const bytes = known ?? read();
    this.#rows.set(id, bytes);
    if (this.#rows.size > MOST_ROWS) this.#rows.delete(this.#rows.keys().next().value!);
    return bytes;
  }
}
