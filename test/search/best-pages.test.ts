/** Pages that cannot be among the best are not scored. The best pages are the same as when every page is scored (E9). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { IndexReader } from '../../src/search/index/index-reader.ts';
import { IndexWriter } from '../../src/search/index/index-writer.ts';
import { formatQuery } from '../../src/search/query/format-query.ts';
import { parseQuery } from '../../src/search/query/parse-query.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { samplePages } from './index/sample-pages.ts';
import { rankAll } from './reference/exhaustive-ranking.ts';
import { vocabularyOf } from './reference/page-vocabulary.ts';
import { randomQuery } from './reference/random-query.ts';

const PAGES = 600;
const QUERIES = 80;
const SHOWN = 5;
const ROUNDING = 1e-9;

test('E9 the best pages of random queries are those of scoring every page', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-best-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const writer = IndexWriter.open(dir, 'crawl');
  const pages = samplePages(11, PAGES).map((page) => ({ ...page, isNoindex: false }));
  for (const [i, page] of pages.entries()) {
    writer.add(page);
    if (i % 200 === 199) writer.commit('');
  }
  writer.commit('');
  writer.close();
  const reader = IndexReader.open(dir)!;
  const index = SearchIndex.open(dir)!;
  t.after(() => {
    index.close();
    reader.close();
  });
  const random = new SeededRandom(11);
  const vocabulary = vocabularyOf(pages, random);
  const plain = () => Array.from({ length: 1 + random.below(5) }, () => random.pick(vocabulary.words)).join(' ');
  for (let left = QUERIES; left > 0; left--) {
    const query = left % 2 === 0 ? randomQuery(random, vocabulary) : parseQuery(plain()).query;
    const expected = reader.read((open) => rankAll(open, query, new Map(), SHOWN));
    const { hits, total } = index.search({ query, limit: SHOWN });
    assert.equal(total, expected.found.size, formatQuery(query));
    assert.deepEqual(
      hits.map(({ urlId }) => urlId),
      expected.best.map(({ urlId }) => urlId),
      formatQuery(query),
    );
    for (const [i, { score }] of hits.entries()) assert.ok(Math.abs(score - expected.best[i]!.score) < ROUNDING);
  }
});

test('E9 a word that is in a query a thousand times is looked up once', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-best-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const writer = IndexWriter.open(dir, 'crawl');
  for (const page of samplePages(12, 300)) writer.add(page);
  writer.commit('');
  writer.close();
  const index = SearchIndex.open(dir)!;
  t.after(() => index.close());
  const answerTo = (words: readonly string[], joined: string) =>
    index.search({ query: parseQuery(words.join(joined)).query, limit: SHOWN });
  const many = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? 'w1' : 'w2'));
  // With each word taken by itself, these pages alone need hours.
  assert.equal(answerTo(many, ' NEAR/3 ').total, answerTo(['w1', 'w2'], ' NEAR/3 ').total);
  assert.equal(answerTo(many, ' OR ').total, answerTo(['w1', 'w2'], ' OR ').total);
  const [once] = answerTo(['w1'], ' OR ').hits;
  const [often] = answerTo(['w1', 'w1'], ' OR ').hits;
  assert.ok(often!.score > 1.5 * once!.score);
});
