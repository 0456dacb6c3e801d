/** The words of texts as numbers: what shingles are made of, and how many words came and went. */

/** What is behind is not looked at: no page that people read is longer, and the time stays bounded. */
const MAX_WORDS = 200_000;
const SPACE = 0x20;

export interface WordHashes {
  readonly values: Int32Array;
  readonly count: number;
}

/** A word is what stands between white space. Read as bytes: of a string it is asked at each character how it is stored. */
export function wordsOf(text: string): WordHashes {
  const bytes = encode(text);
  const length = bytes.length;
  let values = new Int32Array(1 + Math.min(MAX_WORDS, length >> 3));
  let count = 0;
  let word = 0;
  for (let at = 0; at <= length; at++) {
    const code = at < length ? (bytes[at] as number) : SPACE;
    if (code > SPACE) word = (Math.imul(word ^ code, 0x01000193) + 0x3243f6a9) | 0;
    else if (word !== 0) {
      if (count === values.length) values = grown(values);
      values[count++] = word;
      word = 0;
      if (count >= MAX_WORDS) break;
    }
  }
  return { values, count };
}

function grown(values: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(values.length * 2);
  twice.set(values);
  return twice;
}

/** Into a buffer that is used again: a new one for each page would keep the garbage collector busy. */
let reused = Buffer.allocUnsafeSlow(128 * 1024);
const MAX_REUSED_BYTES = 1024 * 1024;

function encode(text: string): Buffer {
  const most = text.length * 3;
  if (most > MAX_REUSED_BYTES) return Buffer.from(text);
  if (most > reused.length) reused = Buffer.allocUnsafeSlow(MAX_REUSED_BYTES);
  return reused.subarray(0, reused.write(text));
}

/** How many words the second has and the first has not, and the other way round; a word that stands twice counts twice. */
export function compareWords(before: WordHashes, after: WordHashes): { added: number; removed: number } {
  const surplus = new Map<number, number>();
  for (let at = 0; at < after.count; at++) {
    const word = after.values[at] as number;
    surplus.set(word, (surplus.get(word) ?? 0) + 1);
  }
  let removed = 0;
  for (let at = 0; at < before.count; at++) {
    const word = before.values[at] as number;
    const left = surplus.get(word) ?? 0;
    if (left > 0) surplus.set(word, left - 1);
    else removed++;
  }
  let added = 0;
  for (const left of surplus.values()) added += left;
  return { added, removed };
}
