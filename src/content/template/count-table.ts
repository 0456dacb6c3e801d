/**
 * Counts keys of 32 bits in bounded memory. All counts can be halved: the share of one count in another stays, and old
 * pages count less from then on. When the table is full, the rarest keys are dropped.
 *
 * What always holds: the table has at most `maxSlots` slots of ten bytes. A key counts once per page, however often it
 * is counted.
 */
const FIRST_SLOTS = 256;
/** A table is full when so many of its slots are used, and has room again when so many are. */
const FULL = 0.75;
const ROOMY = 0.5;
const MOST = 0xffff;

export class CountTable {
  readonly #maxSlots: number;
  #keys = new Uint32Array(FIRST_SLOTS);
  #counts = new Uint16Array(FIRST_SLOTS);
  /** The page at which a key was counted last. */
  #pages = new Uint32Array(FIRST_SLOTS);
  #used = 0;
  #page = 0;

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots;
  }

  /** The number of keys. */
  get size(): number {
    return this.#used;
  }

  /** Begins the next page. */
  nextPage(): void {
    this.#page++;
    this.#makeRoom();
  }

  halve(): void {
    this.#rebuild(this.#keys.length, (count) => count >>> 1);
  }

  countOf(key: number): number {
    return this.#counts[this.#slotOf(key)] as number;
  }

  /** Counts the key for this page. A new key begins with the count `first`. Returns its count. */
  add(key: number, first: number): number {
    let slot = this.#slotOf(key);
    const count = this.#counts[slot] as number;
    if (count === 0) {
      if (this.#used > this.#keys.length * FULL && this.#keys.length < this.#maxSlots) {
        this.#makeRoom();
        slot = this.#slotOf(key);
      }
      // A single page can have more blocks than the table has room for. They are left out until the next page.
      if (this.#used > this.#keys.length * 0.9) return 0;
      this.#used++;
      this.#keys[slot] = key;
    } else if (this.#pages[slot] === this.#page || count === MOST) return count;
    const next = count === 0 ? first : count + 1;
    this.#pages[slot] = this.#page;
    this.#counts[slot] = next;
    return next;
  }

  /** Adds a stored count. */
  restore(key: number, count: number): void {
    this.#makeRoom();
    const slot = this.#slotOf(key);
    if (this.#counts[slot] === 0) this.#used++;
    this.#keys[slot] = key;
    this.#counts[slot] = Math.min(MOST, (this.#counts[slot] as number) + count);
  }

  /** The keys that have at least this count, with their counts. */
  *entries(least: number): Generator<readonly [key: number, count: number]> {
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const count = this.#counts[slot] as number;
      if (count >= least) yield [this.#keys[slot] as number, count];
    }
  }

  /** The slot of the key, or the empty slot where it belongs. */
  #slotOf(key: number): number {
    const last = this.#keys.length - 1;
    let slot = (key ^ (key >>> 15)) & last;
    while (this.#counts[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & last;
    return slot;
  }

  #makeRoom(): void {
    const slots = this.#keys.length;
    if (this.#used <= slots * FULL) return;
    if (slots < this.#maxSlots) {
      this.#rebuild(slots * 2, (count) => count);
      return;
    }
    for (let least = 2; this.#used > slots * ROOMY; least *= 2) {
      this.#rebuild(slots, (count) => (count >= least ? count : 0));
    }
  }

  /** Copies everything into a table of so many slots. A key whose new count is 0 is dropped. */
  #rebuild(slots: number, newCount: (count: number) => number): void {
    const [keys, counts, pages] = [this.#keys, this.#counts, this.#pages];
    this.#keys = new Uint32Array(slots);
    this.#counts = new Uint16Array(slots);
    this.#pages = new Uint32Array(slots);
    this.#used = 0;
    for (let old = 0; old < keys.length; old++) {
      const count = newCount(counts[old] as number);
      if (count === 0) continue;
      const slot = this.#slotOf(keys[old] as number);
      this.#keys[slot] = keys[old] as number;
      this.#counts[slot] = count;
      this.#pages[slot] = pages[old] as number;
      this.#used++;
    }
  }
}
