/**
 * Searches a copy (E9). In: what the user typed. Out: the best pages with title, URL and the passage that shows why,
 * the number of all matches, and notes about the query.
 *
 * What always holds: the state of the copy decides. A page that the copy does not have any more is not shown.
 */
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { parseQuery } from '../../search/query/parse-query.ts';
import type { Query } from '../../search/query/query.ts';
import type { QueryNote } from '../../search/query/query-notes.ts';
import type { ScoreParts } from '../../search/rank/explain-scores.ts';
import type { Facets } from '../../search/rank/facets.ts';
import { FEEDBACK_PAGES, type FeedbackPage } from '../../search/rank/feedback.ts';
import type { AnsweredWord, SearchHit, SearchRequest } from '../../search/search-index.ts';
import type { Mark } from '../../search/snippet/snippet.ts';
import type { Store } from '../../store/contract.ts';
import { correctQuery } from './correct-query.ts';
import { CurrentPages, type FoundPage, type PageSource } from './page-source.ts';
import { PassageReader } from './read-passage.ts';
import { similarTo } from './similar-pages.ts';
import { type ResultVersions, StoredVersions } from './version-source.ts';

export interface CopySearch {
  readonly text: string;
  readonly limit: number;
  readonly offset: number;
  readonly withNoindex: boolean;
  readonly perHost: number | null;
  readonly withFacets: boolean;
  readonly explains: boolean;
  /** Also counts the words of the best pages: more pages of the same subject come first. */
  readonly withFeedback: boolean;
  /** Finds pages about the same subject as this page, among those that the text finds. */
  readonly like?: string | null;
}

export interface CopyResult {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  /** Where the words of the query are in the snippet. */
  readonly marks: readonly Mark[];
  readonly score: number;
  readonly hasAll: boolean;
  readonly language: string;
  readonly fileType: string;
  readonly fetchedAtMs: number;
  readonly scoreParts: ScoreParts | null;
  /** The time of the version, if stored versions were searched. */
  readonly versions: ResultVersions | null;
}

export interface CopyAnswer {
  readonly query: Query;
  readonly notes: readonly QueryNote[];
  /** The query with corrected words; null if nothing better is known. */
  readonly didYouMean: string | null;
  readonly total: number;
  readonly results: readonly CopyResult[];
  readonly facets: Facets | null;
  readonly cutPatterns: readonly string[];
  readonly words: readonly AnsweredWord[];
  /** Pages in which the query was searched. */
  readonly indexedPages: number;
  /** Only for stored versions: the URLs with changes that the index does not have yet. */
  readonly behind: number;
  readonly seconds: number;
}

/** The page itself and pages with nearly its text, which are left out of similar pages. */
const MOST_LEFT_OUT = 50;
/** A word on fewer pages may be misspelt. */
const FEW_PAGES = 5;

/** Which pages are searched: those of the copy as it is now, the versions of one time, or all versions. */
export type SearchedTime = 'now' | 'ever' | { readonly atMs: number };

/** `again`: the flags that name the crawl in another command. */
export async function openSearch(
  store: Store,
  place: CrawlPlace,
  time: SearchedTime,
  again?: string,
): Promise<CopySearcher> {
  if (time === 'now') return new CopySearcher(store, place, again);
  const atMs = time === 'ever' ? null : time.atMs;
  return new CopySearcher(store, place, again, await StoredVersions.open(store, place, atMs, again));
}

/** Keeps the index open between queries. */
export class CopySearcher {
  readonly #source: PageSource;
  readonly #parts: { readonly store: Store; readonly passages: PassageReader };

  /** Without a source, the pages are those of the copy as it is now. `again`: the flags that name it in a command. */
  constructor(store: Store, place: CrawlPlace, again?: string, source?: PageSource) {
    this.#source = source ?? new CurrentPages(store, place, again);
    this.#parts = { store, passages: new PassageReader(store, place) };
  }

  async search(wanted: CopySearch): Promise<CopyAnswer> {
    const startMs = performance.now();
    const { text, limit, offset, perHost, like = null } = wanted;
    const { index } = this.#source;
    const parsed = parseQuery(text);
    const similar = like === null ? null : await similarTo(like, { ...this.#parts, index });
    const isOnlySimilar = similar !== null && text.trim() === '';
    const query = similar === null ? parsed.query : isOnlySimilar ? similar.query : both(parsed.query, similar.query);
    const request: SearchRequest = {
      ...{ query, linkSources: await this.#source.linkSources(query) },
      // Pages that are left out are among the first.
      ...(similar === null ? { limit, offset } : { limit: offset + limit + MOST_LEFT_OUT, offset: 0 }),
      ...{ withNoindex: wanted.withNoindex, withFacets: wanted.withFacets, explains: wanted.explains },
      ...(perHost === null ? {} : { perHost }),
    };
    const feedback = similar?.feedback ?? (wanted.withFeedback ? await this.#feedback(request) : []);
    const answer = this.#source.search({ ...request, feedback });
    const mayBeMeant =
      answer.hits.some(({ hasAll }) => hasAll) && answer.words.every(({ pages }) => pages >= FEW_PAGES);
    const isAsked = similar === null && !mayBeMeant;
    const didYouMean = isAsked ? correctQuery(text, parsed, (words) => index.suggest(words)) : null;
    const { facets, cutPatterns, words } = answer;
    const found = await this.#found(answer.hits);
    const shown = similar === null ? found : found.filter(({ page }) => !similar.isLeftOut(page));
    const total = similar === null ? answer.total : answer.total - (found.length - shown.length);
    const results = await this.#resultsOf(similar === null ? shown : shown.slice(offset, offset + limit), words);
    const seconds = (performance.now() - startMs) / 1_000;
    const notes = isOnlySimilar ? [] : parsed.notes;
    const { pages: indexedPages, behind } = this.#source;
    return { query, notes, didYouMean, total, results, facets, cutPatterns, words, indexedPages, behind, seconds };
  }

  /** The hits whose pages the copy still has. */
  async #found(hits: readonly SearchHit[]): Promise<{ readonly hit: SearchHit; readonly page: FoundPage }[]> {
    const pages = await this.#source.pagesOf(hits);
    return hits.flatMap((hit, i) => (pages[i] === null ? [] : { hit, page: pages[i]! }));
  }

  async #resultsOf(
    found: readonly { readonly hit: SearchHit; readonly page: FoundPage }[],
    words: readonly AnsweredWord[],
  ): Promise<CopyResult[]> {
    const results: CopyResult[] = [];
    for (const { hit, page } of found) {
      const { archived, title, fetchedAtMs, versions } = page;
      const { text: snippet, marks, title: read } = await this.#parts.passages.read(archived, words);
      const { urlId: _, versions: __, ...facts } = hit;
      results.push({ ...facts, title: title ?? read, snippet, marks, fetchedAtMs, versions });
    }
    return results;
  }

  /** The texts of the best pages of a first search. */
  async #feedback(request: SearchRequest): Promise<FeedbackPage[]> {
    const { hits } = this.#source.search({ ...request, limit: FEEDBACK_PAGES, offset: 0, withFacets: false });
    const pages: FeedbackPage[] = [];
    for (const { hit, page } of await this.#found(hits)) {
      const { language, score } = hit;
      pages.push({ blocks: await this.#parts.passages.blocks(page.archived), language, score });
    }
    return pages;
  }

  /** The best completions of a word that is being typed. */
  complete(prefix: string, before = ''): readonly string[] {
    return this.#source.index.complete(prefix, before);
  }

  close(): void {
    this.#source.close();
  }
}

function both(first: Query, second: Query): Query {
  return { kind: 'and', operands: [first, second] };
}
