/**
 * Reads a query. In: what the user typed. Out: a tree, and notes about everything that was read in another way than it
 * was written. What always holds: it never throws, it takes linear time, and the tree is within the limits of
 * query-limits.ts. docs/search-query.md describes the language.
 */
import { type FilterField, isWordField, type QueryField, readFilter } from './fields.ts';
import type { Query, WordField } from './query.ts';
import { QueryGroup } from './query-group.ts';
import { MAX_DISTANCE, MAX_LEAVES, MAX_NESTING, MAX_QUERY_CHARS, MAX_WORD_CHARS } from './query-limits.ts';
import { NoteList, type QueryNote } from './query-notes.ts';
import { type Token, TokenReader } from './read-tokens.ts';
import { type ReadWord, WORDLIKE } from './read-word.ts';

export interface ParsedQuery {
  readonly query: Query;
  readonly notes: readonly QueryNote[];
  /** The words in the order of the text, without those of phrases and filters. A correction of the query needs them. */
  readonly words: readonly QueryWord[];
}

export interface QueryWord {
  readonly text: string;
  /** Where the word is in the text of the query, with its escapes and `=`. */
  readonly start: number;
  readonly end: number;
}

/** `nowMs` is what `date:7d` and `date:today` count from. */
export function parseQuery(text: string, nowMs: number = Date.now()): ParsedQuery {
  return new QueryParser(text, nowMs).parse();
}

type LeafToken = Token & { readonly kind: 'word' | 'phrase' | 'value' };

class QueryParser {
  readonly #notes = new NoteList();
  readonly #nowMs: number;
  readonly #text: string;
  readonly #words: QueryWord[] = [];
  readonly #groups: QueryGroup[];
  /** Parentheses that are open beyond the limit. */
  #tooDeep = 0;
  #field: QueryField | null = null;
  #leaves = 0;
  #hasOperator = false;

  constructor(text: string, nowMs: number) {
    this.#nowMs = nowMs;
    this.#text = text.length > MAX_QUERY_CHARS ? text.slice(0, MAX_QUERY_CHARS) : text;
    if (text.length > MAX_QUERY_CHARS) this.#notes.add('query-too-long');
    this.#groups = [new QueryGroup('any', this.#notes)];
  }

  parse(): ParsedQuery {
    const reader = new TokenReader(this.#text, this.#notes);
    for (let token = reader.next(); token !== null && this.#leaves <= MAX_LEAVES; token = reader.next()) {
      this.#read(token);
    }
    if (this.#leaves > MAX_LEAVES) {
      this.#group.dropSigns();
      this.#notes.add('too-many-words');
    } else if (this.#groups.length > 1) this.#notes.add('parenthesis-not-closed');
    while (this.#groups.length > 1) this.#closeGroup();
    const operand = this.#group.finish();
    if (operand === null && this.#hasOperator) return this.#operatorsAsWords();
    if (operand === null) this.#notes.add('nothing-to-search');
    const query = operand?.query ?? { kind: 'nothing' };
    return { query, notes: this.#notes.all(), words: this.#words };
  }

  /** Somebody who types only NOT looks for the word. */
  #operatorsAsWords(): ParsedQuery {
    const words = this.#text.split(/[^A-Z]+/).filter((word) => word !== '');
    const optional = words
      .slice(0, MAX_LEAVES)
      .map((text) => ({ kind: 'word', text, field: 'any', isExact: false }) as const);
    this.#notes.add('operators-as-words');
    const notes = this.#notes.all().filter(({ code }) => code !== 'operator-ignored');
    const query: Query = optional.length === 1 ? optional[0]! : { kind: 'plain', required: [], optional };
    return { query, notes, words: [] };
  }

  get #group(): QueryGroup {
    return this.#groups.at(-1)!;
  }

  #read(token: Token): void {
    const group = this.#group;
    switch (token.kind) {
      case 'field':
        this.#field = token.field;
        break;
      case 'open':
        this.#open();
        break;
      case 'close':
        this.#close();
        break;
      case 'operator':
        this.#hasOperator ||= /^[A-Z]/.test(token.written);
        group.operator(token.operator, token.distance, token.written);
        break;
      case 'not':
        this.#hasOperator ||= token.written === 'NOT';
        group.not(token.written);
        break;
      case 'must':
        group.must();
        break;
      default:
        this.#readLeaf(token);
    }
  }

  #open(): void {
    const field = this.#field ?? this.#group.field;
    this.#field = null;
    if (this.#groups.length > MAX_NESTING) {
      this.#tooDeep++;
      this.#notes.add('nested-too-deep');
    } else this.#groups.push(new QueryGroup(field, this.#notes));
  }

  #close(): void {
    if (this.#tooDeep > 0) this.#tooDeep--;
    else if (this.#groups.length === 1) this.#notes.add('parenthesis-not-opened');
    else this.#closeGroup();
  }

  #closeGroup(): void {
    const closed = this.#groups.pop()!;
    const operand = closed.finish();
    const outer = this.#group;
    if (operand === null) outer.dropSigns();
    // A word with a field of its own is required: `intitle:(a)` means `intitle:a`.
    else outer.add({ ...operand, isBare: operand.isBare && closed.field === outer.field });
  }

  #readLeaf(token: LeafToken): void {
    const ownField = this.#field;
    const field = ownField ?? this.#group.field;
    this.#field = null;
    if (!isWordField(field)) this.#addFilter(field, token);
    else if (token.kind === 'word') {
      this.#words.push({ text: token.word.text, start: token.at, end: token.end });
      this.#addLeaf(1, wordOf(token.word, field), ownField === null && !token.word.isExact);
    } else if (token.kind === 'phrase') this.#addPhrase(token.text, token.slack, field);
    // The value had no letter and no digit.
    else this.#group.dropSigns();
  }

  #addLeaf(leaves: number, query: Query, isBare = false): void {
    this.#leaves += leaves;
    if (this.#leaves <= MAX_LEAVES) this.#group.add({ query, isBare });
  }

  /** `"a b"~5` of Lucene and Sphinx means the same words with up to five others between them. */
  #addPhrase(text: string, slack: number | null, field: WordField): void {
    const words = text.split(' ').filter((word) => WORDLIKE.test(word));
    if (slack === null || slack === 0 || words.length === 1 || field === 'anchor') {
      this.#addLeaf(words.length, { kind: 'phrase', text, field });
      return;
    }
    const operands = words.map((word) => ({ kind: 'word', text: word, field, isExact: true }) as const);
    this.#addLeaf(words.length, { kind: 'near', operands, distance: Math.min(MAX_DISTANCE, slack + words.length - 1) });
  }

  #addFilter(field: FilterField, token: LeafToken): void {
    const value = token.kind === 'word' ? this.#text.slice(token.at, token.end) : token.text;
    const filter = readFilter(field, value, this.#nowMs, this.#notes);
    if (filter !== null) this.#addLeaf(1, filter);
    else {
      const text = `${field}:${value}`.slice(0, MAX_WORD_CHARS);
      const around = this.#group.field;
      this.#addLeaf(1, { kind: 'word', text, field: isWordField(around) ? around : 'any', isExact: false }, true);
    }
  }
}

function wordOf({ text, isPattern, isExact }: ReadWord, field: WordField): Query {
  return isPattern ? { kind: 'pattern', text, field } : { kind: 'word', text, field, isExact };
}
