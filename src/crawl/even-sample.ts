/** A sample of what comes, evenly spread, however much that is: whenever it is full, every other one makes room. */
export class EvenSample<T> {
  readonly #size: number;
  #kept: T[] = [];
  #stride = 1;
  #seen = 0;

  /** It keeps at least `size` of as many or more. */
  constructor(size: number) {
    this.#size = size;
  }

  get items(): readonly T[] {
    return this.#kept;
  }

  offer(item: T): void {
    if (this.#seen++ % this.#stride !== 0) return;
    this.#kept.push(item);
    if (this.#kept.length < 2 * this.#size) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 0);
    this.#stride *= 2;
  }
}
