/**
 * The two text codes of a page. They read a text as the paper's program did: one byte per character, in windows-1252,
 * the charset of its time, as a signed `char`. Characters that this charset does not have become their UTF-8 bytes, so
 * that every text has a code.
 */

/**
 * The characters 0x80–0x9f of windows-1252; the others are those of
 * Latin-1. Five unassigned codes stand for themselves.
 */
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
/** The byte of every UTF-16 code, or 0 if the charset does not have the character. */
const BYTE_AT = new Uint8Array(0x1_0000);
for (let code = 0; code <= 0xff; code++) if (code < 0x80 || code >= 0xa0) BYTE_AT[code] = code;
for (const [at, character] of Array.from(HIGH).entries()) BYTE_AT[character.charCodeAt(0)] = 0x80 + at;
const SURROGATES = 0xd800;
const LOW_SURROGATES = 0xdc00;
const AFTER_SURROGATES = 0xe000;

/** The end of file, which the paper's sums count as a character. */
const END_OF_FILE = -1;

/** Characters other than those that are one byte of Latin-1 with the same number. */
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
    const byte = BYTE_AT[code] as number;
    if (byte > 0 || code === 0) bytes[size++] = byte;
    else if (code < 0x800) {
      bytes[size++] = 0xc0 | (code >> 6);
      bytes[size++] = 0x80 | (code & 0x3f);
    } else if (code < SURROGATES || code >= AFTER_SURROGATES) {
      bytes[size++] = 0xe0 | (code >> 12);
      bytes[size++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[size++] = 0x80 | (code & 0x3f);
    } else {
      // Two surrogates are one character of four bytes. This is rare, and Node knows how to encode half of a pair.
      const isPair = code < LOW_SURROGATES && at + 1 < text.length;
      size += bytes.write(isPair ? text.slice(at, at + 2) : text.charAt(at), size, 'utf8');
      if (isPair) at++;
    }
  }
  return new Int8Array(bytes.buffer, bytes.byteOffset, size);
}

/** How often each byte occurs in a text. Both text codes are computed from these counts alone. */
export interface ByteCounts {
  readonly of: Float64Array;
  readonly all: number;
}

export function countBytes(bytes: Int8Array): ByteCounts {
  const counts = new Float64Array(256);
  for (let at = 0; at < bytes.length; at++) counts[(bytes[at] as number) & 0xff]!++;
  return { of: counts, all: bytes.length };
}

/** The signed `char` for an index of the counts. */
function charAt(place: number): number {
  return place < 128 ? place : place - 256;
}

/**
 * Text code I (P10): the sum of the character codes, divided by the number of distinct characters. The paper's figures
 * can be reproduced only with the habits of its program: signed bytes (its em dash counts −105), the end of file
 * counted as a character (−1), distinct characters counted only up to 127, and a division in single precision.
 */
export interface TextAverage {
  readonly sum: number;
  readonly characters: number;
  readonly distinct: number;
  readonly code: number;
}

export function textAverage({ of, all }: ByteCounts): TextAverage {
  let sum = END_OF_FILE;
  let distinct = 0;
  for (let place = 0; place < of.length; place++) {
    const count = of[place] as number;
    sum += count * charAt(place);
    if (count > 0 && charAt(place) >= 0) distinct++;
  }
  // A text without any ASCII character has nothing to divide by.
  const code = distinct === 0 ? 0 : Math.fround(Math.fround(sum) / Math.fround(distinct));
  return { sum, characters: all + 1, distinct, code };
}

/**
 * Text code II (P11): the root of the sum of the squared character codes, divided by the number of
 * characters. The paper calls it the root mean square, which would divide under the root; we follow its
 * figures. Characters are read as for text code I.
 */
export interface TextRoot {
  readonly squares: number;
  readonly characters: number;
  readonly code: number;
}

export function textRoot({ of, all }: ByteCounts): TextRoot {
  let squares = END_OF_FILE * END_OF_FILE;
  for (let place = 0; place < of.length; place++) squares += (of[place] as number) * charAt(place) ** 2;
  const characters = all + 1;
  return { squares, characters, code: rootCode(squares, characters) };
}

/**
 * √squares ÷ characters. The root is also rounded to single precision before the division;
 * otherwise the paper's 5.683418 would end in 9.
 */
export function rootCode(squares: number, characters: number): number {
  return characters === 0 ? 0 : Math.fround(Math.fround(Math.sqrt(squares)) / characters);
}
