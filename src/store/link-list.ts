/**
 * The ids a page links to, a few bytes a link: ascending, each as the difference to the one before in base-128 digits,
 * lowest first, the high bit saying that more follow.
 */
export function encodeLinkList(ids: readonly number[]): Uint8Array {
  const sorted = Float64Array.from(ids).sort();
  const bytes = new Uint8Array(sorted.length * 8);
  let length = 0;
  let previous = 0;
  for (const id of sorted) {
    let rest = id - previous;
    previous = id;
    while (rest >= 128) {
      bytes[length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    bytes[length++] = rest;
  }
  return bytes.subarray(0, length);
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
