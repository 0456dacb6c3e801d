/**
 * Counts keys of 32 bits in bounded memory. All counts can be halved: the share of one count in another stays, and old
 * pages count less from then on. When the table is full, the rarest keys are dropped.
 *
 * What always holds: the table has at most `maxSlots` slots of eight bytes. A key counts at most once per page, however
 * often it is counted.
 */
const FIRST_SLOTS = 256;
/** A table is full when so many of its slots are used, and has room again when so many are. */
const FULL = 0.75;
const ROOMY = 0.5;
const MOST = 0xffff;
/** Higher counts are not told apart when the highest counts are chosen. */
const TALLIED = 1_023;
/** An encoded key and its count. */
const KEY_BYTES = 6;

export class CountTable {
  readonly #maxSlots: number;
  /**
   * Two numbers for each slot, side by side, so that a look-up reads one place of the memory: the key; and its count,
   * with the page at which it was counted last in the upper half.
   */
  #slots = new Uint32Array(FIRST_SLOTS * 2);
  #used = 0;
  /** The number of the page, in 16 bits. */
  #page = 0;
  /** Keeps the compiler from leaving out the reads of `touch`. It has no meaning. */
  touched = 0;

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots;
  }

  /** The number of keys. */
  get size(): number {
    return this.#used;
  }

  /** Begins the next page. */
  nextPage(): void {
    this.#page = (this.#page + 1) & 0xffff;
    this.#makeRoom();
  }

  /**
   * Reads the slots of keys that are counted next, so that they are in the cache of the processor then. These reads do
   * not wait for each other, but those of `add` do. It saves a quarter of the time of `Template.learn` in a crawl.
   */
  touch(keys: Uint32Array, length: number): void {
    const slots = this.#slots;
    const last = slots.length - 2;
    let sum = 0;
    for (let i = 0; i < length; i++) {
      const key = keys[i] as number;
      sum ^= slots[((key ^ (key >>> 15)) << 1) & last] as number;
    }
    this.touched = sum;
  }

  halve(): void {
    this.#rebuild(this.#slots.length, (count) => count >>> 1);
  }

  countOf(key: number): number {
    return (this.#slots[this.#slotOf(key) + 1] as number) & MOST;
  }

  /** Counts the key for this page. A new key begins with the count `first`. Returns its count. */
  add(key: number, first: number): number {
    let slot = this.#slotOf(key);
    const value = this.#slots[slot + 1] as number;
    const count = value & MOST;
    if (count === 0) {
      if (this.#used * 2 > this.#slots.length * FULL && this.#slots.length < this.#maxSlots * 2) {
        this.#makeRoom();
        slot = this.#slotOf(key);
      }
      // A single page can have more blocks than the table has room for. They are left out until the next page.
      if (this.#used * 2 > this.#slots.length * 0.9) return 0;
      this.#used++;
      this.#slots[slot] = key;
    } else if (value >>> 16 === this.#page || count === MOST) return count;
    const next = count === 0 ? first : count + 1;
    this.#slots[slot + 1] = (this.#page << 16) | next;
    return next;
  }

  /**
   * The keys that have at least this count, with their counts, as bytes. If there are more than `most`, the highest
   * counts are written. No object is made for a single key, because a table of 16,384 keys would then cost as much
   * garbage as hundreds of pages.
   */
  encode(least: number, most: number): Buffer {
    const { cut, atCut, length } = this.#lowestCount(least, most);
    const bytes = Buffer.allocUnsafe(length * KEY_BYTES);
    let spare = atCut;
    let at = 0;
    for (let slot = 0; slot < this.#slots.length; slot += 2) {
      const count = (this.#slots[slot + 1] as number) & MOST;
      if (count < cut || (Math.min(count, TALLIED) === cut && spare-- <= 0)) continue;
      bytes.writeUInt32LE(this.#slots[slot] as number, at);
      bytes.writeUInt16LE(count, at + 4);
      at += KEY_BYTES;
    }
    return bytes;
  }

  /**
   * The lowest count that is written, how many keys with just this count, and how many keys in all. Counts from
   * `TALLIED` on are taken as equal: a table for all possible counts would be larger than the keys.
   */
  #lowestCount(least: number, most: number): { cut: number; atCut: number; length: number } {
    const keysOf = new Uint32Array(TALLIED + 1);
    for (let slot = 1; slot < this.#slots.length; slot += 2) {
      const count = Math.min((this.#slots[slot] as number) & MOST, TALLIED);
      keysOf[count] = (keysOf[count] as number) + 1;
    }
    let length = 0;
    for (let count = TALLIED; count >= least; count--) {
      const keys = keysOf[count] as number;
      if (length + keys > most) return { cut: count, atCut: most - length, length: most };
      length += keys;
    }
    return { cut: least, atCut: keysOf[least] as number, length };
  }

  /** A table with encoded counts. Bytes that make no sense give a table that counts little. */
  static decode(bytes: Uint8Array, maxSlots: number): CountTable {
    const table = new CountTable(maxSlots);
    const keys = bytes.length / KEY_BYTES;
    let slots = FIRST_SLOTS;
    while (slots < maxSlots && keys > slots * FULL) slots *= 2;
    table.#slots = new Uint32Array(slots * 2);
    table.raise(bytes);
    return table;
  }

  /** Raises the counts that are lower than these encoded ones. */
  raise(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + KEY_BYTES <= bytes.length; at += KEY_BYTES) {
      const count = view.getUint16(at + 4, true);
      if (count > 0) this.#raise(view.getUint32(at, true), count);
    }
  }

  #raise(key: number, count: number): void {
    this.#makeRoom();
    const slot = this.#slotOf(key);
    const before = (this.#slots[slot + 1] as number) & MOST;
    if (count <= before) return;
    if (before === 0) this.#used++;
    this.#slots[slot] = key;
    // No page has begun yet, so the page of the count does not matter.
    this.#slots[slot + 1] = count;
  }

  /** The position of the key, or the empty position where it belongs. */
  #slotOf(key: number): number {
    const slots = this.#slots;
    const last = slots.length - 2;
    let slot = ((key ^ (key >>> 15)) << 1) & last;
    while (((slots[slot + 1] as number) & MOST) !== 0 && slots[slot] !== key) slot = (slot + 2) & last;
    return slot;
  }

  #makeRoom(): void {
    const size = this.#slots.length;
    if (this.#used * 2 <= size * FULL) return;
    if (size < this.#maxSlots * 2) {
      this.#rebuild(size * 2, (count) => count);
      return;
    }
    for (let least = 2; this.#used * 2 > size * ROOMY; least *= 2) {
      this.#rebuild(size, (count) => (count >= least ? count : 0));
    }
  }

  /** Copies everything into a table of this size. A key whose new count is 0 is dropped. */
  #rebuild(size: number, newCount: (count: number) => number): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(size);
    this.#used = 0;
    for (let from = 0; from < old.length; from += 2) {
      const value = old[from + 1] as number;
      const count = newCount(value & MOST);
      if (count === 0) continue;
      const slot = this.#slotOf(old[from] as number);
      this.#slots[slot] = old[from] as number;
      this.#slots[slot + 1] = (value & ~MOST) | count;
      this.#used++;
    }
  }
}
