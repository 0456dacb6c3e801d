/**
 * The terms of a written word: the whole, its segments, and the parts of segments in camel case.
 *
 * What always holds: the parts take consecutive positions. The whole stands at the position of its first part, and
 * terms come in the order of their positions.
 */
import { classOf, DIGIT, LOWER, UPPER } from './character-classes.ts';
import { isData, type WrittenWord } from './chunk.ts';

export const MAX_TERM = 64;
/** A shorter mixture of letters and digits may be a name of something. */
const DATA = { minLength: 20, minShare: 0.55 } as const;
/** More parts than this are no camel case. */
const MAX_PARTS = 8;

/** The forms under which a word can be found. */
export interface Compound {
  /** The whole with its symbols (`c++`), and without them, hyphens and the dots of `U.S.A.`; null if it has none. */
  readonly marked: string | null;
  readonly whole: string | null;
  readonly segments: readonly Segment[];
  /** The number of positions that the word takes. */
  readonly length: number;
}

export interface Segment {
  /** Null for encoded data, which has no term. */
  readonly term: string | null;
  /** At least two for camel case; otherwise empty. */
  readonly parts: readonly string[];
}

export function readCompound(word: WrittenWord): Compound {
  const segments = word.segments.map(readSegment);
  const length = segments.reduce((sum, { parts }) => sum + Math.max(1, parts.length), 0);
  const isAcronym = word.segments.every(({ length }) => length === 1) && word.joins.every((join) => join === '.');
  let whole = '';
  for (const [i, { term }] of segments.entries()) {
    whole += (isAcronym ? '' : (word.joins[i - 1] ?? '')) + (term ?? ' ');
  }
  const isOne = whole.length <= MAX_TERM && !whole.includes(' ');
  const isMarked = isOne && (word.prefix !== '' || word.suffix !== '');
  return {
    marked: isMarked ? word.prefix + whole + word.suffix : null,
    whole: isOne && segments.length > 1 ? whole : null,
    segments,
    length,
  };
}

/** Calls `onTerm` for every term of the word. */
export function emitCompound(compound: Compound, first: number, onTerm: (term: string, at: number) => void): void {
  if (compound.marked !== null) onTerm(compound.marked, first);
  if (compound.whole !== null) onTerm(compound.whole, first);
  let position = first;
  for (const { term, parts } of compound.segments) {
    if (term !== null) onTerm(term, position);
    for (const part of parts) onTerm(part, position++);
    if (parts.length === 0) position++;
  }
}

function readSegment(text: string): Segment {
  const plain = text.replaceAll(',', '');
  if (isData(plain, DATA.minLength, DATA.minShare)) return { term: null, parts: [] };
  const parts = splitCamelCase(plain);
  const isCamel = parts.length > 1 && !isCode(plain, parts) && parts.every((part) => part.length <= MAX_TERM);
  return { term: cutTerm(plain.toLowerCase()), parts: isCamel ? parts.map((part) => part.toLowerCase()) : [] };
}

/** True for names without words, such as `dQw4w9WgXcQ`. */
function isCode(text: string, parts: readonly string[]): boolean {
  return parts.length > MAX_PARTS || (parts.length > 3 && text.length < 3 * parts.length);
}

function cutTerm(term: string): string {
  if (term.length <= MAX_TERM) return term;
  const last = term.charCodeAt(MAX_TERM - 1);
  return term.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TERM - 1 : MAX_TERM);
}

/** `parseHTMLPage2Text` gives parse, HTML, Page2, Text. A single letter at the end stays: `PDFs` is one word. */
function splitCamelCase(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 1; at < text.length; at++) {
    if (classOf(text.charCodeAt(at)) !== UPPER) continue;
    const before = classOf(text.charCodeAt(at - 1));
    const beginsWord = isLower(text, at + 1) && (before === DIGIT || isLower(text, at + 2));
    if (before === LOWER || ((before === UPPER || before === DIGIT) && beginsWord)) {
      parts.push(text.slice(start, at));
      start = at;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function isLower(text: string, at: number): boolean {
  return at < text.length && classOf(text.charCodeAt(at)) === LOWER;
}
