/**
 * What a UTF-16 unit is to a word: a letter (folded), a mark to drop, or the end of the word. Case goes, and so do the accents of
 * Latin, Greek and Cyrillic (NFKD without its marks) and full-width forms: `É`, `é` and `e` are one letter, `ﬁ` is two.
 */
export const SEPARATOR = 1;
/** Combining marks, soft hyphens, joiners: inside a word, and not a letter of it. */
export const DROPPED = 2;
/** Set on letters of scripts written without spaces, where the words are pairs of neighbours. */
export const SPACELESS = 0x8000_0000;

const UNKNOWN = 0;
const BLOCK_BITS = 8;
const BLOCK_UNITS = 1 << BLOCK_BITS;
/** Filled as units come, a block of 256 at a time: a page uses two or three, and all of them would be 256 KB. */
const blocks: (Uint32Array | undefined)[] = Array.from({ length: 0x10000 >> BLOCK_BITS });

/** A constant above, or the folded letter in the low 16 bits, a second one in the next 15, and the flag. */
export function foldLetter(unit: number): number {
  let block = blocks[unit >> BLOCK_BITS];
  if (block === undefined) {
    block = new Uint32Array(BLOCK_UNITS);
    blocks[unit >> BLOCK_BITS] = block;
  }
  const place = unit & (BLOCK_UNITS - 1);
  if (block[place] === UNKNOWN) block[place] = classify(unit);
  return block[place]!;
}

const LETTER = /[\p{L}\p{N}]/u;
const MARK = /[\p{M}\u{ad}\u{200c}\u{200d}]/u;
const SPACELESS_SCRIPT = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
/** Where a mark is an accent. In other scripts it makes another letter: か and が, or the vowels of Hindi. */
const ACCENTED_SCRIPT = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]/u;
const MARKS = /\p{M}/gu;

function classify(unit: number): number {
  // Half of a rare character, most of them Han: the pair of halves is as good a word as any.
  if (unit >= 0xd800 && unit <= 0xdfff) return (unit | SPACELESS) >>> 0;
  const letter = String.fromCharCode(unit);
  if (SPACELESS_SCRIPT.test(letter)) return (unit | SPACELESS) >>> 0;
  if (MARK.test(letter)) return DROPPED;
  if (!LETTER.test(letter)) return SEPARATOR;
  const lower = letter.toLowerCase();
  const folded = ACCENTED_SCRIPT.test(letter) || unit >= 0xff00 ? lower.normalize('NFKD').replace(MARKS, '') : lower;
  const first = folded.charCodeAt(0);
  const second = folded.length > 1 ? folded.charCodeAt(1) : 0;
  return Number.isNaN(first) ? SEPARATOR : first | ((second & 0x7fff) << 16);
}
