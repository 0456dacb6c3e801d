/**
 * Searches a copy (E9). In: what the user typed. Out: the best pages with title, URL and the passage that shows why,
 * the number of all matches, and notes about the query.
 *
 * What always holds: the state of the copy decides. A page that the copy does not have any more is not shown.
 */
import { OrbweaverError } from '../../core/errors.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { parseQuery } from '../../search/query/parse-query.ts';
import type { Query } from '../../search/query/query.ts';
import type { QueryNote } from '../../search/query/query-notes.ts';
import type { ScoreParts } from '../../search/rank/explain-scores.ts';
import type { Facets } from '../../search/rank/facets.ts';
import { FEEDBACK_PAGES, type FeedbackPage } from '../../search/rank/feedback.ts';
import { type AnsweredWord, SearchIndex, type SearchRequest } from '../../search/search-index.ts';
import type { Mark } from '../../search/snippet/snippet.ts';
import type { Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import { correctQuery } from './correct-query.ts';
import { PassageReader } from './read-passage.ts';

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
  readonly indexedPages: number;
  readonly seconds: number;
}

/** More pages that link to a URL are not compared with the other words of a query. */
const MOST_LINKING = 100_000;

/** A word on fewer pages may be misspelt. */
const FEW_PAGES = 5;

/** Keeps the index open between queries. */
export class CopySearcher {
  readonly #store: Store;
  readonly #index: SearchIndex;
  readonly #passages: PassageReader;

  /** `again`: the flags that name the crawl in another command. */
  constructor(store: Store, place: CrawlPlace, again = `--dir ${place.dir}`) {
    this.#store = store;
    const index = SearchIndex.open(place.dir);
    if (index === null) throw withoutIndex(place.dir, again);
    this.#index = index;
    this.#passages = new PassageReader(store, place);
  }

  async search({ text, limit, offset, perHost, ...wanted }: CopySearch): Promise<CopyAnswer> {
    const startMs = performance.now();
    const parsed = parseQuery(text);
    const { query, notes } = parsed;
    const request: SearchRequest = {
      ...{ query, limit, offset, linkSources: await this.#linkSources(query) },
      ...{ withNoindex: wanted.withNoindex, withFacets: wanted.withFacets, explains: wanted.explains },
      ...(perHost === null ? {} : { perHost }),
    };
    const feedback = wanted.withFeedback ? await this.#feedback(request) : [];
    const answer = this.#index.search({ ...request, feedback });
    const mayBeMeant =
      answer.hits.some(({ hasAll }) => hasAll) && answer.words.every(({ pages }) => pages >= FEW_PAGES);
    const didYouMean = mayBeMeant ? null : correctQuery(text, parsed, (words) => this.#index.suggest(words));
    const records = await this.#store.records(answer.hits.map(({ urlId }) => urlId));
    const byId = new Map(records.map((record) => [record.id, record]));
    const results: CopyResult[] = [];
    for (const { urlId, url, ...hit } of answer.hits) {
      const record = byId.get(urlId);
      if (record?.url !== url || record.capture === null) continue;
      const { text: snippet, marks } = await this.#passages.read(record, answer.words);
      results.push({ ...hit, url, title: record.title, snippet, marks });
    }
    const { total, facets, cutPatterns, words } = answer;
    const seconds = (performance.now() - startMs) / 1_000;
    return {
      query,
      notes,
      didYouMean,
      total,
      results,
      facets,
      cutPatterns,
      words,
      indexedPages: this.#index.pages,
      seconds,
    };
  }

  /** The texts of the best pages of a first search. */
  async #feedback(request: SearchRequest): Promise<FeedbackPage[]> {
    const { hits } = this.#index.search({ ...request, limit: FEEDBACK_PAGES, offset: 0, withFacets: false });
    const records = await this.#store.records(hits.map(({ urlId }) => urlId));
    const pages: FeedbackPage[] = [];
    for (const record of records) {
      const hit = hits.find(({ urlId }) => urlId === record.id)!;
      pages.push({ blocks: await this.#passages.blocks(record), language: hit.language, score: hit.score });
    }
    return pages;
  }

  /** The best completions of a word that is being typed. */
  complete(prefix: string, before = ''): readonly string[] {
    return this.#index.complete(prefix, before);
  }

  close(): void {
    this.#index.close();
  }

  /** The pages that link to the URLs of `link:` filters. */
  async #linkSources(query: Query): Promise<Map<string, ReadonlySet<number>>> {
    const sources = new Map<string, ReadonlySet<number>>();
    for (const url of linkedUrls(query)) {
      const record = await this.#store.explain(hostOf(url), urlKeyHex(url));
      const links = record === null ? [] : await this.#store.linksTo(record.id, MOST_LINKING);
      sources.set(url, new Set(links.map(({ id }) => id)));
    }
    return sources;
  }
}

function linkedUrls(query: Query): string[] {
  switch (query.kind) {
    case 'link':
      return [query.url];
    case 'plain':
      return [...query.required, ...query.optional].flatMap(linkedUrls);
    case 'and':
    case 'or':
    case 'xor':
      return query.operands.flatMap(linkedUrls);
    case 'not':
      return linkedUrls(query.operand);
    default:
      return [];
  }
}

function withoutIndex(dir: string, again: string): OrbweaverError {
  return new OrbweaverError(
    'ERR_NO_INDEX',
    `the copy in ${dir} has no search index; make it with: orbweaver index ${again}`,
  );
}
