/** The stored form of a block of the print index: all its keys, ascending, then their pages; four bytes each. */
import type { Entries } from '../../rules/recent-fingerprints.ts';

export function packEntries({ keys, pages }: Entries): Uint8Array {
  const packed = new Uint32Array(2 * keys.length);
  packed.set(keys);
  packed.set(pages, keys.length);
  return new Uint8Array(packed.buffer);
}

export function entriesOf(block: Uint8Array): Entries {
  // A number of four bytes can be read only at an aligned address.
  const { buffer, byteOffset, byteLength } = block.byteOffset % 4 === 0 ? block : block.slice();
  const count = byteLength >>> 3;
  return {
    keys: new Uint32Array(buffer, byteOffset, count),
    pages: new Uint32Array(buffer, byteOffset + 4 * count, count),
  };
}

/** Merges two lists that are sorted by key and page; an entry in both lists is kept once. */
export function joinEntries(a: Entries, b: Entries): Entries {
  const keys = new Uint32Array(a.keys.length + b.keys.length);
  const pages = new Uint32Array(keys.length);
  let i = 0;
  let j = 0;
  let count = 0;
  while (i < a.keys.length || j < b.keys.length) {
    const order = j === b.keys.length ? -1 : i === a.keys.length ? 1 : compareAt(a, i, b, j);
    const from = order <= 0 ? a : b;
    const at = order <= 0 ? i++ : j++;
    const key = from.keys[at] as number;
    const page = from.pages[at] as number;
    if (count > 0 && keys[count - 1] === key && pages[count - 1] === page) continue;
    keys[count] = key;
    pages[count++] = page;
  }
  return { keys: keys.subarray(0, count), pages: pages.subarray(0, count) };
}

function compareAt(a: Entries, i: number, b: Entries, j: number): number {
  return (a.keys[i] as number) - (b.keys[j] as number) || (a.pages[i] as number) - (b.pages[j] as number);
}

/**
 * Splits the entries into pieces of `size` or slightly more, if there are more than two pieces. All entries of
 * a key stay in one piece.
 */
export function sliceEntries({ keys, pages }: Entries, size: number): Entries[] {
  if (keys.length <= 2 * size) return [{ keys, pages }];
  const pieces: Entries[] = [];
  for (let from = 0; from < keys.length; ) {
    let to = Math.min(from + size, keys.length);
    while (to < keys.length && keys[to] === keys[to - 1]) to++;
    pieces.push({ keys: keys.subarray(from, to), pages: pages.subarray(from, to) });
    from = to;
  }
  return pieces;
}
