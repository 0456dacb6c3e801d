/**
 * The door of the search engine (E9). In: the folder of an index, and queries. Out: the best pages with their scores,
 * the number of all matches, and how they divide into hosts, types, languages and years.
 *
 * What always holds: the answer to a query comes from one state of the index. No query causes an exception, and the
 * work for one query is limited.
 */
import { Compiler } from './evaluate/compile.ts';
import type { Compiled, Phrase } from './evaluate/compiled-query.ts';
import type { LinkSources } from './evaluate/filter-pages.ts';
import { loosen } from './evaluate/loosen.ts';
import { PageMatcher } from './evaluate/match-pages.ts';
import { TermLists } from './evaluate/term-lists.ts';
import { IndexReader, type LiveSegment, type OpenIndex } from './index/index-reader.ts';
import type { PageBits } from './index/page-bits.ts';
import { IndexVocabulary } from './index-vocabulary.ts';
import type { Query } from './query/query.ts';
import { explainScores, type ScoreParts } from './rank/explain-scores.ts';
import { countFacets, type Facets } from './rank/facets.ts';
import { type FeedbackPage, feedbackWords } from './rank/feedback.ts';
import { firstPages } from './rank/first-pages.ts';
import { rankPages } from './rank/rank-pages.ts';
import { type ScoredWords, scoredWords } from './rank/score-pages.ts';
import type { RankedPage } from './rank/top-pages.ts';
import { type DescribedPage, strongTerms, type TermStatistics } from './similar/strong-terms.ts';
import { Spelling, type Suggestion } from './spelling/spelling.ts';
import { VersionGroups } from './versions/group-versions.ts';
import { narrowIndex, type VersionOfUrl, versionsLinkingTo } from './versions/narrow-index.ts';
import { type FoundVersion, VersionTable } from './versions/version-table.ts';

const MOST_COMPLETIONS = 10;

export interface SearchRequest {
  readonly query: Query;
  readonly limit: number;
  readonly offset?: number;
  /** Whether pages count that ask not to be shown by search engines. */
  readonly withNoindex?: boolean;
  /** At most this many results of one host. */
  readonly perHost?: number;
  readonly withFacets?: boolean;
  /** Says for each hit what its score consists of. */
  readonly explains?: boolean;
  /** For each URL of a `link:` filter: the ids of the pages that link to it. */
  readonly linkSources?: LinkSources;
  /** The best pages of a first search for the same query: their words count, too (rank/feedback.ts). */
  readonly feedback?: readonly FeedbackPage[];
  /** Only in an index of versions: the versions that count. */
  readonly versions?: readonly VersionOfUrl[];
  /** Only with versions: several versions of one page are one result. */
  readonly groupsVersions?: boolean;
}

export interface SearchHit {
  readonly urlId: number;
  readonly url: string;
  readonly score: number;
  /** Whether the page has all words of the query. */
  readonly hasAll: boolean;
  readonly language: string;
  readonly fileType: string;
  readonly fetchedAtMs: number;
  /** Null unless it was asked for. */
  readonly scoreParts: ScoreParts | null;
  /** The ids of all matching versions of the page, if versions are grouped. */
  readonly versions?: readonly number[];
}

export interface SearchAnswer {
  /** If versions are grouped, the number of pages. */
  readonly total: number;
  readonly hits: readonly SearchHit[];
  readonly facets: Facets | null;
  /** Patterns that match more words than can be read. Some of their pages may be missing. */
  readonly cutPatterns: readonly string[];
  /** The words of the query that give a page its score. */
  readonly words: readonly AnsweredWord[];
}

export interface AnsweredWord {
  /** As it was written. */
  readonly text: string;
  /** The terms that were looked for. */
  readonly terms: ReadonlySet<string>;
  /** The sequences of terms that were looked for. */
  readonly phrases: readonly Phrase[];
  readonly rarity: number;
  /** The number of pages that have it, about. */
  readonly pages: number;
}

export class SearchIndex {
  readonly #reader: IndexReader;
  #vocabulary: IndexVocabulary | null = null;
  #spelling: Spelling | null = null;

  private constructor(reader: IndexReader) {
    this.#reader = reader;
  }

  /** Null if there is no index in the folder. */
  static open(dir: string): SearchIndex | null {
    const reader = IndexReader.open(dir);
    return reader === null ? null : new SearchIndex(reader);
  }

  get pages(): number {
    return this.#reader.read(({ pages }) => pages);
  }

  get bytes(): number {
    return this.#reader.bytes;
  }

  search(request: SearchRequest): SearchAnswer {
    const { versions } = request;
    return this.#reader.read((index) => {
      return answer(versions === undefined ? index : narrowIndex(index, versions), request);
    });
  }

  /** In an index of versions: those that were current at this time, or all. And what the copy had dropped then. */
  versions(atMs: number | null): { readonly found: readonly FoundVersion[]; readonly dropped: string | null } {
    return this.#reader.read((_, database) => {
      const table = VersionTable.forReading(database);
      return { found: table.at(atMs), dropped: table.dropped };
    });
  }

  /** In an index of versions: the ids of those that link to a URL. */
  versionsLinkingTo(urlId: number): ReadonlySet<number> {
    return this.#reader.read((index) => versionsLinkingTo(index, urlId));
  }

  /** The terms that say what a page is about, the strongest first. */
  strongTerms(page: DescribedPage): readonly string[] {
    return this.#reader.read((index) => strongTerms(page, statisticsOf(index, new TermLists())));
  }

  /** What is meant by words that follow each other in a query; null if nothing better is known. */
  suggest(words: readonly string[]): Suggestion | null {
    return this.#reader.read((index) => this.#spellingIn(index).suggest(words));
  }

  /** The most probable words that begin with `prefix`, the best first. `before` is the word in front of it. */
  complete(prefix: string, before = '', limit = MOST_COMPLETIONS): readonly string[] {
    return this.#reader.read((index) => this.#spellingIn(index).complete(prefix, before, limit));
  }

  #spellingIn(index: OpenIndex): Spelling {
    this.#vocabulary ??= new IndexVocabulary(index);
    this.#vocabulary.index = index;
    this.#spelling ??= new Spelling(this.#vocabulary);
    return this.#spelling;
  }

  close(): void {
    this.#reader.close();
  }
}

function answer(index: OpenIndex, request: SearchRequest): SearchAnswer {
  const { limit, offset = 0, perHost, withNoindex = false, withFacets = false } = request;
  const compiler = new Compiler(index);
  const matcher = new PageMatcher(index, new TermLists(), request.linkSources ?? new Map());
  const compiled = loosen(compiler.compile(request.query), matcher, (term) => compiler.wordOf(term));
  const wanted = offset + limit;
  // Results of the same host are left out after ranking, so more pages are ranked.
  const most = perHost === undefined ? wanted : Math.min(10_000, 20 * wanted);
  const more = moreWords(request.feedback ?? [], compiler, matcher);
  const rank = (first: number) => rankPages(compiled, matcher, { most: first, withNoindex, more });
  const { versions, groupsVersions = false } = request;
  const groups = versions !== undefined && groupsVersions ? new VersionGroups(index, versions) : null;
  const ranking = groups?.rank(most, rank) ?? rank(most);
  const shown = perHost === undefined ? ranking.pages : limitHosts(index, ranking.pages, perHost);
  const hits = shown.slice(offset, wanted);
  const parts = request.explains === true ? explainScores(hits, ranking.words, matcher) : null;
  const matching = groups?.matchingOf(hits, ranking.matches);
  const complete = new CompletePages(compiled, matcher);
  return {
    total: ranking.total,
    hits: hits.map((page, i) => ({
      ...hitOf(page, complete, parts?.[i] ?? null),
      ...(matching === undefined ? {} : { versions: matching[i]! }),
    })),
    facets: withFacets ? countFacets(index, ranking.matches) : null,
    cutPatterns: matcher.cutPatterns,
    words: ranking.words.map(answeredWord),
  };
}

/** The words of the best pages. A query of many words outweighs them as much as a query of one word. */
function moreWords(best: readonly FeedbackPage[], compiler: Compiler, matcher: PageMatcher): ScoredWords[] {
  if (best.length === 0) return [];
  const { pages, pagesWith } = statisticsOf(matcher.index, matcher.lists);
  return feedbackWords(best, pagesWith, pages).map(({ term, weight }) => {
    const scored = scoredWords(compiler.wordOf(term), matcher);
    return { ...scored, rarity: scored.rarity * weight };
  });
}

/** Lists also have the pages that do not count (any more), so all pages are compared. */
function statisticsOf({ segments, numbers }: OpenIndex, lists: TermLists): TermStatistics {
  const pagesWith = (term: string) => segments.reduce((sum, live) => sum + (lists.find(live, term)?.count ?? 0), 0);
  return { pages: numbers, pagesWith };
}

function answeredWord({ words, rarity, pages }: ScoredWords): AnsweredWord {
  const terms = new Set(words.terms.map(({ term }) => term));
  return { text: words.text, terms, phrases: words.phrases, rarity, pages };
}

function limitHosts(index: OpenIndex, pages: readonly RankedPage[], perHost: number): RankedPage[] {
  const shown = new Map<string, number>();
  return pages.filter(({ number }) => {
    const { segment, page } = placeOf(index, number);
    const { host } = segment.columns.factsOf(page);
    const count = (shown.get(host) ?? 0) + 1;
    shown.set(host, count);
    return count <= perHost;
  });
}

function hitOf({ number, score }: RankedPage, complete: CompletePages, scoreParts: ScoreParts | null): SearchHit {
  const { segment, page, live } = placeOf(complete.matcher.index, number);
  const { urlId, language, fileType, fetched } = segment.columns.factsOf(page);
  const facts = { urlId, url: segment.urlOf(page), language, fileType, fetchedAtMs: 1_000 * fetched };
  return { ...facts, score, hasAll: complete.has(live, page), scoreParts };
}

/** Says which pages have all words of the query. Pages that lack frequent words of a sentence come first, too. */
class CompletePages {
  readonly matcher: PageMatcher;
  readonly #query: Compiled;
  readonly #pages = new Map<LiveSegment, PageBits>();

  constructor(query: Compiled, matcher: PageMatcher) {
    this.#query = query;
    this.matcher = matcher;
  }

  has(live: LiveSegment, page: number): boolean {
    const known = this.#pages.get(live) ?? firstPages(this.#query, live, this.matcher, null);
    this.#pages.set(live, known);
    return known.has(page);
  }
}

function placeOf({ segments }: OpenIndex, number: number) {
  const live = segments.findLast(({ base }) => base <= number)!;
  return { live, segment: live.segment, page: number - live.base };
}
