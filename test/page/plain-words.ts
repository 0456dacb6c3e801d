/** The words of a text, formed byte by byte: the rule that the kernel has to follow, without its speed. */

const PART_BYTES = 16;

export function plainWords(text: Uint8Array): number[] {
  const words: number[] = [];
  let open: number[] = [];
  const end = (): void => {
    if (open.length > 0) words.push(hashOf(open));
    open = [];
  };
  for (let at = 0; at < text.length; ) {
    const first = text[at] as number;
    let next = at + 1;
    if (first < 0x80) {
      const lower = first | 0x20;
      if (lower >= 97 && lower <= 122) open.push(lower);
      else if (first >= 48 && first <= 57) open.push(first);
      else end();
    } else {
      while (next < text.length && ((text[next] as number) & 0xc0) === 0x80) next++;
      const role = roleOf(first, next > at + 1 ? (text[at + 1] as number) : 0);
      if (role !== 'letter') end();
      if (role !== 'gap') open.push(...text.subarray(at, next));
      if (role === 'word') end();
    }
    at = next;
  }
  end();
  return words;
}

/** A word as the kernel stores it. The bytes stand at the end of parts of 16 bytes. */
function hashOf(bytes: readonly number[]): number {
  const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
  let hash = 0n;
  const padded = Buffer.alloc(Math.ceil(bytes.length / PART_BYTES) * PART_BYTES);
  padded.set(bytes, padded.length - bytes.length);
  for (let at = 0; at < padded.length; at += PART_BYTES) {
    hash = u64((hash ^ padded.readBigUInt64LE(at)) * 0x9e3779b97f4a7c15n);
    hash = u64((hash ^ (hash >> 32n) ^ padded.readBigUInt64LE(at + 8)) * 0xbf58476d1ce4e5b9n);
  }
  hash = u64((hash ^ (hash >> 32n)) * 0x94d049bb133111ebn);
  const isNumber = bytes.every((byte) => byte < 0x40);
  return ((Number(hash >> 32n) & -2) | (isNumber ? 1 : 0)) >>> 0;
}

/** In scripts without spaces every character is a word, so each character of three or more bytes is. */
function roleOf(first: number, second: number): 'letter' | 'word' | 'gap' {
  if (first === 0xc2) return 'gap';
  if (first < 0xe0) return 'letter';
  if (first === 0xe2 && second < 0xb0) return 'gap';
  return first === 0xe3 && second === 0x80 ? 'gap' : 'word';
}
