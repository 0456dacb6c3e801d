/**
 * Entries (key, page) that are not in the blocks on disk yet: a hash table with open addressing in two
 * arrays, eight bytes for each entry. The slot of a key is given by its highest bits, so the table is nearly
 * sorted, and the entries of a range of keys are neighbours.
 *
 * Keys are spread evenly by a multiplier that no web page knows
 * (store/sqlite/commit/fingerprint-index.ts), so nobody can make keys collide on purpose.
 */
export interface Entries {
  readonly keys: Uint32Array;
  readonly pages: Uint32Array;
}

/**
 * The share of slots that may be used. Ranges of keys are emptied in turn, so the ranges that are emptied next are
 * twice as full as the average. Above four fifths, entries are too far from their slots.
 */
const MOST_FULL = 0.36;

/** The fewest bits for a table that this many entries do not fill. */
export function slotBitsFor(entries: number): number {
  return Math.ceil(Math.log2((entries + 1) / MOST_FULL));
}

export class RecentFingerprints {
  readonly slotBits: number;
  readonly #shift: number;
  readonly #most: number;
  #keys: Uint32Array;
  /** 0 means that the slot is free. */
  #pages: Uint32Array;
  size = 0;

  constructor(slotBits: number) {
    this.slotBits = slotBits;
    const slots = 2 ** slotBits;
    this.#shift = 32 - slotBits;
    this.#most = Math.floor(slots * MOST_FULL);
    // Entries of the last slots need room after the end of the table, so it has an eighth more slots.
    this.#keys = new Uint32Array(slots + slots / 8);
    this.#pages = new Uint32Array(slots + slots / 8);
  }

  get isFull(): boolean {
    return this.size >= this.#most;
  }

  add(key: number, page: number): void {
    const pages = this.#pages;
    let slot = key >>> this.#shift;
    while (slot < pages.length && pages[slot] !== 0) slot++;
    if (slot === pages.length) this.#growEnd();
    this.#keys[slot] = key;
    this.#pages[slot] = page;
    this.size++;
  }

  /** Adds the pages of a key to `found`. */
  find(key: number, found: number[]): void {
    const keys = this.#keys;
    const pages = this.#pages;
    for (let slot = key >>> this.#shift; slot < pages.length && pages[slot] !== 0; slot++) {
      if (keys[slot] === key) found.push(pages[slot] as number);
    }
  }

  /** Returns the same entries in a table with twice as many slots. */
  enlarged(): RecentFingerprints {
    const larger = new RecentFingerprints(this.slotBits + 1);
    for (let slot = 0; slot < this.#pages.length; slot++) {
      const page = this.#pages[slot] as number;
      if (page !== 0) larger.add(this.#keys[slot] as number, page);
    }
    return larger;
  }

  /** Removes and returns the entries with keys from `from` up to, but not including, `to`, sorted by key and page. */
  take(from: number, to: number): Entries {
    const keys = this.#keys;
    const pages = this.#pages;
    const first = from >>> this.#shift;
    const last = (to - 1) >>> this.#shift;
    let end = first;
    let count = 0;
    for (; end < pages.length && (end <= last || pages[end] !== 0); end++) {
      if (pages[end] !== 0 && isWithin(keys[end] as number, from, to)) count++;
    }
    const taken = { keys: new Uint32Array(count), pages: new Uint32Array(count) };
    const kept: number[] = [];
    count = 0;
    for (let slot = first; slot < end; slot++) {
      const page = pages[slot] as number;
      if (page === 0) continue;
      const key = keys[slot] as number;
      if (isWithin(key, from, to)) insertSorted(taken, count++, key, page);
      else kept.push(key, page);
      pages[slot] = 0;
      this.size--;
    }
    // Neighbours that were displaced by the removed entries are added again, nearer to their slots.
    for (let i = 0; i < kept.length; i += 2) this.add(kept[i] as number, kept[i + 1] as number);
    return taken;
  }

  #growEnd(): void {
    const length = this.#pages.length + 1_024;
    const [keys, pages] = [new Uint32Array(length), new Uint32Array(length)];
    keys.set(this.#keys);
    pages.set(this.#pages);
    this.#keys = keys;
    this.#pages = pages;
  }
}

function isWithin(key: number, from: number, to: number): boolean {
  return key >= from && key < to;
}

/** Insertion sort: nearly all entries come in order. */
function insertSorted({ keys, pages }: Entries, count: number, key: number, page: number): void {
  let at = count;
  for (; at > 0; at--) {
    const before = keys[at - 1] as number;
    if (before < key || (before === key && (pages[at - 1] as number) < page)) break;
    keys[at] = before;
    pages[at] = pages[at - 1] as number;
  }
  keys[at] = key;
  pages[at] = page;
}
