/**
 * The tokens of a script, well enough to see what it does on an event: names, literals, punctuation, and which bracket closes
 * which. Nothing is ever evaluated. Always: one pass, linear time, no throw, whatever the text is; what is no JavaScript gives
 * tokens that mean nothing to anybody.
 */

export const NAME = 1;
export const STRING = 2;
export const NUMBER = 3;
export const TEMPLATE = 4;
export const REGEX = 5;
export const PUNCTUATION = 6;
const KIND_BITS = 7;
/** A line ends before the token, so that a statement may. */
const AFTER_NEWLINE = 8;

/** After these a slash begins a regular expression, though they are names. */
const BEFORE_REGEX = new Set(
  'return typeof case in of delete void throw new do else instanceof yield await'.split(' '),
);
const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
/** A slash may only seem to begin a regular expression. How much is read in vain for that is bounded, and so the time. */
const MAX_REGEX_CHARS = 2_000;
const MAX_READ_IN_VAIN = 100_000;

const MIN_PATIENCE = 50_000;
const PATIENCE_A_CHAR = 20;

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
  /** Of a bracket, where its other half is; -1 where it has none. */
  #pairs = new Int32Array(256);
  readonly #open: number[] = [];
  /** How many tokens may still be looked at, all questions together. */
  #patience: number;
  #inVain = MAX_READ_IN_VAIN;

  constructor(text: string) {
    this.text = text;
    this.#patience = MIN_PATIENCE + PATIENCE_A_CHAR * text.length;
    this.#read();
  }

  /** Whether one more token may be looked at. Functions inside functions would else be read as often as they are deep. */
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

  /** Whether something stands between a token and the one before it. */
  hasGap(index: number): boolean {
    return index > 0 && (this.#starts[index] as number) > (this.#ends[index - 1] as number);
  }

  /** The other half of a bracket; -1 where it has none, or it is no bracket. */
  pair(index: number): number {
    return index >= 0 && index < this.count ? (this.#pairs[index] as number) : -1;
  }

  /** What a string says; null where the token is none. Escapes are left as they are, but for those of quotes and slashes. */
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

  /** A bracket that closes another than was opened last closes nothing. */
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
        // Of two lines or more it ends a statement as a newline does; after the shorter kind a newline comes anyway.
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

  /** The place after a comment at `at`; `at` where none is. `<!--` is one too, up to the end of its line. */
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
      // Never closed: the line is lost, and not the rest of the script.
      else if (code === NEWLINE) return at;
    }
    return text.length;
  }

  /** With the expressions inside, which may hold templates again. */
  #templateEnd(from: number): number {
    const { text } = this;
    /** Open braces of each expression around this place. */
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

  /** A slash divides where an operand ends before it. After `)` that is a guess; after `}` the other is. */
  #mayBeRegex(): boolean {
    const last = this.count - 1;
    const kind = this.kind(last);
    if (kind === NAME) return BEFORE_REGEX.has(this.word(last));
    return kind === 0 || (kind === PUNCTUATION && !this.is(last, ')') && !this.is(last, ']'));
  }

  #regexEnd(from: number): number {
    const { text } = this;
    const limit = Math.min(text.length, from + MAX_REGEX_CHARS, from + this.#inVain);
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
    this.#inVain -= at - from;
    return -1;
  }

  /** Signs that belong together: `=>`, `===`, `+=`, `?.`, `...`; all others stand alone. */
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
