/** Turns the words of a text into hashes, for shingles. */

/** Further words are ignored: no page that people read is longer, and the time stays bounded. */
export const MAX_WORDS = 200_000;
const SPACE = 0x20;

export interface WordHashes {
  readonly values: Int32Array;
  readonly count: number;
}

/**
 * A word is the text between white space. The text is read as bytes, because each access to a character of a string
 * must first check how the string is stored.
 */
export function wordsOf(text: string): WordHashes {
  const bytes = encode(text);
  const length = bytes.length;
  let values = new Int32Array(1 + Math.min(MAX_WORDS, length >> 2));
  let count = 0;
  let at = 0;
  while (at < length && count < MAX_WORDS) {
    let code = bytes[at++] as number;
    if (code <= SPACE) continue;
    let word = 0;
    // The text always ends with white space.
    do {
      word = (Math.imul(word, 0x01000193) + code) | 0;
      code = bytes[at++] as number;
    } while (code > SPACE);
    if (count === values.length) values = grown(values);
    values[count++] = word;
  }
  return { values, count };
}

function grown(values: Int32Array): Int32Array<ArrayBuffer> {
  const twice = new Int32Array(values.length * 2);
  twice.set(values);
  return twice;
}

/** The bytes go into a buffer that is used again. A new buffer for each page would keep the garbage collector busy. */
let reused = Buffer.allocUnsafeSlow(128 * 1024);
const MAX_REUSED_BYTES = 1024 * 1024;

/** The text as UTF-8, followed by white space. */
function encode(text: string): Uint8Array {
  const most = text.length * 3 + 1;
  let buffer = reused;
  if (most > MAX_REUSED_BYTES) buffer = Buffer.allocUnsafe(Buffer.byteLength(text) + 1);
  else if (most > reused.length) buffer = reused = Buffer.allocUnsafeSlow(MAX_REUSED_BYTES);
  const size = buffer.write(text);
  buffer[size] = SPACE;
  return new Uint8Array(buffer.buffer, buffer.byteOffset, size + 1);
}
