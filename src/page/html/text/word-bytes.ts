/**
 * Which bytes of a UTF-8 text belong to words. Letters and digits do; white space, control codes and punctuation do
 * not. Case matters only beyond ASCII (É and é differ), because folding it there would need the decoded text.
 */

/** The byte in lower case, or 0 for a byte that ends a word. */
export const FOLDED = new Uint8Array(256);
for (let code = 48; code <= 57; code++) FOLDED[code] = code;
for (let code = 97; code <= 122; code++) {
  FOLDED[code] = code;
  FOLDED[code - 32] = code;
}
for (let code = 128; code < 256; code++) FOLDED[code] = code;

/** What a character beyond ASCII does: it is a letter of a word, a word by itself, or it ends a word. */
export const LETTER = 0;
export const WHOLE_WORD = 1;
export const GAP = 2;

/**
 * Judges the character whose first byte is `lead`, by its first two bytes. Scripts without spaces between words have
 * one word per character: Thai, Lao, Myanmar, Khmer, and everything from U+3040 to U+FFFF (kana, ideographs, Hangul).
 */
export function judgeCharacter(lead: number, second: number): number {
  // U+0080–00BF: no-break space, soft hyphen, « » and other signs.
  if (lead === 0xc2) return GAP;
  if (lead < 0xe0) return LETTER;
  if (lead === 0xe0) return second >= 0xb8 && second <= 0xbb ? WHOLE_WORD : LETTER;
  if (lead === 0xe1) return second <= 0x81 || second === 0x9e || second === 0x9f ? WHOLE_WORD : LETTER;
  // U+2000–2BFF: dashes, quotes, zero-width marks, arrows and boxes. Letters of rare scripts follow.
  if (lead === 0xe2) return second < 0xb0 ? GAP : LETTER;
  // U+3000–303F: the wide space, 、。「」.
  if (lead === 0xe3) return second === 0x80 ? GAP : WHOLE_WORD;
  return lead < 0xf0 ? WHOLE_WORD : LETTER;
}
