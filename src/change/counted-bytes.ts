/**
 * Defines which bytes of a UTF-8 text count. White space and special characters do not count (E5). ASCII letters count
 * without their case. All bytes beyond ASCII count, except punctuation beyond ASCII, which `blankSpecials` replaces by
 * spaces first. After that, the byte alone tells whether it counts, so reading can begin anywhere in the text.
 */

/** The byte in lower case, or 0 if it does not count. */
export const FOLDED = new Uint8Array(256);
for (let code = 48; code <= 57; code++) FOLDED[code] = code;
for (let code = 97; code <= 122; code++) {
  FOLDED[code] = code;
  FOLDED[code - 32] = code;
}
for (let code = 128; code < 256; code++) FOLDED[code] = code;

/** 1 for a byte that counts, 0 for a byte that does not. */
export const COUNTS = FOLDED.map((letter) => (letter === 0 ? 0 : 1));

const SPACE = 0x20;
/** The lead byte of U+0080–00BF: no-break space, soft hyphen, « » and other signs. */
const LATIN_SIGNS = 0xc2;
/**
 * The lead byte of U+2000–2FFF: dashes, quotes, zero-width marks, arrows and
 * boxes up to U+2BFF, then letters of rare scripts.
 */
const SIGNS = 0xe2;
const LETTERS_AMONG_SIGNS = 0xb0;
/** The first bytes of U+3000–303F: the wide space, 、。「」. */
const WIDE_SIGNS = Buffer.from([0xe3, 0x80]);

/**
 * Replaces special characters beyond ASCII by spaces. Returns the same Buffer if there are none, else a Buffer that is
 * valid until the next call. Few texts have many of these characters, so `indexOf` finds them fastest.
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

/** The caller's buffer is never written to: the first replacement makes a copy. */
function blank(text: Buffer, blanked: Buffer, at: number, length: number): Buffer {
  const copy = blanked === text ? copyOf(text) : blanked;
  for (let i = at; i < at + length; i++) copy[i] = SPACE;
  return copy;
}

/** The copy goes into a buffer that is used again. A new buffer for each page would keep the garbage collector busy. */
let reused = Buffer.allocUnsafeSlow(64 * 1024);
const MAX_REUSED_BYTES = 1024 * 1024;

function copyOf(text: Buffer): Buffer {
  if (text.length > MAX_REUSED_BYTES) return Buffer.from(text);
  if (text.length > reused.length) reused = Buffer.allocUnsafeSlow(Math.min(MAX_REUSED_BYTES, text.length * 2));
  text.copy(reused);
  return reused.subarray(0, text.length);
}

/** The bytes that count, in lower case, one after another. `text` must come from `blankSpecials`. */
export function lettersOf(text: Buffer): Uint8Array {
  const folded = FOLDED;
  const counts = COUNTS;
  const length = text.length;
  const letters = new Uint8Array(length);
  let count = 0;
  // Each byte is written; a byte that does not count is overwritten by the next. A branch would be
  // mispredicted at each space, which would cost more.
  for (let at = 0; at < length; at++) {
    const code = text[at] as number;
    letters[count] = folded[code] as number;
    count = (count + (counts[code] as number)) | 0;
  }
  return letters.subarray(0, count);
}
