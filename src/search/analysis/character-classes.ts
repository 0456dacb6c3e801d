/** What a character means for the forming of words. The table is filled when a block of characters is first seen. */

/** Not part of a word. */
export const BREAK = 0;
/** A letter that stays as it is: lower case, or of a script without cases. */
export const LOWER = 1;
export const UPPER = 2;
/** An ASCII digit. */
export const DIGIT = 3;
/** A combining mark. Characters above MARK take the slow path. */
export const MARK = 4;
/** A letter or digit that normalisation changes: `ﬁ`, `Ａ`, `٣`, `İ`. */
export const CHANGED = 5;
/** Punctuation that may connect the parts of a compound word. */
export const JOINER = 6;
/** A letter of a script that is written without spaces between words. Korean counts, because particles join words. */
export const UNSPACED = 7;
/** A soft hyphen, a joiner without width and the like. They are removed. */
export const IGNORED = 8;
/** Half of a character above U+FFFF. */
export const SURROGATE = 9;

const BLOCK = 256;
const JOINERS = new Set("'’-‐‑_.,:@#+&/=·׳״");
const TATWEEL = 'ـ';
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Yi}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ーｰﾞﾟ]/u;

const blocks: (Uint8Array | undefined)[] = [];

/** The class of a code unit below U+0080. */
export const ASCII_CLASSES: Uint8Array = blockOf(0).subarray(0, 128);

/** The class of a code unit, or of a code point. */
export function classOf(code: number): number {
  const block = blocks[code >> 8] ?? blockOf(code >> 8);
  return block[code & (BLOCK - 1)] as number;
}

/** The class of the character at a position. A surrogate without its other half is no part of a word. */
export function classAt(text: string, at: number): number {
  const kind = classOf(text.charCodeAt(at));
  if (kind !== SURROGATE) return kind;
  const code = text.codePointAt(at) as number;
  return code > 0xffff ? classOf(code) : BREAK;
}

function blockOf(number: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  for (let i = 0; i < BLOCK; i++) block[i] = findClass(number * BLOCK + i);
  blocks[number] = block;
  return block;
}

function findClass(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return SURROGATE;
  const character = String.fromCodePoint(code);
  if (JOINERS.has(character)) return JOINER;
  if (character === TATWEEL || /\p{Default_Ignorable_Code_Point}/u.test(character)) return IGNORED;
  if (/[0-9]/.test(character)) return DIGIT;
  if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return BREAK;
  if (/\p{Nd}/u.test(character)) return CHANGED;
  if (/\p{M}/u.test(character)) return MARK;
  if (UNSPACED_SCRIPT.test(character)) return UNSPACED;
  if (character === 'İ' || character.normalize('NFKC') !== character) return CHANGED;
  return /[\p{Lu}\p{Lt}]/u.test(character) ? UPPER : LOWER;
}
