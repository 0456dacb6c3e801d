/** Counts how many pages have each number. Memory grows with the distinct numbers, never with the pages. */
export class Histogram {
  readonly #counts = new Map<number, number>();
  #total = 0;
  #least = 0;
  #most = 0;
  /** The smallest or largest number was removed. The new one is searched at the next read. */
  #isStale = false;

  get total(): number {
    return this.#total;
  }

  /** 0 if empty. */
  get least(): number {
    this.#refresh();
    return this.#least;
  }

  /** 0 if empty. */
  get most(): number {
    this.#refresh();
    return this.#most;
  }

  add(value: number, count = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count);
    if (this.#total === 0) {
      this.#least = value;
      this.#most = value;
      this.#isStale = false;
    } else if (!this.#isStale) {
      if (value < this.#least) this.#least = value;
      if (value > this.#most) this.#most = value;
    }
    this.#total += count;
  }

  /** Returns false and does nothing if no page has this number. */
  remove(value: number): boolean {
    const count = this.#counts.get(value);
    if (count === undefined) return false;
    this.#total--;
    if (count > 1) this.#counts.set(value, count - 1);
    else {
      this.#counts.delete(value);
      if (value === this.#least || value === this.#most) this.#isStale = true;
    }
    return true;
  }

  entries(): [number, number][] {
    return [...this.#counts].sort(([left], [right]) => left - right);
  }

  #refresh(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    this.#least = 0;
    this.#most = 0;
    let isFirst = true;
    for (const value of this.#counts.keys()) {
      if (isFirst || value < this.#least) this.#least = value;
      if (isFirst || value > this.#most) this.#most = value;
      isFirst = false;
    }
  }
}
