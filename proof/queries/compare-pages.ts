/**
 * Compares the search with a brute-force reference on real pages. In: pages. Out: the queries that find other pages, or
 * that show other pages first than when every page is scored.
 */
import { analyzeQuery, analyzeText } from '../../src/search/analysis/analyze.ts';
import { Compiler } from '../../src/search/evaluate/compile.ts';
import { IndexReader } from '../../src/search/index/index-reader.ts';
import { IndexWriter } from '../../src/search/index/index-writer.ts';
import { wordsOfUrl } from '../../src/search/index/segment/page-buffer.ts';
import { formatQuery } from '../../src/search/query/format-query.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import type { SearchPage } from '../../src/search/search-page.ts';
import { rankAll } from '../../test/search/reference/exhaustive-ranking.ts';
import { vocabularyOf } from '../../test/search/reference/page-vocabulary.ts';
import { randomQuery } from '../../test/search/reference/random-query.ts';
import { ReferenceSearch } from '../../test/search/reference/reference-search.ts';
import { SeededRandom } from '../../testbed/random.ts';

const COMMIT_PAGES = 700;
/** One page in so many is added twice, with another text at first. */
const REPLACED = 20;
const VOCABULARY = 60;
const SHOWN = 10;
const ROUNDING = 1e-9;

export interface Comparison {
  readonly wrongSets: readonly string[];
  readonly wrongOrders: readonly string[];
  /** The pages that all queries found together. */
  readonly found: number;
}

/** Several segments, with pages that were replaced. */
export function writeIndex(dir: string, pages: readonly SearchPage[]): void {
  const writer = IndexWriter.open(dir, 'proof');
  const commit = (): void => {
    writer.commit('');
    while (writer.merge());
  };
  for (const [i, page] of pages.entries()) {
    const other = pages[(i + 1) % pages.length]!;
    if (i % REPLACED === 0) writer.add({ ...page, blocks: other.blocks, title: other.title });
    else writer.add(page);
    if (writer.waiting === COMMIT_PAGES) commit();
  }
  commit();
  for (let i = 0; i < pages.length; i += REPLACED) writer.add(pages[i]!);
  commit();
  writer.close();
}

export function compareQueries(
  dir: string,
  pages: readonly SearchPage[],
  queries: number,
  report: (line: string) => void,
): Comparison {
  const reader = IndexReader.open(dir)!;
  const index = SearchIndex.open(dir)!;
  const compiler = reader.read((open) => new Compiler(open));
  const formsOf = (term: string) => reader.read(() => compiler.formsOf(term));
  const reference = new ReferenceSearch(pages, { analyzeText, analyzeQuery, formsOf, urlText: wordsOfUrl });
  const linkSources = sourcesOf(pages);
  const random = new SeededRandom(1);
  const vocabulary = vocabularyOf(pages, random, VOCABULARY);
  const wrongSets: string[] = [];
  const wrongOrders: string[] = [];
  let found = 0;
  for (let done = 1; done <= queries; done++) {
    const query = randomQuery(random, vocabulary);
    const expected = reference.search(query);
    const all = reader.read((open) => rankAll(open, query, linkSources, SHOWN));
    const { hits, total } = index.search({ query, limit: SHOWN, linkSources });
    found += expected.size;
    const isSame =
      total === expected.size && all.found.size === total && [...all.found].every((id) => expected.has(id));
    if (!isSame) wrongSets.push(formatQuery(query));
    const inOrder = all.best.every(({ urlId, score }, i) => {
      return hits[i]?.urlId === urlId && Math.abs(hits[i].score - score) < ROUNDING;
    });
    if (!inOrder || hits.length !== all.best.length) wrongOrders.push(formatQuery(query));
    if (done % 500 === 0) report(`${done} of ${queries} queries are compared`);
  }
  index.close();
  reader.close();
  return { wrongSets, wrongOrders, found };
}

/** By URL: the ids of the pages that link to it. */
function sourcesOf(pages: readonly SearchPage[]): Map<string, Set<number>> {
  const sources = new Map<string, Set<number>>();
  for (const { urlId, links } of pages) {
    for (const { targetId } of links) {
      const { url } = pages[targetId - 1]!;
      sources.set(url, (sources.get(url) ?? new Set()).add(urlId));
    }
  }
  return sources;
}
