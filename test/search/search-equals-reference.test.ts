/**
 * The search engine finds exactly the pages that brute force finds (E9), for random queries with every operator, over
 * an index of several segments with replaced and removed pages.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { analyzeQuery, analyzeText } from '../../src/search/analysis/analyze.ts';
import { Compiler } from '../../src/search/evaluate/compile.ts';
import { IndexReader } from '../../src/search/index/index-reader.ts';
import { IndexWriter } from '../../src/search/index/index-writer.ts';
import { wordsOfUrl } from '../../src/search/index/segment/page-buffer.ts';
import { formatQuery } from '../../src/search/query/format-query.ts';
import type { Query } from '../../src/search/query/query.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import type { SearchPage } from '../../src/search/search-page.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { samplePage, samplePages } from './index/sample-pages.ts';
import { vocabularyOf } from './reference/page-vocabulary.ts';
import { randomQuery, shrinkQuery } from './reference/random-query.ts';
import { ReferenceSearch } from './reference/reference-search.ts';

const QUERIES = 250;
const PAGES = 150;

/** An index of several segments, some of whose pages were replaced or removed, and its pages. */
function indexWithHistory(t: TestContext, seed: number) {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-search-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const writer = IndexWriter.open(dir, 'crawl');
  const random = new SeededRandom(seed);
  const pages = new Map<number, SearchPage>(samplePages(seed, PAGES).map((page) => [page.urlId, page]));
  for (const page of pages.values()) {
    writer.add(page);
    if (random.below(30) === 0) writer.commit('');
  }
  for (let left = 40; left > 0; left--) {
    const urlId = 1 + random.below(PAGES);
    if (random.below(4) === 0) {
      writer.remove(urlId);
      pages.delete(urlId);
    } else {
      const page = samplePage(random, urlId, PAGES);
      writer.add(page);
      pages.set(urlId, page);
    }
    if (random.below(10) === 0) writer.commit('');
  }
  writer.commit('end');
  if (seed % 2 === 0) while (writer.merge());
  writer.close();
  return { dir, pages: [...pages.values()] };
}

for (const seed of [1, 2]) {
  test(`E9 random queries find the same pages as brute force (seed ${seed})`, (t) => {
    const { dir, pages } = indexWithHistory(t, seed);
    const reader = IndexReader.open(dir)!;
    const formsOf = reader.read((index) => {
      const compiler = new Compiler(index);
      const known = new Map<string, readonly string[]>();
      return (term: string) => {
        if (!known.has(term)) known.set(term, compiler.formsOf(term));
        return known.get(term)!;
      };
    });
    const reference = new ReferenceSearch(pages, { analyzeText, analyzeQuery, formsOf, urlText: wordsOfUrl });
    const index = SearchIndex.open(dir)!;
    t.after(() => {
      index.close();
      reader.close();
    });
    const idsByTarget = new Map<string, Set<number>>();
    const urlOf = new Map(pages.map(({ urlId, url }) => [urlId, url]));
    for (const { urlId, links } of pages) {
      for (const { targetId } of links) {
        const url = urlOf.get(targetId);
        if (url !== undefined) idsByTarget.set(url, (idsByTarget.get(url) ?? new Set()).add(urlId));
      }
    }
    const find = (query: Query): number[] => {
      const { hits, total } = index.search({ query, limit: PAGES, withNoindex: true, linkSources: idsByTarget });
      assert.equal(hits.length, total, formatQuery(query));
      for (const [i, { score, hasAll }] of hits.entries()) {
        const before = hits[i - 1];
        assert.ok(before === undefined || before.hasAll > hasAll || before.score >= score, 'hits are in order');
      }
      return hits.map(({ urlId }) => urlId).sort((a, b) => a - b);
    };
    const expected = (query: Query): number[] => [...reference.search(query)].sort((a, b) => a - b);
    const differs = (query: Query): boolean => find(query).join() !== expected(query).join();
    const random = new SeededRandom(seed);
    const vocabulary = vocabularyOf(pages, random);
    let found = 0;
    for (let left = QUERIES; left > 0; left--) {
      const query = randomQuery(random, vocabulary);
      if (differs(query)) {
        const smallest = shrinkQuery(query, differs);
        assert.deepEqual(find(smallest), expected(smallest), formatQuery(smallest));
      }
      found += expected(query).length;
    }
    assert.ok(found > QUERIES, `${found} pages were found`);
  });
}
