/**
 * Reads one word of a query: escapes, wildcards, and the sign of an exact form. `escapeWord` is its reverse.
 */
import { canBeEscaped, isQuote, isSpace, isWordEnd } from './signs.ts';

/** A text without any of them has nothing to search for. Emoji and signs of currencies are words, too. */
export const WORDLIKE = /[\p{L}\p{N}\p{So}\p{Sc}]/u;
/** A term of the index has only such characters inside, so a pattern with any other could match none. */
const PATTERN = /^[\p{L}\p{N}\p{M}*?'’._+#@-]+$/u;
const LETTER = /[\p{L}\p{N}]/u;
const WEIGHT = /^[~^][\d.]{0,8}$/;
const OPERATOR = /^(?:AND|OR|XOR|NOT|NEAR(?:\/.*)?)$/s;
const FIELD = /^[a-z]{1,32}:/i;

export interface ReadWord {
  readonly text: string;
  readonly isPattern: boolean;
  readonly isExact: boolean;
  /** The word was written without an escape and without `=`, so it may be AND, OR … */
  readonly mayBeOperator: boolean;
}

export interface WordReading {
  /** Null: the characters have no letter and no digit. */
  readonly word: ReadWord | null;
  readonly end: number;
  /** A weight at the end, as Lucene has it, which was dropped. */
  readonly dropped: string;
  readonly isWildcardIgnored: boolean;
}

interface Scan {
  readonly text: string;
  readonly end: number;
  readonly isEscaped: boolean;
  readonly hasStar: boolean;
  /** Indexes in `text` of the last `?`, `~` or `^` and the last letter that have no backslash; -1: none. */
  readonly firstQuestion: number;
  readonly lastWeight: number;
}

/** `mayBeExact`: a `=` at the beginning is the sign of an exact form. */
export function readWord(text: string, start: number, mayBeExact: boolean): WordReading {
  const next = text[start + 1];
  const isExact = mayBeExact && text[start] === '=' && next !== undefined && next !== '=' && !isWordEnd(next);
  const scan = scanWord(text, isExact ? start + 1 : start);
  const { end, isEscaped } = scan;
  const weight = scan.lastWeight > 0 ? scan.text.slice(scan.lastWeight) : '';
  const dropped = WEIGHT.test(weight) ? weight : '';
  const bare = scan.text.slice(0, scan.text.length - dropped.length);
  if (!WORDLIKE.test(bare)) return { word: null, end, dropped: '', isWildcardIgnored: false };
  const isWild = scan.hasStar || (scan.firstQuestion !== -1 && (isExact || isInner(bare, scan.firstQuestion)));
  if (isWild && PATTERN.test(bare)) {
    const pattern = bare.replace(/\*+/g, '*');
    return {
      word: { text: pattern, isPattern: true, isExact: false, mayBeOperator: false },
      end,
      dropped,
      isWildcardIgnored: false,
    };
  }
  // In a URL both signs are ordinary.
  const isWildcardIgnored = isWild && !bare.includes('=') && !bare.includes('://');
  const mayBeOperator = !isEscaped && !isExact && dropped === '';
  return { word: { text: bare, isPattern: false, isExact, mayBeOperator }, end, dropped, isWildcardIgnored };
}

/** A `?` at the end of a word is the end of a question. */
function isInner(text: string, at: number): boolean {
  return LETTER.test(text.slice(at + 1));
}

function scanWord(text: string, start: number): Scan {
  const parts: string[] = [];
  let length = 0;
  let [hasStar, firstQuestion, lastWeight, isEscaped] = [false, -1, -1, false];
  let from = start;
  let at = start;
  for (; at < text.length; at++) {
    const character = text[at]!;
    if (character === '\\' && at + 1 < text.length && (at === start || canBeEscaped(text[at + 1]!))) {
      parts.push(text.slice(from, at));
      length += at - from;
      from = at + 1;
      at++;
      isEscaped = true;
    } else if (isWordEnd(character) || (character === '&' && text[at + 1] === '&')) {
      break;
    } else if (character === '*') hasStar = true;
    else if (character === '?') firstQuestion = firstQuestion === -1 ? length + at - from : firstQuestion;
    else if (character === '~' || character === '^') lastWeight = length + at - from;
  }
  parts.push(text.slice(from, at));
  return { text: parts.join(''), end: at, isEscaped, hasStar, firstQuestion, lastWeight };
}

/** The text of a word such that `readWord` reads it as exactly this word. */
export function escapeWord(text: string): string {
  const field = FIELD.exec(text)?.[0].length ?? 0;
  let escaped = OPERATOR.test(text) ? '\\' : '';
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const isSign = (at === 0 && '+-!=−–'.includes(character)) || at === field - 1;
    escaped += isSign || isSpecial(character, text[at + 1]) ? `\\${character}` : character;
  }
  return escaped;
}

/** A pattern has no other special characters than its wildcards. */
export function escapePattern(text: string): string {
  const isPlain = text.includes('*') || isInner(text, text.indexOf('?'));
  if (!isPlain) return `=${text}`;
  return '+-!'.includes(text[0]!) ? `\\${text}` : text;
}

function isSpecial(character: string, next: string | undefined): boolean {
  if ('()|\\*?~^'.includes(character) || isSpace(character) || isQuote(character)) return true;
  return character === '&' && next === '&';
}
