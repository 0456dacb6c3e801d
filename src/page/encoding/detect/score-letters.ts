/**
 * Scores the encodings with one byte per letter. In: how often each byte follows another byte, if one of them is not
 * ASCII. Out: the encoding and language in which such a text is most likely.
 *
 * A language is a table of costs (language-models.ts): the rarer a letter is after the letter before it, the higher is
 * the cost. The encodings of a language share its table. Costs are logarithms of probabilities, so they can be added,
 * and compared with those of score-characters.ts.
 */
import { inflateRawSync } from 'node:zlib';
import { decodeLegacy } from '../legacy-codec.ts';
import { MODELS, PAIR_COSTS } from './language-models.ts';
import type { Score } from './score.ts';

/** An encoding, its head start for the others, and its languages. */
type Candidate = readonly [encoding: string, handicap: number, languages: string];

const WESTERN = 'en de fr es pt it ca nl da nb sv fi is et';
const CENTRAL = 'pl cs sk hu sl hr ro';
const BALTIC = 'lt lv et';
const CYRILLIC = 'ru uk bg mk be sr';
const CANDIDATES: readonly Candidate[] = [
  ['windows-1252', 0, WESTERN],
  ['windows-1251', 4, CYRILLIC],
  ['windows-1250', 8, CENTRAL],
  ['windows-1253', 6, 'el'],
  ['windows-1254', 6, 'tr'],
  ['windows-1255', 6, 'he'],
  ['windows-1256', 6, 'ar fa'],
  ['windows-1257', 8, BALTIC],
  ['windows-874', 8, 'th'],
  ['iso-8859-2', 10, CENTRAL],
  ['iso-8859-5', 10, CYRILLIC],
  ['iso-8859-6', 8, 'ar'],
  ['iso-8859-7', 8, 'el'],
  ['koi8-r', 8, 'ru bg'],
  ['koi8-u', 10, 'uk be'],
  ['ibm866', 16, 'ru bg uk be'],
  ['windows-1258', 12, 'vi'],
  ['ibm855', 24, 'ru bg mk sr'],
  ['x-mac-cyrillic', 14, CYRILLIC],
  ['iso-8859-4', 14, BALTIC],
  ['iso-8859-13', 14, BALTIC],
  ['iso-8859-15', 16, 'fr fi et'],
  ['macintosh', 24, WESTERN],
];

// What a byte is in a language, apart from its letters.
const SYMBOL = 0;
const LONELY_SYMBOL = 1;
const RARE_SYMBOL = 2;
const OTHER_LETTER = 3;
const BROKEN = 4;
const COSTS_OF_OTHERS = [7, 7, 14, 18, 40];
/** A letter beside a symbol that is usually beside a digit or a space. */
const SYMBOL_IN_WORD_COST = 6;
/** If few bytes are letters of the script, or most of them stand alone, the text is rather one in a Latin script. */
const FEW_LETTERS_COST = 30;
const UPPER_COST = 1;
/** Capitals inside a word are a sign of the wrong encoding. */
const UPPER_AFTER_LOWER_COST = 12;

const COMMON_SYMBOLS = '\u00a0«»€–—‘’“”„…•™\u200c\u200d\u200e\u200f،؛؟ـ';
const LONELY_SYMBOLS = '°§©®·¿¡´№ªº½£٪';

export class BytePairs {
  readonly counts = new Uint32Array(65_536);
  /** The pairs that occur, each as `before * 256 + byte`. */
  readonly found: number[] = [];

  add(before: number, byte: number): void {
    const pair = (before << 8) | byte;
    const count = this.counts[pair] as number;
    if (count === 0) this.found.push(pair);
    this.counts[pair] = count + 1;
  }
}

export function scoreLetters(pairs: BytePairs): Score {
  const best: Score = { encoding: 'windows-1252', cost: Number.POSITIVE_INFINITY };
  for (const [encoding, handicap, languages] of CANDIDATES) {
    for (const language of languages.split(' ')) {
      const cost = handicap + costIn(readingOf(encoding, language), pairs, best.cost);
      if (cost >= best.cost) continue;
      best.encoding = encoding;
      best.cost = cost;
    }
  }
  return best;
}

interface Language {
  isLatin: boolean;
  letters: string;
  /** Number of letter classes. Class 0 is whatever ends a word. */
  size: number;
  costs: Uint8Array;
}

/** The bytes of an encoding as a language sees them. */
interface Reading {
  language: Language;
  /** The letter class of a byte, or the size of the language plus SYMBOL, RARE_SYMBOL … */
  kinds: Uint8Array;
  /** 1 for a lower-case letter, 2 for an upper-case letter. */
  cases: Uint8Array;
}

/** Stops early if the cost is higher than `limit`. */
function costIn({ language, kinds, cases }: Reading, { counts, found }: BytePairs, limit: number): number {
  const { size, costs, isLatin } = language;
  let sum = 0;
  let own = 0;
  let joined = 0;
  let others = 0;
  for (const pair of found) {
    if (sum > limit) return sum;
    const before = kinds[pair >> 8] as number;
    const kind = kinds[pair & 255] as number;
    const count = counts[pair] as number;
    let cost: number;
    // After a symbol comes the same as after a space.
    if (kind < size) cost = costs[before < size ? before * size + kind : kind] as number;
    else cost = COSTS_OF_OTHERS[kind - size] as number;
    const isInWord =
      kind < size ? kind > 0 && before > size + SYMBOL : kind > size + SYMBOL && before > 0 && before < size;
    if (isInWord) cost += SYMBOL_IN_WORD_COST;
    if (cases[pair & 255] === 2) cost += cases[pair >> 8] === 1 ? UPPER_AFTER_LOWER_COST : UPPER_COST;
    if (kind > 1 && kind < size) {
      own += count;
      if (before > 1 && before < size) joined += count;
    } else if (kind >= size) others += count;
    sum += cost * count;
  }
  return !isLatin && (own < others || joined * 2 < own) ? sum + FEW_LETTERS_COST : sum;
}

let languages: Map<string, Language> | null = null;

function languageOf(name: string): Language {
  languages ??= readModels();
  return languages.get(name) as Language;
}

function readModels(): Map<string, Language> {
  const packed = inflateRawSync(Buffer.from(PAIR_COSTS, 'base64'));
  const models = new Map<string, Language>();
  let next = 0;
  for (const [name, isLatin, letters] of MODELS) {
    const size = 1 + (isLatin ? 26 : 1) + letters.length;
    const costs = new Uint8Array(size * size);
    for (let at = 0; at < costs.length; at++, next++) {
      const both = packed[next >> 1] as number;
      costs[at] = next & 1 ? both & 15 : both >> 4;
    }
    models.set(name, { isLatin, letters, size, costs });
  }
  return models;
}

const readings = new Map<string, Reading>();

function readingOf(encoding: string, name: string): Reading {
  const key = `${encoding} ${name}`;
  let reading = readings.get(key);
  if (reading === undefined) {
    const language = languageOf(name);
    reading = { language, kinds: new Uint8Array(256), cases: new Uint8Array(256) };
    const characters = decodeLegacy(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), encoding);
    for (let byte = 0; byte < 256; byte++) {
      const character = characters[byte] as string;
      const lower = character.toLowerCase();
      reading.kinds[byte] = kindIn(language, byte, lower);
      if (lower !== character.toUpperCase()) reading.cases[byte] = lower === character ? 1 : 2;
    }
    readings.set(key, reading);
  }
  return reading;
}

function kindIn({ isLatin, letters, size }: Language, byte: number, lower: string): number {
  if (lower >= 'a' && lower <= 'z') return isLatin ? lower.charCodeAt(0) - 96 : 1;
  if (byte < 128) return 0;
  const at = letters.indexOf(lower);
  if (at >= 0) return (isLatin ? 27 : 2) + at;
  if (lower === '\ufffd' || lower < '\u00a0') return size + BROKEN;
  if (COMMON_SYMBOLS.includes(lower)) return size + SYMBOL;
  if (LONELY_SYMBOLS.includes(lower)) return size + LONELY_SYMBOL;
  return size + (/[\p{L}\p{M}]/u.test(lower) ? OTHER_LETTER : RARE_SYMBOL);
}
