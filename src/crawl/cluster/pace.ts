/** Pages a second of late, from a count that is looked at once a second. */
const LOOKS = 10;

export class Pace {
  readonly #counts: number[] = [];

  see(pages: number): void {
    this.#counts.push(pages);
    if (this.#counts.length > LOOKS + 1) this.#counts.shift();
  }

  get pagesPerSecond(): number {
    const seconds = this.#counts.length - 1;
    if (seconds < 1) return 0;
    return Number(((this.#counts.at(-1)! - this.#counts[0]!) / seconds).toFixed(1));
  }
}
