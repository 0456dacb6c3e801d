/**
 * The different words of one text with their counts. The object is reused for each page, so that
 * judging a page allocates no memory.
 */
import type { WordScan } from './word-scan.ts';

/** A page with more different words is a list of words. Its first words are enough to tell its subject. */
const MAX_DIFFERENT = 8_192;
const SLOTS = MAX_DIFFERENT * 4;
/**
 * The hash function is public, so a page can be written to make all its words collide. This
 * limits the length of a search.
 */
const MAX_PROBES = 24;

export class PageBag {
  readonly hashes = new Int32Array(MAX_DIFFERENT);
  readonly times = new Uint16Array(MAX_DIFFERENT);
  count = 0;
  /** The index of a word in `hashes`, plus one. 0 means that the slot is free. */
  readonly #slots = new Uint16Array(SLOTS);
  readonly #used = new Uint16Array(MAX_DIFFERENT);

  fill(scan: WordScan): void {
    for (let i = 0; i < this.count; i++) this.#slots[this.#used[i]!] = 0;
    this.count = 0;
    for (let i = 0; i < scan.count; i++) this.#add(scan.hashes[i]!);
  }

  #add(hash: number): void {
    let slot = (hash >>> 8) & (SLOTS - 1);
    let probes = 0;
    for (let place = this.#slots[slot]!; place !== 0; place = this.#slots[slot]!) {
      if (this.hashes[place - 1] === hash) {
        if (this.times[place - 1]! < 0xffff) this.times[place - 1]!++;
        return;
      }
      if (++probes === MAX_PROBES) return;
      slot = (slot + 1) & (SLOTS - 1);
    }
    if (this.count === MAX_DIFFERENT) return;
    this.#used[this.count] = slot;
    this.hashes[this.count] = hash;
    this.times[this.count] = 1;
    this.#slots[slot] = ++this.count;
  }
}
