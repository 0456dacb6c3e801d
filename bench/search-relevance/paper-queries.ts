/**
 * Recall and precision as the paper measures them (E11): five queries, one for each operator. In: an index over the
 * sites, and a judged pool. Out: for each query, the results, how many are relevant, and how many relevant pages there
 * are in the pool.
 *
 * The pool of a query is every result of Orbweaver and the first 15 of both other contenders. One person judged it by
 * title and passage: 2, the page explains the subject; 1, it says something of use about it; 0, it mentions the word
 * only. Results of plain words are the pages that have all of them. A result that is not in the pool is not relevant.
 */
import { parseQuery } from '../../src/search/query/parse-query.ts';
import type { SearchIndex } from '../../src/search/search-index.ts';
import judged from './judged.json' with { type: 'json' };
import type { PageOf } from './measure.ts';

export interface PaperFigures {
  readonly query: string;
  readonly results: number;
  readonly explain: number;
  readonly relevant: number;
  /** Relevant pages in the pool. */
  readonly known: number;
  /** Relevant pages among the first five results. */
  readonly inFive: number;
}

const MOST_RESULTS = 1_000;

export function paperFigures(index: SearchIndex, pageOf: PageOf): PaperFigures[] {
  return judged.map(({ query, pages }) => {
    const grades = new Map(pages.map(({ site, path, grade }) => [`${site} ${path}`, grade]));
    const { hits } = index.search({ query: parseQuery(query).query, limit: MOST_RESULTS });
    const found = hits.filter(({ hasAll }) => hasAll).map(({ urlId }) => pageOf(urlId));
    const graded = found.map(({ site, path }) => grades.get(`${site} ${path}`) ?? 0);
    return {
      query,
      results: found.length,
      explain: graded.filter((grade) => grade === 2).length,
      relevant: graded.filter((grade) => grade > 0).length,
      known: pages.filter(({ grade }) => grade > 0).length,
      inFive: graded.slice(0, 5).filter((grade) => grade > 0).length,
    };
  });
}
