/**
 * The tokens of a script, precise enough to find its effect on an event: names, literals, punctuation, and pairs of
 * brackets. Nothing is ever evaluated. What always holds: one pass, linear time, and no throw for any text; text that
 * is not JavaScript gives meaningless tokens.
 */

export const NAME = 1;
export const STRING = 2;
export const NUMBER = 3;
export const TEMPLATE = 4;
export const REGEX = 5;
export const PUNCTUATION = 6;
const KIND_BITS = 7;
/** A line end before the token may end a statement. */
const AFTER_NEWLINE = 8;

/** After these names a slash begins a regular expression. */
const BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new do else instanceof yield await'.split(' '),
);
const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
/**
 * A slash may look like the start of a regular expression but be a division. The wasted
 * reading is bounded, and so is the time.
 */
const MAX_REGEX_CHARS = 2_000;
const MAX_WASTED_CHARS = 100_000;

const MIN_PATIENCE = 50_000;
const PATIENCE_PER_CHAR = 20;

const NEWLINE = 10;
const BACKSLASH = 92;
const SLASH = 47;
const STAR = 42;

export class ScriptTokens {
  readonly text: string;
  count = 0;
  #kinds = new Uint8Array(256);
  #starts = new Int32Array(256);
  #ends = new Int32Array(256);
  /** For a bracket: the index of its other half; -1 if there is none. */
  #pairs = new Int32Array(256);
  readonly #open: number[] = [];
  /** Number of tokens that may still be examined, over all calls together. */
  #patience: number;
  #wastedLeft = MAX_WASTED_CHARS;

  constructor(text: string) {
    this.text = text;
    this.#patience = MIN_PATIENCE + PATIENCE_PER_CHAR * text.length;
    this.#read();
  }

  /**
   * Whether one more token may be examined. Without this limit, nested functions would be read once per nesting level.
   */
  spend(): boolean {
    return --this.#patience >= 0;
  }

  kind(index: number): number {
    return index >= 0 && index < this.count ? (this.#kinds[index] as number) & KIND_BITS : 0;
  }

  isAfterNewline(index: number): boolean {
    return ((this.#kinds[index] as number) & AFTER_NEWLINE) !== 0;
  }

  /** As written; '' outside of the script. */
  word(index: number): string {
    return index >= 0 && index < this.count ? this.text.slice(this.#starts[index], this.#ends[index]) : '';
  }

  is(index: number, word: string): boolean {
    if (index < 0 || index >= this.count) return false;
    const start = this.#starts[index] as number;
    return (this.#ends[index] as number) - start === word.length && this.text.startsWith(word, start);
  }

  /** Whether there is white space or a comment between a token and the previous one. */
  hasGap(index: number): boolean {
    return index > 0 && (this.#starts[index] as number) > (this.#ends[index - 1] as number);
  }

  /** The index of the other half of a bracket; -1 if it has none or the token is not a bracket. */
  pair(index: number): number {
    return index >= 0 && index < this.count ? (this.#pairs[index] as number) : -1;
  }

  /** The value of a string; null if the token is not a string. Only escaped quotes and slashes are decoded. */
  string(index: number): string | null {
    const kind = this.kind(index);
    if (kind !== STRING && kind !== TEMPLATE) return null;
    const word = this.word(index);
    if (kind === TEMPLATE && word.includes('${')) return null;
    return word.slice(1, word.endsWith(word[0]!) && word.length > 1 ? -1 : undefined).replace(/\\(['"`/\\])/g, '$1');
  }

  #add(kind: number, start: number, end: number, afterNewline: boolean): void {
    if (this.count === this.#kinds.length) this.#grow();
    const index = this.count++;
    this.#kinds[index] = afterNewline ? kind | AFTER_NEWLINE : kind;
    this.#starts[index] = start;
    this.#ends[index] = end;
    this.#pairs[index] = -1;
    if (kind !== PUNCTUATION || end - start !== 1) return;
    const sign = this.text[start] as string;
    if (sign === '(' || sign === '[' || sign === '{') this.#open.push(index);
    else if (CLOSERS[sign] !== undefined) this.#close(index, CLOSERS[sign] as string);
  }

  /** A closing bracket that does not match the last opened one is ignored. */
  #close(index: number, opener: string): void {
    const last = this.#open.at(-1);
    if (last === undefined || this.text[this.#starts[last] as number] !== opener) return;
    this.#open.pop();
    this.#pairs[last] = index;
    this.#pairs[index] = last;
  }

  #grow(): void {
    const length = this.#kinds.length * 2;
    const kinds = new Uint8Array(length);
    kinds.set(this.#kinds);
    this.#kinds = kinds;
    this.#starts = grown(this.#starts, length);
    this.#ends = grown(this.#ends, length);
    this.#pairs = grown(this.#pairs, length);
  }

  #read(): void {
    const { text } = this;
    const { length } = text;
    let newline = false;
    let at = 0;
    while (at < length) {
      const code = text.charCodeAt(at);
      if (code <= 32 || code === 0xa0 || code === 0xfeff || code === 0x2028 || code === 0x2029) {
        if (code === NEWLINE || code === 13 || code === 0x2028 || code === 0x2029) newline = true;
        at++;
        continue;
      }
      const comment = this.#commentEnd(at, code);
      if (comment > at) {
        // A block comment with a line end ends a statement like a newline. A newline follows a line comment anyway.
        if (text.charCodeAt(at + 1) === STAR && text.slice(at, comment).includes('\n')) newline = true;
        at = comment;
        continue;
      }
      const start = at;
      let kind = PUNCTUATION;
      if (isNamePart(code)) {
        kind = code >= 48 && code <= 57 ? NUMBER : NAME;
        do at++;
        while (at < length && (isNamePart(text.charCodeAt(at)) || (kind === NUMBER && text[at] === '.')));
      } else if (code === 34 || code === 39) {
        kind = STRING;
        at = this.#stringEnd(at, code);
      } else if (code === 96) {
        kind = TEMPLATE;
        at = this.#templateEnd(at);
      } else {
        const regexEnd = code === SLASH && this.#mayBeRegex() ? this.#regexEnd(at) : -1;
        if (regexEnd > 0) kind = REGEX;
        at = regexEnd > 0 ? regexEnd : this.#operatorEnd(at, code);
      }
      this.#add(kind, start, at, newline);
      newline = false;
    }
  }

  /** The offset after a comment at `at`; `at` if there is none. `<!--` is also a comment, up to the end of its line. */
  #commentEnd(at: number, code: number): number {
    const { text } = this;
    const next = text.charCodeAt(at + 1);
    if (code === SLASH && next === STAR) {
      const end = text.indexOf('*/', at + 2);
      return end === -1 ? text.length : end + 2;
    }
    if (!(code === SLASH && next === SLASH) && !(code === 60 && text.startsWith('<!--', at))) return at;
    const end = text.indexOf('\n', at);
    return end === -1 ? text.length : end;
  }

  #stringEnd(from: number, quote: number): number {
    const { text } = this;
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) return at + 1;
      if (code === BACKSLASH) at++;
      // A string without an end loses only its line, not the rest of the script.
      else if (code === NEWLINE) return at;
    }
    return text.length;
  }

  /** Includes the expressions inside, which may contain templates again. */
  #templateEnd(from: number): number {
    const { text } = this;
    /** Number of open braces for each enclosing expression. */
    const depths: number[] = [];
    let inText = true;
    for (let at = from + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at++;
      else if (inText) {
        if (code === 96) {
          if (depths.length === 0) return at + 1;
          inText = false;
        } else if (code === 36 && text.charCodeAt(at + 1) === 123) {
          depths.push(0);
          inText = false;
          at++;
        }
      } else if (code === 96) inText = true;
      else if (code === 34 || code === 39) at = this.#stringEnd(at, code) - 1;
      else if (code === 123) (depths[depths.length - 1] as number)++;
      else if (code === 125 && (depths[depths.length - 1] as number)-- === 0) {
        depths.pop();
        inText = true;
      }
    }
    return text.length;
  }

  /**
   * A slash after an operand is a division. After `)` a division is a guess; after `}` a regular expression is a guess.
   */
  #mayBeRegex(): boolean {
    const last = this.count - 1;
    const kind = this.kind(last);
    if (kind === NAME) return BEFORE_REGEX.has(this.word(last));
    return kind === 0 || (kind === PUNCTUATION && !this.is(last, ')') && !this.is(last, ']'));
  }

  #regexEnd(from: number): number {
    const { text } = this;
    const limit = Math.min(text.length, from + MAX_REGEX_CHARS, from + this.#wastedLeft);
    let inClass = false;
    let at = from + 1;
    for (; at < limit; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) break;
      if (code === BACKSLASH) at++;
      else if (code === 91) inClass = true;
      else if (code === 93) inClass = false;
      else if (code === SLASH && !inClass) {
        at++;
        while (at < text.length && isNamePart(text.charCodeAt(at))) at++;
        return at;
      }
    }
    this.#wastedLeft -= at - from;
    return -1;
  }

  /** Operators of several characters: `=>`, `===`, `+=`, `?.`, `...`. All other characters stand alone. */
  #operatorEnd(from: number, code: number): number {
    const { text } = this;
    const next = text.charCodeAt(from + 1);
    if (code === 61 && next === 62) return from + 2;
    if (code === 63 && next === 46) return from + 2;
    if (code === 46) return text.startsWith('...', from) ? from + 3 : from + 1;
    if (!'=!<>+-*/%&|^?'.includes(text[from] as string)) return from + 1;
    let at = from + 1;
    if (next === code && code !== 61) at++;
    while (at < from + 4 && text.charCodeAt(at) === 61) at++;
    return at;
  }
}

function isNamePart(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 36 ||
    code === 95 ||
    code === 35 ||
    (code > 0xa0 && code !== 0x2028 && code !== 0x2029 && code !== 0xfeff)
  );
}

function grown(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(array);
  return larger;
}
