/**
 * Scores the East Asian encodings, in which most characters have two bytes. In: a sample. Out: the encoding in which
 * the decoded text is most likely. The frequent characters of each language are known (language-models.ts). All others
 * are judged by their script.
 */
import { decodeLegacy } from '../legacy-codec.ts';
import { CHARACTERS } from './language-models.ts';
import { better, type Score } from './score.ts';

const CANDIDATES = [
  ['shift_jis', 'ja'],
  ['euc-jp', 'ja'],
  ['gb18030', 'zh'],
  ['big5', 'zh-Hant'],
  ['euc-kr', 'ko'],
] as const;
const HANDICAP = 6;

const BROKEN_COST = 40;
const PUNCTUATION_COST = 8;
const HALF_WIDTH_COST = 15;
/** A character of the language's own script that is not frequent. */
const OWN_COST = 19;
const OTHER_COST = 24;
/** Between such a character and ASCII, or a letter of ASCII. */
const EDGE_COST = 2;
const LETTER_EDGE_COST = 5;

/** Scripts by their first and last code, for the languages that use them. */
const OWN_SCRIPTS: readonly (readonly [first: number, last: number, languages: string])[] = [
  [0x3040, 0x30ff, 'ja'],
  [0x4e00, 0x9fff, 'ja zh zh-Hant'],
  [0xac00, 0xd7a3, 'ko'],
];

export function scoreCharacters(sample: Buffer): Score {
  return CANDIDATES.map(
    ([encoding, language]): Score => ({
      encoding,
      cost: HANDICAP + costIn(language, decodeLegacy(sample, encoding)),
    }),
  ).reduce(better);
}

function costIn(language: string, text: string): number {
  const costs = costsOf(language);
  let sum = 0;
  let before = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) sum += costs[code] as number;
    if (code >= 128 !== before >= 128) sum += isLetter(Math.min(code, before)) ? LETTER_EDGE_COST : EDGE_COST;
    before = code;
  }
  return sum;
}

function isLetter(ascii: number): boolean {
  return (ascii | 0x20) >= 97 && (ascii | 0x20) <= 122;
}

const tables = new Map<string, Uint8Array>();

/** The cost of every UTF-16 code. */
function costsOf(language: string): Uint8Array {
  let costs = tables.get(language);
  if (costs === undefined) {
    costs = new Uint8Array(65_536).fill(OTHER_COST);
    for (const [first, last, languages] of OWN_SCRIPTS) {
      if (languages.split(' ').includes(language)) costs.fill(OWN_COST, first, last + 1);
    }
    costs.fill(BROKEN_COST, 0x80, 0xa0);
    costs.fill(BROKEN_COST, 0xe000, 0xf900);
    costs.fill(PUNCTUATION_COST, 0x3000, 0x3020);
    costs.fill(PUNCTUATION_COST, 0xff01, 0xff5f);
    costs.fill(HALF_WIDTH_COST, 0xff61, 0xffa0);
    costs[0xfffd] = BROKEN_COST;
    for (const [cost, characters] of CHARACTERS[language] as (typeof CHARACTERS)[string]) {
      for (const character of characters) costs[character.charCodeAt(0)] = cost;
    }
    tables.set(language, costs);
  }
  return costs;
}
