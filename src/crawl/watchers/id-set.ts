/** A set of URL ids, a bit each: a listing may name a million pages. */
export class IdSet {
  #bits = new Uint8Array(1_024);

  add(id: number): void {
    const at = id >>> 3;
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, 2 * this.#bits.length));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at]! |= 1 << (id & 7);
  }

  /** Ascending. */
  *[Symbol.iterator](): Generator<number> {
    for (const [at, bits] of this.#bits.entries()) {
      if (bits === 0) continue;
      for (let bit = 0; bit < 8; bit++) if ((bits & (1 << bit)) !== 0) yield 8 * at + bit;
    }
  }

  has(id: number): boolean {
    return ((this.#bits[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }
}
