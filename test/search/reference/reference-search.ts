/**
 * Finds the pages of a query by the simplest possible code, to compare the search engine with. In: all pages, the text
 * analysis and a query. Out: the ids of the URLs that match. It looks at every page for every word, phrase and pattern,
 * and remembers which pages have it.
 *
 * Pages that ask search engines not to show them are pages like others here; the caller leaves them out.
 */
import type { FilterQuery, PatternQuery, PhraseQuery, Query, WordQuery } from '../../../src/search/query/query.ts';
import type { SearchPage } from '../../../src/search/search-page.ts';
import { authorityOf, hostnameOf, pathOf } from '../../../src/url/host.ts';
import {
  fieldAt,
  type ReferenceAnalysis,
  type ReferencePage,
  readPages,
  type TermPositions,
} from './reference-page.ts';

/** Where a word or a phrase is: its first and its last position. */
interface Occurrence {
  readonly start: number;
  readonly end: number;
}

/** `all`: of plain words, all must be there. `some`: what is required must be there, or at least one word. */
export type PlainRule = 'all' | 'some';

export class ReferenceSearch {
  readonly #pages: readonly ReferencePage[];
  readonly #analysis: ReferenceAnalysis;
  readonly #idOf: (url: string) => number | undefined;
  /** What the analysis said, because it is asked again for every page. */
  readonly #ways = new Map<string, ReturnType<ReferenceAnalysis['analyzeQuery']>>();
  readonly #forms = new Map<string, readonly string[]>();
  readonly #patterns = new Map<string, Map<string, boolean>>();
  /** By word, phrase or pattern with its field: 1 for each page that has it. */
  readonly #found = new Map<string, Uint8Array>();

  /** `idOf`: the id of a URL for `link:`. Without it, only the URLs of the pages are known. */
  constructor(pages: readonly SearchPage[], analysis: ReferenceAnalysis, idOf?: (url: string) => number | undefined) {
    this.#pages = readPages(pages, analysis);
    this.#analysis = analysis;
    const ids = new Map(pages.map(({ url, urlId }) => [url, urlId]));
    this.#idOf = idOf ?? ((url) => ids.get(url));
  }

  search(query: Query, rule: PlainRule = 'some'): Set<number> {
    const loosened = this.#loosened(query);
    const found = this.#pages.filter((_, at) => this.#matches(loosened, at, rule));
    return new Set(found.map(({ page }) => page.urlId));
  }

  /** Words that no page has as a whole, in their smallest parts. */
  #loosened(query: Query): Query {
    switch (query.kind) {
      case 'word': {
        const parts = this.#partsOf(query);
        return parts === null ? query : { kind: 'plain', required: [], optional: parts };
      }
      case 'plain': {
        const optional = query.optional.flatMap((one) => (one.kind === 'word' ? (this.#partsOf(one) ?? one) : one));
        return { ...query, optional };
      }
      case 'and':
        return { kind: 'and', operands: query.operands.map((one) => this.#loosened(one)) };
      default:
        return query;
    }
  }

  #partsOf(query: WordQuery): WordQuery[] | null {
    if (query.isExact || query.field !== 'any') return null;
    const last = remembered(this.#ways, query.text, this.#analysis.analyzeQuery).at(-1);
    const parts = [...new Set(last?.terms.map(({ term }) => term))];
    if (parts.length < 2 || this.#pagesWith(query).includes(1)) return null;
    return parts.map((text) => ({ kind: 'word', text, field: 'any', isExact: false }));
  }

  #pagesWith(query: WordQuery | PhraseQuery | PatternQuery): Uint8Array {
    return remembered(this.#found, JSON.stringify(query), () =>
      Uint8Array.from(this.#pages, (page) => {
        return Number(query.kind === 'pattern' ? this.#hasPattern(query, page) : this.#hasText(query, page));
      }),
    );
  }

  /** `at`: the index of the page. */
  #matches(query: Query, at: number, rule: PlainRule): boolean {
    const matches = (each: Query): boolean => this.#matches(each, at, rule);
    switch (query.kind) {
      case 'plain':
        if (rule === 'all') return query.required.every(matches) && query.optional.every(matches);
        return query.required.length > 0 ? query.required.every(matches) : query.optional.some(matches);
      case 'and':
        return query.operands.every(matches);
      case 'or':
        return query.operands.some(matches);
      case 'xor':
        return query.operands.filter(matches).length % 2 === 1;
      case 'not':
        return !matches(query.operand);
      case 'word':
      case 'phrase':
      case 'pattern':
        return this.#pagesWith(query)[at] === 1;
      case 'near': {
        if (!query.operands.every((operand) => this.#pagesWith(operand)[at] === 1)) return false;
        const { terms } = this.#pages[at]!;
        return isNear(
          query.operands.map((operand) => this.#occurrences(operand, terms)),
          query.distance,
        );
      }
      case 'nothing':
        return false;
      default:
        return this.#passes(query, this.#pages[at]!);
    }
  }

  #hasText(query: WordQuery | PhraseQuery, page: ReferencePage): boolean {
    const isInPage = query.field !== 'anchor' && this.#occurrences(query, page.terms).length > 0;
    const isInAnchor =
      (query.field === 'anchor' || query.field === 'any') &&
      page.anchors.some((anchor) => this.#occurrencesIn(query, anchor).length > 0);
    return isInPage || isInAnchor;
  }

  /** The occurrences in the field of the query. */
  #occurrences(query: WordQuery | PhraseQuery, terms: TermPositions): Occurrence[] {
    const all = this.#occurrencesIn(query, terms);
    return all.filter(({ start, end }) => fieldAt(start) === fieldAt(end) && isInField(start, query.field));
  }

  #occurrencesIn(query: WordQuery | PhraseQuery, terms: TermPositions): Occurrence[] {
    const hasForms = query.kind === 'word' && !query.isExact;
    const isAt = (term: string, position: number): boolean => {
      const forms = hasForms ? this.#formsOf(term) : [term];
      return forms.some((form) => terms.get(form)?.includes(position) === true);
    };
    const found: Occurrence[] = [];
    for (const way of remembered(this.#ways, query.text, this.#analysis.analyzeQuery)) {
      const first = way.terms[0];
      if (first === undefined) continue;
      const length = Math.max(...way.terms.map(({ offset }) => offset));
      const forms = hasForms ? this.#formsOf(first.term) : [first.term];
      const starts = forms.flatMap((form) => (terms.get(form) ?? []).map((position) => position - first.offset));
      for (const start of new Set(starts)) {
        const isThere = way.terms.every(({ term, offset }) => isAt(term, start + offset));
        if (isThere) found.push({ start, end: start + length });
      }
    }
    return found;
  }

  #formsOf(term: string): readonly string[] {
    return remembered(this.#forms, term, this.#analysis.formsOf);
  }

  #hasPattern({ text, field }: PatternQuery, page: ReferencePage): boolean {
    const pattern = text.normalize('NFKC').toLowerCase();
    const known = remembered(this.#patterns, pattern, () => new Map<string, boolean>());
    const matches = (term: string): boolean => remembered(known, term, () => matchesPattern(term, pattern));
    const isInPage = page.terms
      .entries()
      .some(([term, positions]) => matches(term) && positions.some((position) => isInField(position, field)));
    if (isInPage || (field !== 'any' && field !== 'anchor')) return isInPage;
    return page.anchors.some((anchor) => [...anchor.keys()].some(matches));
  }

  #passes(query: FilterQuery, { page, targets }: ReferencePage): boolean {
    switch (query.kind) {
      case 'site':
        return isOnSite(page.url, query.host) && pathOf(page.url).startsWith(query.path);
      case 'filetype':
        return page.fileType === query.value;
      case 'lang':
        return page.language === query.value;
      case 'date':
        return isWithin(page.fetchedAtMs, query.fromMs, query.toMs);
      case 'changed':
        return page.changedAtMs !== null && isWithin(page.changedAtMs, query.fromMs, query.toMs);
      case 'depth':
        return page.depth >= query.from && (query.to === null || page.depth <= query.to);
      case 'link': {
        const id = this.#idOf(query.url);
        return id !== undefined && targets.has(id);
      }
    }
  }
}

function isInField(position: number, field: WordQuery['field']): boolean {
  switch (field) {
    case 'any':
      return true;
    case 'anchor':
      return false;
    default:
      return fieldAt(position) === field;
  }
}

/** All pairs are compared: one occurrence is the first that ends, and each operand has one in the window behind it. */
function isNear(operands: readonly (readonly Occurrence[])[], distance: number): boolean {
  return operands.flat().some((first) =>
    operands.every((occurrences) =>
      occurrences.some(({ start, end }) => {
        return fieldAt(start) === fieldAt(first.start) && end >= first.end && start <= first.end + distance;
      }),
    ),
  );
}

function remembered<V>(known: Map<string, V>, key: string, make: (key: string) => V): V {
  const value = known.get(key) ?? make(key);
  known.set(key, value);
  return value;
}

/** `*` is any number of characters, `?` is exactly one. A character outside the basic plane is one character. */
export function matchesPattern(term: string, pattern: string): boolean {
  const [letters, signs] = [[...term], [...pattern]];
  let ends = new Set([0]);
  for (const sign of signs) {
    const next = new Set<number>();
    for (const end of ends) {
      if (sign === '*') for (let at = end; at <= letters.length; at++) next.add(at);
      else if (end < letters.length && (sign === '?' || sign === letters[end])) next.add(end + 1);
    }
    ends = next;
  }
  return ends.has(letters.length);
}

function isOnSite(url: string, host: string): boolean {
  const hasPort = /:\d+$/.test(host);
  const own = hasPort ? authorityOf(url) : hostnameOf(url);
  return own === host || own.endsWith(`.${host}`);
}

function isWithin(ms: number, fromMs: number | null, toMs: number | null): boolean {
  return (fromMs === null || ms >= fromMs) && (toMs === null || ms < toMs);
}
