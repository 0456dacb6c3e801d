/**
 * A cache of fingerprints that many pages have: headings and footers of the sites that are being crawled. With this
 * cache a look-up knows how many fingerprints of a page will count, and needs one query instead of two.
 *
 * What always holds: the size is limited. When the cache is full,
 * fingerprints that were not added since the last time are dropped.
 */
const MOST = 2 ** 15;

export class BoilerplateCache {
  #lately = new Set<number>();
  #before = new Set<number>();

  add(print: number): void {
    if (this.#lately.size >= MOST) {
      this.#before = this.#lately;
      this.#lately = new Set();
    }
    this.#lately.add(print);
  }

  has(print: number): boolean {
    return this.#lately.has(print) || this.#before.has(print);
  }
}
