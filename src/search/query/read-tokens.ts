/**
 * Cuts the text of a query into tokens. In: the text. Out: tokens in order, and notes. What always holds: every
 * character is looked at a bounded number of times, and a field is always followed by its value.
 */
import { type FilterField, fieldNamed, isWordField, type QueryField, similarField } from './fields.ts';
import { DEFAULT_DISTANCE, MAX_DISTANCE, MAX_WORD_CHARS } from './query-limits.ts';
import { type NoteList, quoted } from './query-notes.ts';
import { readPhrase } from './read-phrase.ts';
import { type ReadWord, readWord, WORDLIKE } from './read-word.ts';
import { isQuote, isSpace } from './signs.ts';

export type Operator = 'and' | 'or' | 'xor' | 'near';

export type Token =
  /** `at` and `end`: where the word is in the text of the query. */
  | { readonly kind: 'word'; readonly word: ReadWord; readonly at: number; readonly end: number }
  /** `slack`: the number of `"a b"~5`, or null. */
  | { readonly kind: 'phrase'; readonly text: string; readonly slack: number | null }
  /** The value of a filter. */
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'field'; readonly field: QueryField }
  | { readonly kind: 'operator'; readonly operator: Operator; readonly distance: number; readonly written: string }
  | { readonly kind: 'not' | 'must' | 'open' | 'close'; readonly written: string };

const OPERATORS = new Map<string, Operator>([
  ['AND', 'and'],
  ['OR', 'or'],
  ['XOR', 'xor'],
  ['NEAR', 'near'],
]);
const NEAR = /^NEAR\/(.*)$/s;
/** Google writes AROUND(5). */
const AROUND = /(?:AROUND|NEAR)\((\d{1,9})\)/y;
const FIELD_NAME = /([a-z]{1,32}):/iy;
const MINUS = '-!−–';
const MAX_FIELD_VALUE_CHARS = 8_192;

/** A field is always followed by a value, also if nothing is left of the value. */
const EMPTY_VALUE: Token = { kind: 'value', text: '' };

export class TokenReader {
  readonly #text: string;
  readonly #notes: NoteList;
  /** Where the last quotation mark is. A phrase that begins there is not closed. */
  readonly #lastQuote: number;
  #at = 0;
  /** A sign such as `-` counts only at the beginning of a word. */
  #isAfterSpace = true;
  /** In `-OR`, the word is no operator. */
  #isAfterSign = false;
  #field: QueryField | null = null;

  constructor(text: string, notes: NoteList) {
    this.#text = text;
    this.#notes = notes;
    let last = text.length - 1;
    while (last >= 0 && !isQuote(text[last]!)) last--;
    this.#lastQuote = last;
  }

  /** Null at the end of the text. */
  next(): Token | null {
    const text = this.#text;
    while (this.#at < text.length) {
      const token = this.#field === null ? this.#readAny() : this.#readValue(this.#field);
      if (token !== null) return token;
    }
    return null;
  }

  /** Reads one token, or null for characters that mean nothing. It always moves forward. */
  #readAny(): Token | null {
    const text = this.#text;
    const character = text[this.#at]!;
    const isAfterSign = this.#isAfterSign;
    this.#isAfterSign = false;
    if (isSpace(character)) {
      this.#at++;
      this.#isAfterSpace = true;
      return null;
    }
    if (character === '(' || character === ')') {
      this.#at++;
      this.#isAfterSpace = true;
      return { kind: character === '(' ? 'open' : 'close', written: character };
    }
    if (character === '|' || text.startsWith('&&', this.#at)) {
      const length = character === '|' && text[this.#at + 1] !== '|' ? 1 : 2;
      this.#at += length;
      this.#isAfterSpace = true;
      const written = text.slice(this.#at - length, this.#at);
      return { kind: 'operator', operator: character === '|' ? 'or' : 'and', distance: 0, written };
    }
    const sign = this.#isAfterSpace ? this.#readSign(character) : null;
    if (sign !== null) return sign;
    if (isQuote(character)) return this.#readQuote();
    const field = this.#isAfterSpace ? this.#readField() : null;
    if (field !== null) return field;
    return this.#readWordOrOperator(this.#isAfterSpace && !isAfterSign);
  }

  #readSign(character: string): Token | null {
    const isNot = MINUS.includes(character);
    if (!isNot && character !== '+') return null;
    const next = this.#text[this.#at + 1];
    // Two signs are no operator: `--help` is a word, and so is `++`.
    if (next === undefined || isSpace(next) || next === ')' || next === '|' || next === '+' || MINUS.includes(next)) {
      return null;
    }
    this.#at++;
    this.#isAfterSign = true;
    return { kind: isNot ? 'not' : 'must', written: character };
  }

  /** A quotation mark inside a word is no phrase: 27" monitor. */
  #readQuote(): Token | null {
    const start = this.#at + 1;
    const mayOpen = this.#isAfterSpace;
    this.#at = start;
    this.#isAfterSpace = false;
    if (!mayOpen) return null;
    if (start > this.#lastQuote) {
      this.#notes.add('quote-not-closed');
      this.#isAfterSpace = true;
      return null;
    }
    return this.#readPhrase(start);
  }

  #readPhrase(start: number): Token | null {
    const { text, end, isClosed, slack, dropped } = readPhrase(this.#text, start);
    this.#at = end;
    this.#isAfterSpace = true;
    if (!isClosed) this.#notes.add('quote-not-closed');
    if (dropped !== '') this.#notes.add('boost-ignored', quoted(dropped));
    if (WORDLIKE.test(text)) return { kind: 'phrase', text, slack };
    this.#notes.add('sign-ignored', quoted(this.#text.slice(start - 1, end)));
    return null;
  }

  /** A name that is known, with a value directly behind it. */
  #readField(): Token | null {
    FIELD_NAME.lastIndex = this.#at;
    const name = FIELD_NAME.exec(this.#text)?.[1];
    if (name === undefined) return null;
    const behind = this.#at + name.length + 1;
    const next = this.#text[behind];
    const isEmpty = next === undefined || isSpace(next) || next === ')' || next === '|';
    const field = fieldNamed(name);
    if (field === undefined) {
      const similar = isEmpty || next === '/' ? '' : similarField(name);
      if (similar !== '')
        this.#notes.add('unknown-field', `There is no field ${quoted(`${name}:`)}${similar.slice(0, -1)}:?`);
      return null;
    }
    if (isEmpty) {
      this.#notes.add('field-without-value', quoted(`${name}:`));
      return null;
    }
    this.#at = behind;
    this.#field = field;
    return { kind: 'field', field };
  }

  #readValue(field: QueryField): Token | null {
    this.#field = null;
    const character = this.#text[this.#at]!;
    if (character === '(') return this.#readAny();
    this.#isAfterSpace = true;
    if (isQuote(character) && this.#at < this.#lastQuote) {
      const phrase = this.#readQuote();
      return phrase ?? EMPTY_VALUE;
    }
    if (isWordField(field)) return this.#readPlainWord() ?? EMPTY_VALUE;
    return { kind: 'value', text: this.#readFilterValue(field) };
  }

  /** Reads to the next space. URLs may have parentheses in pairs, and ranges in brackets may have spaces. */
  #readFilterValue(field: FilterField): string {
    const text = this.#text;
    const start = this.#at;
    const bracket = '[{'.includes(text[start]!) && field !== 'site' ? this.#closingBracket() : start;
    let depth = 0;
    let at = bracket;
    for (; at < text.length; at++) {
      const character = text[at]!;
      if (isSpace(character) || isQuote(character)) break;
      if (character === '(') depth++;
      if (character === ')' && --depth < 0) break;
    }
    this.#at = at;
    this.#isAfterSpace = false;
    return text.slice(start, Math.min(at, start + MAX_FIELD_VALUE_CHARS));
  }

  #closingBracket(): number {
    const part = this.#text.slice(this.#at, this.#at + 64);
    const end = part.search(/[\]}]/);
    return end === -1 ? this.#at : this.#at + end;
  }

  #readWordOrOperator(mayBeOperator: boolean): Token | null {
    AROUND.lastIndex = this.#at;
    const around = mayBeOperator ? AROUND.exec(this.#text) : null;
    if (around !== null) {
      this.#at = AROUND.lastIndex;
      return this.#near(around[0], around[1]!);
    }
    const token = this.#readPlainWord();
    if (!mayBeOperator || token?.kind !== 'word' || !token.word.mayBeOperator) return token;
    const written = token.word.text;
    if (written === 'NOT') return { kind: 'not', written };
    const operator = OPERATORS.get(written);
    if (operator !== undefined) return { kind: 'operator', operator, distance: DEFAULT_DISTANCE, written };
    const near = NEAR.exec(written);
    return near === null ? token : this.#near(written, near[1]!);
  }

  #near(written: string, number: string): Token {
    const given = /^\d{1,9}$/.test(number) ? Number(number) : 0;
    if (given < 1 || given > MAX_DISTANCE) this.#notes.add('near-distance', quoted(written));
    const distance = given < 1 ? DEFAULT_DISTANCE : Math.min(given, MAX_DISTANCE);
    return { kind: 'operator', operator: 'near', distance, written };
  }

  #readPlainWord(): Token | null {
    const at = this.#at;
    const read = readWord(this.#text, at, this.#isAfterSpace);
    this.#at = Math.max(read.end, at + 1);
    this.#isAfterSpace = false;
    if (read.word === null) {
      this.#notes.add('sign-ignored', quoted(this.#text.slice(at, this.#at)));
      return null;
    }
    if (read.dropped !== '') this.#notes.add('boost-ignored', quoted(read.dropped));
    if (read.isWildcardIgnored) this.#notes.add('wildcard-ignored', quoted(read.word.text));
    if (read.word.text.length > MAX_WORD_CHARS) {
      this.#notes.add('word-too-long', quoted(read.word.text));
      const text = read.word.text.slice(0, MAX_WORD_CHARS);
      if (!WORDLIKE.test(text)) return null;
      return { kind: 'word', word: { ...read.word, text }, at, end: this.#at };
    }
    return { kind: 'word', word: read.word, at, end: this.#at };
  }
}
