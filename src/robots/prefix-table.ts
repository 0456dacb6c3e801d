/**
 * A sorted table of prefixes. It finds the longest prefix of a path with one binary search and a few steps to shorter
 * prefixes. Speed matters because some files have thousands of prefixes and every URL is looked up.
 */
export class PrefixTable {
  readonly prefixes: readonly string[];
  /** For each prefix, the index of the longest other prefix that it begins with, or -1. */
  readonly parents: Int32Array;

  constructor(prefixes: Iterable<string>) {
    // Spelled patterns are ASCII, so the order of code units is the order of octets.
    this.prefixes = [...prefixes].sort();
    this.parents = new Int32Array(this.prefixes.length);
    // In sorted order, the ancestors of a prefix form a stack.
    const open: number[] = [];
    for (const [index, prefix] of this.prefixes.entries()) {
      while (open.length > 0 && !prefix.startsWith(this.prefixes[open.at(-1)!]!)) open.pop();
      this.parents[index] = open.at(-1) ?? -1;
      open.push(index);
    }
  }

  /** Approximate memory of the table: a short string takes about 24 bytes in addition to its characters. */
  get byteLength(): number {
    let bytes = 0;
    for (const prefix of this.prefixes) bytes += 36 + prefix.length;
    return bytes;
  }

  /** Index of the longest prefix that the path begins with, or -1. `parents` leads to all shorter ones. */
  longest(path: string): number {
    let low = 0;
    let high = this.prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.prefixes[middle]! <= path) low = middle + 1;
      else high = middle;
    }
    // The last prefix that sorts before the path begins with every prefix of the path in the table.
    let index = low - 1;
    while (index >= 0 && !path.startsWith(this.prefixes[index]!)) index = this.parents[index]!;
    return index;
  }
}
