/**
 * Turns text into the terms of the index.
 *
 * In: the text of a page or a query. Out: terms with positions.
 * What always holds: terms are in lower case and in normal form (NFKC) and keep their accents; `foldTerm` gives the
 * spellings without them. A term has at most 64 code units. Positions never fall. The time is linear. A word of a text
 * is found by the query that is written like it.
 *
 * Words of plain letters and digits take the fast path. Compound words, marks and scripts without spaces take a slower
 * one, which gives the same terms for plain words. [docs/search-analysis.md] has the rules and their reasons.
 */
import {
  ASCII_CLASSES,
  BREAK,
  classAt,
  classOf,
  DIGIT,
  JOINER,
  LOWER,
  MARK,
  SURROGATE,
  UNSPACED,
  UPPER,
} from './character-classes.ts';
import { isData, MAX_CHUNK, MAX_MARKS, mayJoinByApostrophe, readChunk } from './chunk.ts';
import { type Compound, emitCompound, MAX_TERM, readCompound } from './compound.ts';
import { combineReadings, type QueryWay, type Reading, readingsOf, runReading } from './query-ways.ts';
import { HASH_SEED, nextHash } from './term-numbers.ts';
import { emitRun, readCharacters, runEnd } from './unspaced.ts';

export { foldTerm } from './fold-term.ts';
export type { QueryWay } from './query-ways.ts';
export { STEMMED_LANGUAGES, stemOf } from './stemmers/stem.ts';
export { TermNumbers } from './term-numbers.ts';

const UPPER_SEEN = 1 << UPPER;
const MARK_SEEN = 1 << MARK;
const MIXED_SEEN = UPPER_SEEN | (1 << LOWER);
/** Normalisation may make a few marks longer. */
const MAX_MARKED = MAX_TERM - 2 * MAX_MARKS;
/** Data that is broken into short pieces by `/` and `+` is recognised as a whole. */
const DATA = { minLength: 48, minShare: 0.45 } as const;
const HASH = 35;
const UNDERSCORE = 95;
const APOSTROPHE = 39;
/** A word that is longer than a term is read this far before that is known. */
const UNUSED = new Uint16Array(MAX_TERM + 1);
const CURLY_APOSTROPHE = 0x2019;

/**
 * Takes the plain words of a text without a string for each (term-numbers.ts). Before a call of `take`, the code units
 * of the term are in `letters`. The hash depends on nothing but these.
 */
export interface PlainWords {
  readonly letters: Uint16Array;
  take(length: number, hash: number, position: number): void;
}

/**
 * Calls `onTerm` for each term of the text. If `plain` is given, it takes most words instead. Returns the position
 * after the last word.
 */
export function analyzeText(
  text: string,
  firstPosition: number,
  onTerm: (term: string, position: number) => void,
  plain: PlainWords | null = null,
): number {
  const letters = plain === null ? UNUSED : plain.letters;
  const length = text.length;
  let position = firstPosition;
  let at = 0;
  while (at < length) {
    const first = text.charCodeAt(at);
    let kind = first < 128 ? (ASCII_CLASSES[first] as number) : classOf(first);
    if (kind === BREAK || (kind === SURROGATE && classAt(text, at) === BREAK)) {
      at++;
      continue;
    }
    const start = at;
    if (kind <= DIGIT) {
      const initial = 1 << kind;
      // A longer word takes the slow path, which reads it in pieces.
      const last = start + MAX_TERM < length ? start + MAX_TERM + 1 : length;
      let seen = 0;
      let units = 0;
      let hash = HASH_SEED;
      let code = first;
      do {
        seen |= 1 << kind;
        units |= code;
        // In ASCII, a capital differs from its letter by this bit. Other capitals are not taken as plain words.
        const letter = kind === UPPER ? code | 32 : code;
        letters[at - start] = letter;
        hash = nextHash(hash, letter);
        at++;
        if (at === last) break;
        code = text.charCodeAt(at);
        kind = code < 128 ? (ASCII_CLASSES[code] as number) : classOf(code);
      } while (kind <= MARK && kind !== BREAK);
      if (at - start <= MAX_TERM && (at === length || endsPlainly(text, start, at, kind))) {
        const isLower = (seen & UPPER_SEEN) === 0;
        if ((seen & MARK_SEEN) === 0) {
          if (isLower || (seen & MIXED_SEEN) !== MIXED_SEEN || isCapitalized(text, start, at, initial)) {
            if (plain !== null && (isLower || units < 128)) plain.take(at - start, hash, position++);
            else if (isLower) onTerm(text.slice(start, at), position++);
            else onTerm(text.slice(start, at).toLowerCase(), position++);
            continue;
          }
        } else if (isLower && at - start <= MAX_MARKED && countMarks(text, start, at) <= MAX_MARKS) {
          onTerm(text.slice(start, at).normalize('NFKC'), position++);
          continue;
        }
      }
    } else if (kind === JOINER && !beginsWord(text, start)) {
      at++;
      continue;
    }
    if (classAt(text, start) === UNSPACED) {
      at = runEnd(text, start);
      position = emitRun(text, start, at, position, onTerm);
      continue;
    }
    at = chunkEnd(text, start);
    for (const compound of readCompounds(text.slice(start, at))) {
      emitCompound(compound, position, onTerm);
      position += compound.length;
    }
  }
  return position;
}

/** What a word or phrase of a query may look like in the index: sequences of terms. Any of them is a match. */
export function analyzeQuery(text: string): readonly QueryWay[] {
  const words: (readonly Reading[])[] = [];
  for (let at = 0; at < text.length; ) {
    const kind = classAt(text, at);
    const start = at;
    if (kind === BREAK || (kind === JOINER && !beginsWord(text, at))) {
      at++;
    } else if (kind === UNSPACED) {
      at = runEnd(text, start);
      const characters: string[] = [];
      readCharacters(text, start, at, (character) => characters.push(character));
      words.push([runReading(characters)]);
    } else {
      at = chunkEnd(text, start);
      for (const compound of readCompounds(text.slice(start, at))) words.push(readingsOf(compound));
    }
  }
  return combineReadings(words);
}

/** True if a joiner may belong to the word after it, such as the dot of `.NET`. */
function beginsWord(text: string, at: number): boolean {
  return !isApostrophe(text.charCodeAt(at)) && at + 1 < text.length && classAt(text, at + 1) !== BREAK;
}

/** True if the character after a word of plain letters ends it without a trace. */
function endsPlainly(text: string, start: number, at: number, kind: number): boolean {
  if (kind === BREAK || kind === UNSPACED) return true;
  if (kind !== JOINER) return false;
  const code = text.charCodeAt(at);
  if (code === HASH || code === UNDERSCORE) return false;
  if (at + 1 === text.length) return true;
  const after = text.charCodeAt(at + 1);
  const next = after < 128 ? (ASCII_CLASSES[after] as number) : classAt(text, at + 1);
  if (next === BREAK) return true;
  // In French and Italian, every tenth word has an apostrophe.
  return (next === LOWER || next === UPPER) && isApostrophe(code) && !mayJoinByApostrophe(text, start, at);
}

function isApostrophe(code: number): boolean {
  return code === APOSTROPHE || code === CURLY_APOSTROPHE;
}

/** True if only the first letter of a word is a capital. */
function isCapitalized(text: string, start: number, end: number, initial: number): boolean {
  if (initial !== UPPER_SEEN) return false;
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if ((code < 128 ? ASCII_CLASSES[code] : classOf(code)) === UPPER) return false;
  }
  return true;
}

function countMarks(text: string, start: number, end: number): number {
  let marks = 0;
  for (let at = start; at < end; at++) if (classOf(text.charCodeAt(at)) === MARK) marks++;
  return marks;
}

function chunkEnd(text: string, from: number): number {
  const last = Math.min(text.length, from + MAX_CHUNK);
  let at = from;
  while (at < last) {
    const kind = classAt(text, at);
    if (kind === BREAK || (kind === UNSPACED && at > from)) return at;
    at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1;
  }
  return at;
}

function readCompounds(chunk: string): Compound[] {
  if (isData(chunk, DATA.minLength, DATA.minShare)) return [{ marked: null, whole: null, segments: [], length: 1 }];
  return readChunk(chunk).map(readCompound);
}
