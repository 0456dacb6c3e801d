/**
 * Makes random queries with every operator. In: a seeded source of numbers and a vocabulary. Out: trees as the parser
 * makes them (query.ts says what always holds in them). The same seed gives the same queries.
 */
import {
  type FilterQuery,
  isRestriction,
  type PatternQuery,
  type PhraseQuery,
  type Query,
  WORD_FIELDS,
  type WordField,
  type WordQuery,
} from '../../../src/search/query/query.ts';
import type { SeededRandom } from '../../../testbed/random.ts';

/** What queries are made of. No list is empty. */
export interface QueryVocabulary {
  readonly words: readonly string[];
  readonly phrases: readonly string[];
  readonly patterns: readonly string[];
  readonly sites: readonly { readonly host: string; readonly path: string }[];
  readonly fileTypes: readonly string[];
  readonly languages: readonly string[];
  /** Milliseconds since 1970. */
  readonly times: readonly number[];
  readonly links: readonly string[];
  readonly maxDepth: number;
}

const MAX_OPERANDS = 4;
const DISTANCES = [1, 2, 3, 5, 10, 40];

export function randomQuery(random: SeededRandom, vocabulary: QueryVocabulary, nesting = 6): Query {
  return new QueryMaker(random, vocabulary).any(nesting);
}

class QueryMaker {
  readonly #random: SeededRandom;
  readonly #vocabulary: QueryVocabulary;

  constructor(random: SeededRandom, vocabulary: QueryVocabulary) {
    this.#random = random;
    this.#vocabulary = vocabulary;
  }

  any(nesting: number): Query {
    if (nesting <= 0 || this.#random.below(4) === 0) return this.#leaf();
    const inner = () => this.any(nesting - 1 - this.#random.below(2));
    const kind = this.#random.pick(['plain', 'plain', 'and', 'or', 'xor', 'not', 'near'] as const);
    switch (kind) {
      case 'plain':
        return this.#plain(inner);
      case 'not': {
        const operand = inner();
        return operand.kind === 'not' ? operand : { kind, operand };
      }
      case 'near':
        return this.#near();
      default:
        return { kind, operands: this.#several(2, inner) };
    }
  }

  #several<T>(least: number, make: () => T): T[] {
    return Array.from({ length: least + this.#random.below(MAX_OPERANDS - least + 1) }, make);
  }

  /** Limits are not part of `plain`, so the parser puts them beside it; one that comes up here is left out. */
  #plain(inner: () => Query): Query {
    const field = this.#field();
    const optional = this.#several(1, () =>
      this.#random.below(4) === 0 ? this.#pattern(field) : this.#word(field, false),
    );
    const required = this.#random.below(2) === 0 ? [] : this.#several(1, inner).filter((each) => !isRestriction(each));
    if (required.length + optional.length === 1) return optional[0]!;
    return { kind: 'plain', required, optional };
  }

  #near(): Query {
    const field = this.#random.pick(['any', 'any', 'title', 'url'] as const);
    const operand = () => (this.#random.below(3) === 0 ? this.#phrase(field) : this.#word(field));
    return { kind: 'near', operands: this.#several(2, operand), distance: this.#random.pick(DISTANCES) };
  }

  #leaf(): Query {
    switch (this.#random.below(8)) {
      case 0:
        return this.#phrase();
      case 1:
        return this.#pattern();
      case 2:
        return this.#filter();
      case 3:
        return this.#near();
      default:
        return this.#word();
    }
  }

  #field(): WordField {
    return this.#random.below(2) === 0 ? 'any' : this.#random.pick(WORD_FIELDS);
  }

  #word(field = this.#field(), isExact = this.#random.below(4) === 0): WordQuery {
    return { kind: 'word', text: this.#random.pick(this.#vocabulary.words), field, isExact };
  }

  #phrase(field = this.#field()): PhraseQuery {
    return { kind: 'phrase', text: this.#random.pick(this.#vocabulary.phrases), field };
  }

  #pattern(field = this.#field()): PatternQuery {
    return { kind: 'pattern', text: this.#random.pick(this.#vocabulary.patterns), field };
  }

  #filter(): FilterQuery {
    const { sites, fileTypes, languages, links, maxDepth } = this.#vocabulary;
    switch (this.#random.below(6)) {
      case 0:
        return { kind: 'site', ...this.#random.pick(sites) };
      case 1:
        return { kind: 'filetype', value: this.#random.pick(fileTypes) };
      case 2:
        return { kind: 'lang', value: this.#random.pick(languages) };
      case 3:
        return { kind: 'link', url: this.#random.pick(links) };
      case 4: {
        const from = this.#random.below(maxDepth + 1);
        return {
          kind: 'depth',
          from,
          to: this.#random.below(3) === 0 ? null : from + this.#random.below(maxDepth + 1),
        };
      }
      default:
        return this.#dates();
    }
  }

  #dates(): FilterQuery {
    const kind = this.#random.pick(['date', 'changed'] as const);
    const [one, other] = [this.#random.pick(this.#vocabulary.times), this.#random.pick(this.#vocabulary.times)];
    if (one === other) return { kind, fromMs: one, toMs: this.#random.below(2) === 0 ? null : one + 1 };
    const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other)];
    return this.#random.pick([
      { kind, fromMs, toMs },
      { kind, fromMs, toMs: null },
      { kind, fromMs: null, toMs },
    ]);
  }
}

/** Smaller queries that are made from this one. To find the smallest failing query, try them again and again. */
export function* smallerQueries(query: Query): Generator<Query> {
  switch (query.kind) {
    case 'not':
      yield query.operand;
      for (const smaller of smallerQueries(query.operand))
        if (smaller.kind !== 'not') yield { ...query, operand: smaller };
      break;
    case 'and':
    case 'or':
    case 'xor':
      yield* query.operands;
      for (const operands of smallerLists(query.operands)) if (operands.length >= 2) yield { ...query, operands };
      break;
    case 'near':
      yield* query.operands;
      if (query.operands.length > 2) {
        for (const at of query.operands.keys()) yield { ...query, operands: query.operands.toSpliced(at, 1) };
      }
      break;
    case 'plain':
      yield* query.required;
      yield* query.optional;
      for (const [at, operand] of query.required.entries()) {
        const smaller = smallerQueries(operand).filter((each) => !isRestriction(each));
        for (const each of smaller) yield { ...query, required: query.required.with(at, each) };
      }
      if (query.optional.length + query.required.length <= 2) break;
      for (const at of query.required.keys()) yield { ...query, required: query.required.toSpliced(at, 1) };
      if (query.optional.length === 1) break;
      for (const at of query.optional.keys()) yield { ...query, optional: query.optional.toSpliced(at, 1) };
      break;
    default:
  }
}

function* smallerLists(operands: readonly Query[]): Generator<Query[]> {
  for (const at of operands.keys()) yield operands.toSpliced(at, 1);
  for (const [at, operand] of operands.entries()) {
    for (const smaller of smallerQueries(operand)) yield operands.with(at, smaller);
  }
}

/** The smallest query found for which `fails` is still true. */
export function shrinkQuery(query: Query, fails: (query: Query) => boolean): Query {
  let current = query;
  for (let steps = 0; steps < 10_000; steps++) {
    const smaller = smallerQueries(current).find(fails);
    if (smaller === undefined) return current;
    current = smaller;
  }
  return current;
}
