/**
 * The ids a page links to, a few bytes a link: ascending, each as the difference to the one before in base-128 digits,
 * lowest first, the high bit saying that more follow.
 */
export interface LinkList {
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** Most that an id can take: 53 bits, seven to a byte. */
const MAX_ID_BYTES = 8;

/** Of two lists together, each id once. */
export function encodeLinkList(some: readonly number[], others: readonly number[]): LinkList {
  const sorted = new Float64Array(some.length + others.length);
  sorted.set(some);
  sorted.set(others, some.length);
  sorted.sort();
  const bytes = new Uint8Array(sorted.length * MAX_ID_BYTES);
  let length = 0;
  let count = 0;
  let previous = 0;
  for (const id of sorted) {
    if (id === previous && count > 0) continue;
    let rest = id - previous;
    previous = id;
    count++;
    while (rest >= 128) {
      bytes[length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    bytes[length++] = rest;
  }
  return { bytes: bytes.subarray(0, length), count };
}

export function* decodeLinkList(bytes: Uint8Array): Generator<number> {
  let id = 0;
  let value = 0;
  let scale = 1;
  for (const byte of bytes) {
    value += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    id += value;
    yield id;
    value = 0;
    scale = 1;
  }
}
