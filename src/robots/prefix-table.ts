/**
 * A sorted table of prefixes. It finds the longest prefix of a path by one binary search and a few steps up, because
 * some
 * files have thousands of prefixes and the table is asked for every URL.
 */
export class PrefixTable {
  readonly prefixes: readonly string[];
  /** For each prefix, the index of the longest other prefix that it begins with, or -1. */
  readonly parents: Int32Array;

  constructor(prefixes: Iterable<string>) {
    // The order of code units is the order of octets here, because spelled patterns are ASCII.
    this.prefixes = [...prefixes].sort();
    this.parents = new Int32Array(this.prefixes.length);
    // In sorted order the ancestors of a prefix form a stack.
    const open: number[] = [];
    for (const [index, prefix] of this.prefixes.entries()) {
      while (open.length > 0 && !prefix.startsWith(this.prefixes[open.at(-1)!]!)) open.pop();
      this.parents[index] = open.at(-1) ?? -1;
      open.push(index);
    }
  }

  /** About how much memory the table takes: a short text has about 24 bytes besides its characters. */
  get byteLength(): number {
    let bytes = 0;
    for (const prefix of this.prefixes) bytes += 36 + prefix.length;
    return bytes;
  }

  /** Index of the longest prefix that the path begins with, or -1. Its `parents` are all the others. */
  longest(path: string): number {
    let low = 0;
    let high = this.prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.prefixes[middle]! <= path) low = middle + 1;
      else high = middle;
    }
    // The greatest prefix that sorts before the path begins with every prefix of the path in the table.
    let index = low - 1;
    while (index >= 0 && !path.startsWith(this.prefixes[index]!)) index = this.parents[index]!;
    return index;
  }
}
