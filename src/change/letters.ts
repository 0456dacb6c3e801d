/**
 * Which bytes of a UTF-8 text count. White space and special characters do not (E5), ASCII letters count without their
 * case, and everything beyond ASCII counts byte by byte, except what is punctuation there too: `blankSpecials` makes that
 * spaces first. Whether a byte counts is then told by the byte alone, from wherever one begins to read.
 */

/** The byte as it counts; 0 if it does not. */
export const FOLDED = new Uint8Array(256);
for (let code = 48; code <= 57; code++) FOLDED[code] = code;
for (let code = 97; code <= 122; code++) {
  FOLDED[code] = code;
  FOLDED[code - 32] = code;
}
for (let code = 128; code < 256; code++) FOLDED[code] = code;

/** 1 for a byte that counts, 0 for one that does not. */
export const COUNTS = FOLDED.map((letter) => (letter === 0 ? 0 : 1));

const SPACE = 0x20;
/** Leads U+0080–00BF: no-break space, soft hyphen, « » and other signs. */
const LATIN_SIGNS = 0xc2;
/** Leads U+2000–2FFF: dashes, quotes, zero-width marks, arrows, boxes up to U+2BFF, letters of rare scripts after that. */
const SIGNS = 0xe2;
const LETTERS_AMONG_SIGNS = 0xb0;
/** Begins U+3000–303F: the wide space, 、。「」. */
const WIDE_SIGNS = Buffer.from([0xe3, 0x80]);

/**
 * The text with spaces for special characters beyond ASCII; the same Buffer if it has none, else one that is
 * good until the next call. Few texts have many of them: `indexOf` finds them soonest.
 */
export function blankSpecials(text: Buffer): Buffer {
  let blanked = text;
  for (let at = text.indexOf(LATIN_SIGNS); at >= 0; at = text.indexOf(LATIN_SIGNS, at + 1)) {
    if (isContinuation(text[at + 1])) blanked = blank(text, blanked, at, 2);
  }
  for (let at = text.indexOf(SIGNS); at >= 0; at = text.indexOf(SIGNS, at + 1)) {
    const second = text[at + 1];
    const isSign = isContinuation(second) && second < LETTERS_AMONG_SIGNS;
    if (isSign && isContinuation(text[at + 2])) blanked = blank(text, blanked, at, 3);
  }
  for (let at = text.indexOf(WIDE_SIGNS); at >= 0; at = text.indexOf(WIDE_SIGNS, at + 3)) {
    if (isContinuation(text[at + 2])) blanked = blank(text, blanked, at, 3);
  }
  return blanked;
}

function isContinuation(code: number | undefined): code is number {
  return code !== undefined && code >= 0x80 && code < 0xc0;
}

/** What was handed to us is not written to: the first blank makes a copy. */
function blank(text: Buffer, blanked: Buffer, at: number, length: number): Buffer {
  const copy = blanked === text ? copyOf(text) : blanked;
  for (let i = at; i < at + length; i++) copy[i] = SPACE;
  return copy;
}

/** Into a buffer that is used again: a new one for each page would keep the garbage collector busy. */
let reused = Buffer.allocUnsafeSlow(64 * 1024);
const MAX_REUSED_BYTES = 1024 * 1024;

function copyOf(text: Buffer): Buffer {
  if (text.length > MAX_REUSED_BYTES) return Buffer.from(text);
  if (text.length > reused.length) reused = Buffer.allocUnsafeSlow(Math.min(MAX_REUSED_BYTES, text.length * 2));
  text.copy(reused);
  return reused.subarray(0, text.length);
}

/** The bytes that count, folded, one after the other. `text` has its special characters blanked. */
export function lettersOf(text: Buffer): Uint8Array {
  const folded = FOLDED;
  const counts = COUNTS;
  const length = text.length;
  const letters = new Uint8Array(length);
  let count = 0;
  // Each byte is written, and overwritten by the next if it does not count: a mistaken guess at each space would cost more.
  for (let at = 0; at < length; at++) {
    const code = text[at] as number;
    letters[count] = folded[code] as number;
    count = (count + (counts[code] as number)) | 0;
  }
  return letters.subarray(0, count);
}
