/** Searches a copy, and completes words. */
import type { SearchAnswer } from '../../contract/search.ts';
import type { Handlers } from '../answer-route.ts';
import { iso } from './times.ts';

const RESULTS_SHOWN = 10;
const MOST_FACET_VALUES = 50;

export const handlers: Handlers = {
  search: async ({ open, query }) => {
    const { q, limit = RESULTS_SHOWN, offset = 0, perHost = null, facets = false, noindex = false } = query;
    const startMs = performance.now();
    const found = await open.searcher.search({
      ...{ text: q, limit, offset, perHost, withFacets: facets, withNoindex: noindex },
      ...{ explains: false, withFeedback: false },
    });
    return {
      total: found.total,
      indexed: found.indexedPages,
      milliseconds: Number((performance.now() - startMs).toFixed(1)),
      results: found.results.map(({ url, title, snippet, marks, hasAll, score, language, fileType, fetchedAtMs }) => ({
        ...{ url, title, snippet, hasAll, score, language, fileType },
        marks: marks.map(({ from, to }) => ({ from, to })),
        fetchedAt: iso(fetchedAtMs),
      })),
      notes: found.notes.map(({ message }) => message),
      didYouMean: found.didYouMean,
      facets: found.facets && cutFacets(found.facets),
    } satisfies SearchAnswer;
  },

  complete: async ({ open, query }) => ({
    words: open.searcher.complete(query.prefix.toLowerCase(), (query.before ?? '').toLowerCase()),
  }),
};

function cutFacets(facets: Readonly<Record<string, readonly { readonly value: string; readonly pages: number }[]>>) {
  const cut = Object.entries(facets).map(([name, values]) => [
    name,
    values.slice(0, MOST_FACET_VALUES).map(({ value, pages }) => ({ value, pages })),
  ]);
  return Object.fromEntries(cut) as NonNullable<SearchAnswer['facets']>;
}
