/**
 * All plain-prefix rules of a group, in sorted order: some files have thousands, and every URL is asked about. The longest
 * prefix of a path is found by one binary search and a few steps up.
 */
export class PrefixRules {
  readonly #prefixes: readonly string[];
  readonly #allows: readonly boolean[];
  /** For each prefix, the index of the longest other one that it begins with, or -1. */
  readonly #parents: Int32Array;

  constructor(rules: ReadonlyMap<string, boolean>) {
    // Code-unit order, which is octet order here: spelled patterns are ASCII.
    this.#prefixes = [...rules.keys()].sort();
    this.#allows = this.#prefixes.map((prefix) => rules.get(prefix)!);
    this.#parents = new Int32Array(this.#prefixes.length);
    // In sorted order the open ancestors of a prefix form a stack.
    const open: number[] = [];
    for (const [index, prefix] of this.#prefixes.entries()) {
      while (open.length > 0 && !prefix.startsWith(this.#prefixes[open.at(-1)!]!)) open.pop();
      this.#parents[index] = open.at(-1) ?? -1;
      open.push(index);
    }
  }

  /** The strongest rule for the path: its number of octets and what it says. Nothing matching gives zero octets. */
  strongest(path: string): { octets: number; allow: boolean } {
    let low = 0;
    let high = this.#prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#prefixes[middle]! <= path) low = middle + 1;
      else high = middle;
    }
    // The greatest prefix that sorts before the path begins with every prefix of the path that there is.
    let index = low - 1;
    while (index >= 0 && !path.startsWith(this.#prefixes[index]!)) index = this.#parents[index]!;
    return index < 0
      ? { octets: 0, allow: true }
      : { octets: this.#prefixes[index]!.length, allow: this.#allows[index]! };
  }
}
