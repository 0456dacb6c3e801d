/** The figures of the benchmark of ranking, and plain BM25, with which it compares. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fts5, plainBm25 } from '../../../bench/search-relevance/contenders.ts';
import { figuresOf, ranksOf } from '../../../bench/search-relevance/measure.ts';
import type { SearchPage } from '../../../src/search/search-page.ts';

function page(urlId: number, title: string, text: string): SearchPage {
  const facts = { depth: 0, fetchedAtMs: 0, changedAtMs: null, pageRank: 0, isNoindex: false, fileType: 'html' };
  const blocks = [{ text, role: 'text' as const }];
  return {
    ...facts,
    urlId,
    url: `http://host.test/${urlId}`,
    title,
    description: '',
    blocks,
    links: [],
    language: 'en',
  };
}

const PAGES = [
  page(1, 'Gardens', 'a garden with a spider, a pond, a path, a hedge and a bench'),
  page(2, 'Spiders', 'spiders and their webs'),
  page(3, 'Ponds', 'fish'),
];

test('plain BM25 and FTS5 find other forms of a word, and prefer the shorter page with more of them', () => {
  for (const rank of [plainBm25(PAGES, ['spider']), fts5(PAGES)]) assert.deepEqual(rank('spider'), [2, 1]);
});

test('ranks leave out results of other sites, and a page that is not found counts nothing', () => {
  const sites = new Map([1, 2, 3].map((id) => [id, { site: id === 1 ? 'other' : 'own', path: `/${id}` }]));
  const item = { site: 'own', kind: 'words', query: 'x' } as const;
  const items = [
    { ...item, answers: ['/2'] },
    { ...item, answers: ['/9'] },
  ];
  const ranks = ranksOf(
    items,
    () => [1, 3, 2],
    (id) => sites.get(id)!,
  );
  assert.deepEqual(ranks, [2, 0]);
  assert.deepEqual(figuresOf(ranks), { queries: 2, reciprocalRank: 0.25, first: 0, inTen: 0.5 });
});
