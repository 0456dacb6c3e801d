/**
 * The spellings of a term without accents, by which it is also found: `cafe` for `café`, `muller` and `mueller` for
 * `müller`. Terms keep their accents, because stemmers need them and a title should be able to match exactly.
 */
const ASCII_ONLY = /^[\0-\x7f]*$/;
const NONE: readonly string[] = [];

/** Letters whose mark is no separate character, and marks that readers may leave out. */
const PLAIN: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ŧ: 't', ŀ: 'l', '·': '' },
  ...{ ɓ: 'b', ɗ: 'd', ƙ: 'k', ɖ: 'd', ŋ: 'n', ƴ: 'y' },
  // Greek, and Russian with and without stress.
  ...{ ς: 'σ', ё: 'е', ѐ: 'е', ѝ: 'и' },
  // Arabic and Persian letters that are often typed for each other.
  ...{ ى: 'ي', ة: 'ه', ی: 'ي', ک: 'ك', ھ: 'ه', ە: 'ه', أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ؤ: 'و', ئ: 'ي' },
};
/** The other spelling of German, Danish, Norwegian and Swedish letters. */
const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
/** Marks of Latin, Greek, Cyrillic, Hebrew and Arabic. The marks of other scripts are vowels. */
const OPTIONAL_MARKS = /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g;
const DECOMPOSED = /[\u00c0-\u024f\u0370-\u03ff\u1e00-\u1fff]/;

/** Returns nothing if the term is its only spelling. Otherwise the term itself is not among the spellings. */
export function foldTerm(term: string): readonly string[] {
  if (ASCII_ONLY.test(term)) return NONE;
  let plain = '';
  let spelled = '';
  for (const letter of term) {
    const folded = foldLetter(letter);
    plain += folded;
    spelled += DIGRAPHS[letter] ?? folded;
  }
  if (plain === term) return NONE;
  return spelled === plain ? [plain] : [plain, spelled];
}

function foldLetter(letter: string): string {
  const known = PLAIN[letter];
  if (known !== undefined) return known;
  if (letter < '\u00c0') return letter;
  if (!DECOMPOSED.test(letter)) return letter.replace(OPTIONAL_MARKS, '');
  const bare = letter.normalize('NFD').replace(OPTIONAL_MARKS, '');
  return PLAIN[bare] ?? bare;
}
