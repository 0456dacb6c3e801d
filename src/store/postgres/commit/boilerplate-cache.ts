/**
 * Fingerprints that many pages have, met lately: headings and footers of the sites that are being crawled. Who looks a page up knows from
 * them how many of its fingerprints will count, and asks once instead of twice.
 *
 * Bounded: when there are too many, those that were not met since the last time are forgotten.
 */
const MOST = 2 ** 15;

export class CommonPrints {
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
