/**
 * A text as the paper's program read it: one byte a character, in the charset of its day (windows-1252), as a signed `char`.
 * What that charset does not have stands as its UTF-8 bytes, so that every text has a code.
 */

/** 0x80–0x9f of windows-1252; the rest of it is Latin-1. Five places are empty and stand for themselves. */
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const BYTE_OF = new Map(Array.from(HIGH, (character, at) => [character.charCodeAt(0), 0x80 + at]));

/** The end of file, which the paper's sums count as a character. */
export const END_OF_FILE = -1;

/** Characters that are not one byte of Latin-1 with the same number. */
const OTHERS = /[^\0-\x7f\xa0-\xff]/;

export function textBytes(text: string): Int8Array {
  if (!OTHERS.test(text)) {
    const latin1 = Buffer.from(text, 'latin1');
    return new Int8Array(latin1.buffer, latin1.byteOffset, latin1.length);
  }
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) bytes[size++] = code;
    else {
      const byte = BYTE_OF.get(code);
      if (byte !== undefined) bytes[size++] = byte;
      else {
        // A pair of surrogates is one character of four bytes.
        const isPair = code >= 0xd800 && code < 0xdc00 && at + 1 < text.length;
        size += bytes.write(isPair ? text.slice(at, at + 2) : text.charAt(at), size, 'utf8');
        if (isPair) at++;
      }
    }
  }
  return new Int8Array(bytes.buffer, bytes.byteOffset, size);
}

/** How often each byte stands in a text: both codes are made from nothing else. */
export interface ByteCounts {
  readonly of: Float64Array;
  readonly all: number;
}

export function countBytes(bytes: Int8Array): ByteCounts {
  const counts = new Float64Array(256);
  for (let at = 0; at < bytes.length; at++) counts[(bytes[at] as number) & 0xff]!++;
  return { of: counts, all: bytes.length };
}

/** Which `char` the counts at a place are of. */
export function charAt(place: number): number {
  return place < 128 ? place : place - 256;
}
