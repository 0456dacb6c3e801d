/**
 * Resolves the words of a query to terms of the index. In: a query. Out: the same query with the forms of each word,
 * and with all words that match a pattern.
 */
import { analyzeQuery, foldTerm, type QueryWay, stemOf } from '../analysis/analyze.ts';
import type { OpenIndex } from '../index/index-reader.ts';
import { spellingKey, stemKey } from '../index/segment/keys.ts';
import type { PatternQuery, PhraseQuery, Query, WordQuery } from '../query/query.ts';
import { WEIGHTS } from '../weights.ts';
import type { Compiled, CompiledTerm, CompiledWords, Phrase } from './compiled-query.ts';

export class Compiler {
  readonly #index: OpenIndex;
  /** A word that is in a query many times is resolved, and its pages are found, once. */
  readonly #known = new Map<string, CompiledWords>();

  constructor(index: OpenIndex) {
    this.#index = index;
  }

  compile(query: Query): Compiled {
    const all = (queries: readonly Query[]): Compiled[] => queries.map((one) => this.compile(one));
    switch (query.kind) {
      case 'plain':
        return { kind: 'plain', required: all(query.required), optional: all(query.optional) };
      case 'and':
      case 'or':
      case 'xor':
        return { kind: query.kind, operands: all(query.operands) };
      case 'not':
        return { kind: 'not', operand: this.compile(query.operand) };
      case 'near':
        return {
          kind: 'near',
          operands: [...new Set(query.operands.map((one) => this.#words(one)))],
          distance: query.distance,
        };
      case 'word':
      case 'phrase':
        return this.#words(query);
      case 'pattern':
        return this.#once(query, () => compilePattern(query));
      case 'nothing':
        return query;
      default:
        return { kind: 'filter', filter: query };
    }
  }

  /** A term with all its forms. */
  wordOf(term: string): CompiledWords {
    return this.#words({ kind: 'word', text: term, field: 'any', isExact: false });
  }

  #once(query: WordQuery | PhraseQuery | PatternQuery, compile: () => CompiledWords): CompiledWords {
    const key = `${query.kind} ${query.kind === 'word' && query.isExact} ${query.field} ${query.text}`;
    const words = this.#known.get(key) ?? compile();
    this.#known.set(key, words);
    return words;
  }

  #words(query: WordQuery | PhraseQuery): CompiledWords {
    return this.#once(query, () => this.#compileWords(query));
  }

  #compileWords(query: WordQuery | PhraseQuery): CompiledWords {
    const { text, field } = query;
    const hasForms = query.kind === 'word' && !query.isExact;
    const terms = new Map<string, number>();
    const phrases: Phrase[] = [];
    const ways = analyzeQuery(text);
    for (const way of ways) {
      const term = singleTerm(way);
      if (term === null) phrases.push(this.#phrase(way, hasForms));
      else {
        terms.set(term, 1);
        if (hasForms) for (const form of this.formsOf(term)) if (!terms.has(form)) terms.set(form, WEIGHTS.otherForm);
      }
    }
    const compiled = [...terms].map(([term, share]): CompiledTerm => ({ term, share }));
    // The last way has the smallest parts.
    const parts = hasForms ? (ways.at(-1)?.terms ?? []).map(({ term }) => term) : [];
    return { kind: 'words', text, field, terms: compiled, phrases, parts: [...new Set(parts)], pattern: null };
  }

  #phrase({ terms }: QueryWay, hasForms: boolean): Phrase {
    return terms.map(({ term, offset }) => ({ terms: hasForms ? this.formsOf(term) : [term], offset }));
  }

  /** The term itself, its spellings with and without accents, and all terms with the same stem in any language. */
  formsOf(term: string): readonly string[] {
    const folded = foldTerm(term);
    const accented = [term, ...folded].flatMap((spelling) => this.#termsOf(spellingKey(spelling)));
    const forms = new Set([term, ...folded, ...accented]);
    for (const spelling of [...forms]) {
      for (const language of this.#index.languages) {
        const stem = stemOf(spelling, language);
        if (stem !== null) for (const form of [stem, ...this.#termsOf(stemKey(language, stem))]) forms.add(form);
      }
    }
    return [...forms];
  }

  #termsOf(key: string): string[] {
    return this.#index.segments.flatMap(({ segment }) => segment.formsOf(key));
  }
}

function compilePattern({ text, field }: PatternQuery): CompiledWords {
  const pattern = text.normalize('NFKC').toLowerCase();
  return { kind: 'words', text, field, terms: [], phrases: [], parts: [], pattern };
}

function singleTerm({ terms }: QueryWay): string | null {
  return terms.length === 1 ? terms[0]!.term : null;
}
