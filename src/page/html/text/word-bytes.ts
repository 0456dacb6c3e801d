/**
 * How the bytes of a UTF-8 text form words. Letters and digits belong to words; white space, control codes and
 * punctuation do not. ASCII letters count without their case.
 */

/** The code of a byte that ends a word. The codes of letters and digits are positive. */
const GAP_CODE = -1;
/** The code of a byte of a character beyond ASCII, which is judged as a whole. */
export const BEYOND_ASCII = 0;
/** The bit that letters have and digits do not. */
export const LETTER_BIT = 0x100;

export const CODES = new Int32Array(256).fill(GAP_CODE, 0, 0x80);
for (let code = 48; code <= 57; code++) CODES[code] = code;
for (let code = 97; code <= 122; code++) {
  CODES[code] = LETTER_BIT | code;
  CODES[code - 32] = LETTER_BIT | code;
}

/** What a character beyond ASCII does: it is a letter of a word, a word of its own, or it ends a word. */
export const LETTER = 0;
export const WHOLE_WORD = 1;
export const GAP = 2;

/**
 * Judges a character by its first two bytes. A character of three or more bytes is a word of its own, because many of
 * these scripts have no spaces between words (kana, ideographs, Thai); for the others it does no harm.
 */
export function judgeCharacter(first: number, second: number): number {
  // U+0080–00BF: no-break space, soft hyphen, « » and other signs.
  if (first === 0xc2) return GAP;
  if (first < 0xe0) return LETTER;
  // U+2000–2BFF: dashes, quotes, zero-width marks, arrows and boxes.
  if (first === 0xe2 && second < 0xb0) return GAP;
  // U+3000–303F: the wide space, 、。「」.
  return first === 0xe3 && second === 0x80 ? GAP : WHOLE_WORD;
}
