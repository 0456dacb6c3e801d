/** Keeps rows that were read lately. In: a reader of rows, which never change. Out: the same rows. */

/**
 * About 40 MB, with rows of 16 KB. A query of frequent words needs hundreds. Each result needs the row of its URL, and
 * each word several rows of the dictionary.
 */
const MOST_ROWS = 2_560;

/** A row that was used since the hand passed it stays for another round (the clock algorithm). */
export class RowCache {
  readonly #slots = new Map<number, number>();
  readonly #ids: number[] = [];
  readonly #rows: Uint8Array[] = [];
  readonly #wasUsed = new Uint8Array(MOST_ROWS);
  #hand = 0;

  get(id: number, read: () => Uint8Array): Uint8Array {
    const slot = this.#slots.get(id);
    if (slot === undefined) return this.#add(id, read());
    this.#wasUsed[slot] = 1;
    return this.#rows[slot]!;
  }

  #add(id: number, bytes: Uint8Array): Uint8Array {
    while (this.#wasUsed[this.#hand] === 1) {
      this.#wasUsed[this.#hand] = 0;
      this.#hand = (this.#hand + 1) % MOST_ROWS;
    }
    const slot = this.#hand;
    this.#hand = (slot + 1) % MOST_ROWS;
    if (slot < this.#ids.length) this.#slots.delete(this.#ids[slot]!);
    this.#slots.set(id, slot);
    this.#ids[slot] = id;
    this.#rows[slot] = bytes;
    return bytes;
  }
}
