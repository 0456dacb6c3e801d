/**
 * Reads a stretch of text without a clear break: one word, a compound word, or several words.
 *
 * In: at most `MAX_CHUNK` code units. Out: its words, each with its segments.
 * What always holds: the time is linear; the same stretch gives the same words in a text and in a query.
 */
import { BREAK, CHANGED, classOf, DIGIT, IGNORED, JOINER, LOWER, MARK, UPPER } from './character-classes.ts';

export const MAX_CHUNK = 1_024;
/** A compound word with more segments continues as another word. */
const MAX_SEGMENTS = 16;
/** Further marks on one letter are decoration. Sorting them takes more than linear time. */
export const MAX_MARKS = 8;
/** Letters after U+024F are of other scripts than Latin. */
const LAST_LATIN = 0x24f;
const SMALL_N = 110;
const SMALL_O = 111;
const ASCII_ONLY = /^[\0-\x7f]*$/;

/** A word as it was written: segments, and what is between them in the form of the whole word. */
export interface WrittenWord {
  readonly segments: string[];
  readonly joins: string[];
  /** Symbols that belong to the word: `#` of `#include`, `++` of `C++`. */
  prefix: string;
  suffix: string;
}

export function readChunk(source: string): WrittenWord[] {
  const chunk = ASCII_ONLY.test(source) ? source : normalizeChunk(source);
  const words: WrittenWord[] = [];
  let word: WrittenWord | null = null;
  let gapStart = 0;
  for (let at = skipGap(chunk, 0); at < chunk.length; ) {
    const gap = chunk.slice(gapStart, at);
    const end = segmentEnd(chunk, at);
    const segment = chunk.slice(at, end);
    const join = word === null ? null : joinOf(gap, word.segments.at(-1) as string, segment);
    if (word !== null && join !== null && word.segments.length < MAX_SEGMENTS) {
      word.joins.push(join);
      word.segments.push(segment);
    } else {
      if (word !== null) word.suffix = suffixOf(gap, word);
      const prefix = gapStart === 0 ? prefixOf(gap, segment) : '';
      word = { segments: [segment], joins: [], prefix, suffix: '' };
      words.push(word);
    }
    gapStart = end;
    at = skipGap(chunk, end);
  }
  if (word !== null) word.suffix = suffixOf(chunk.slice(gapStart), word);
  return words;
}

/** Compatible forms become one, ignorable characters disappear, and digits of all scripts become ASCII digits. */
export function normalizeChunk(source: string): string {
  let kept = '';
  let marks = 0;
  for (const character of source) {
    const kind = classOf(character.codePointAt(0) as number);
    marks = kind === MARK ? marks + 1 : 0;
    // Persian writes a joiner without width between the parts of a word, where others write a hyphen or a space.
    if (character === '\u200c' && /\p{Script=Arabic}$/u.test(kept.slice(-1))) kept += '-';
    else if (kind !== IGNORED && marks <= MAX_MARKS) kept += character;
  }
  let normal = '';
  for (const character of kept.normalize('NFKC')) {
    if (character === 'İ') normal += 'I';
    else if (character > '9' && classOf(character.codePointAt(0) as number) === CHANGED) normal += digitOf(character);
    else normal += character;
  }
  return normal;
}

function digitOf(character: string): string {
  if (!/\p{Nd}/u.test(character)) return character;
  const code = character.codePointAt(0) as number;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String(code - zero);
}

function isWordCode(code: number): boolean {
  const kind = classOf(code);
  return kind !== BREAK && kind !== JOINER;
}

/** A word begins with a letter or a digit, not with a mark. */
function skipGap(chunk: string, from: number): number {
  let at = from;
  while (at < chunk.length && (!isWordCode(chunk.charCodeAt(at)) || classOf(chunk.charCodeAt(at)) === MARK)) at++;
  return at;
}

function segmentEnd(chunk: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < chunk.length && isWordCode(chunk.charCodeAt(at))) at++;
    // 1,000,000 is one number. Its commas are removed later.
    if (chunk[at] !== ',' || !isGroup(chunk, from, at)) return at;
    at += 4;
  }
}

/** True if the comma at a position is between the groups of a number. */
function isGroup(chunk: string, from: number, comma: number): boolean {
  const lastComma = chunk.lastIndexOf(',', comma - 1);
  const groupStart = lastComma >= from ? lastComma + 1 : from;
  const digits = comma - groupStart;
  if (digits < 1 || digits > 3 || (lastComma >= from && digits !== 3)) return false;
  for (let at = groupStart; at < comma + 4; at++) {
    if (at !== comma && classOf(chunk.charCodeAt(at) || 0) !== DIGIT) return false;
  }
  return !isWordCode(chunk.charCodeAt(comma + 4) || 0);
}

/** What connects two segments in the form of the whole word; null if they are separate words. */
function joinOf(gap: string, left: string, right: string): string | null {
  const last = left.charCodeAt(left.length - 1);
  switch (gap) {
    case '.':
    case '@':
    case '::':
    case '_':
    case '__':
    case '·':
      return gap;
    case '-':
    case '\u2010':
      // e-mail is email, but 2026-11-19 is no number.
      return isDigit(last) && isDigit(right.charCodeAt(0)) ? '-' : '';
    case "'":
    case '’':
      return joinsByApostrophe(left, right) ? '' : null;
    case '׳':
    case '״':
      return '';
    default:
      return null;
  }
}

/** don't, O'Neill and комп'ютер are also one word. The parts of l'homme and dog's stand alone. */
function joinsByApostrophe(left: string, right: string): boolean {
  if (!mayJoinByApostrophe(left, 0, left.length)) return false;
  return (left.charCodeAt(left.length - 1) | 32) !== SMALL_N || right.toLowerCase() === 't';
}

/** False if the word before an apostrophe is enough to tell that the two parts stand alone. */
export function mayJoinByApostrophe(text: string, start: number, end: number): boolean {
  const last = text.charCodeAt(end - 1);
  return last > LAST_LATIN || (last | 32) === SMALL_N || (end - start === 1 && (last | 32) === SMALL_O);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLetter(code: number): boolean {
  return isWordCode(code) && classOf(code) !== DIGIT;
}

/** .NET, #include, @decorator, --flag, __init__ */
function prefixOf(gap: string, segment: string): string {
  const isKnown = ['.', '#', '@', '--', '_', '__'].includes(gap);
  return isKnown && isLetter(segment.charCodeAt(0)) ? gap : '';
}

/** C++, C#, __init__ */
function suffixOf(gap: string, word: WrittenWord): string {
  const last = word.segments.at(-1) as string;
  if (gap.startsWith('++') && gap[2] !== '+') return isLetter(last.charCodeAt(last.length - 1)) ? '++' : '';
  if (gap.startsWith('#')) return last.length === 1 && isLetter(last.charCodeAt(0)) ? '#' : '';
  return word.prefix.startsWith('_') && gap.startsWith(word.prefix) ? word.prefix : '';
}

/**
 * True for encoded data: letters of both cases and digits, and the kind of character changes more often than `minShare`
 * says. In Base64 it changes at 65 of 100 places, in names of programs at 30 to 50.
 */
export function isData(text: string, minLength: number, minShare: number): boolean {
  if (text.length < minLength) return false;
  let changes = 0;
  let kinds = 0;
  let before = -1;
  for (let at = 0; at < text.length; at++) {
    const kind = classOf(text.charCodeAt(at));
    if (kind > DIGIT || kind === BREAK) continue;
    kinds |= 1 << kind;
    if (kind !== before) changes++;
    before = kind;
  }
  return changes > minShare * text.length && kinds === (1 << LOWER) + (1 << UPPER) + (1 << DIGIT);
}
