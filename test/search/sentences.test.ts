/** Queries of many words: sentences and questions. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { IndexWriter } from '../../src/search/index/index-writer.ts';
import { parseQuery } from '../../src/search/query/parse-query.ts';
import { SearchIndex } from '../../src/search/search-index.ts';

const OTHERS = 30;
/** A long page says everything, and everything often. */
const HANDBOOK = 'where can I read about indexes, a partial view, and about what else? '.concat(
  'chapter entry '.repeat(200),
);
const TEXTS = [
  HANDBOOK,
  'Partial indexes cover some rows. A partial index is small, and indexes that are partial help.',
];

let dir: string;
let index: SearchIndex;

before(() => {
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-sentences-'));
  const writer = IndexWriter.open(dir, 'test');
  const others = Array.from({ length: OTHERS }, (_, i) => `Where can people read about subject ${i}? I can read.`);
  for (const [i, text] of [...TEXTS, ...others].entries()) {
    const facts = { description: '', links: [], language: 'en', fileType: 'html', isNoindex: false, depth: 0 };
    const times = { fetchedAtMs: 1_000, changedAtMs: null, pageRank: 0 };
    const blocks = [{ text, role: 'text' as const }];
    writer.add({ urlId: i + 1, url: `http://site.test/${i + 1}`, title: '', blocks, ...facts, ...times });
  }
  writer.commit('1');
  writer.close();
  index = SearchIndex.open(dir)!;
});

after(() => {
  index.close();
  rmSync(dir, { recursive: true });
});

function firstOf(text: string): { readonly id: number; readonly hasAll: boolean } {
  const [hit] = index.search({ query: parseQuery(text).query, limit: 1 }).hits;
  return { id: hit!.urlId, hasAll: hit!.hasAll };
}

test('a page about the subject of a question comes before a long page that has every word of it', () => {
  assert.deepEqual(firstOf('where can I read about partial indexes'), { id: 2, hasAll: false });
});

test('a short query, and a word that is required, are as strict as before', () => {
  assert.deepEqual(firstOf('read partial indexes'), { id: 1, hasAll: true });
  assert.equal(firstOf('where can I read +about partial indexes').id, 1);
});
