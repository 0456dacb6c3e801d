/** Words such as `unittest.TestCase.assertGreater`, of which pages may have only the parts (E9). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { IndexWriter } from '../../src/search/index/index-writer.ts';
import { parseQuery } from '../../src/search/query/parse-query.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import { textPage } from './reference/simple-search.ts';

/** Finds the ids of the pages with these texts, whose ids are 1, 2 … */
function searchOver(t: TestContext, ...texts: readonly string[]): (query: string) => number[] {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-search-'));
  const writer = IndexWriter.open(dir, 'crawl');
  for (const [i, text] of texts.entries()) writer.add(textPage(i + 1, text));
  writer.commit('end');
  writer.close();
  const index = SearchIndex.open(dir)!;
  t.after(() => {
    index.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return (query) => index.search({ query: parseQuery(query).query, limit: 10 }).hits.map(({ urlId }) => urlId);
}

test('E9 a dotted name that no page has as a whole finds the pages with its parts, all of them first', (t) => {
  const search = searchOver(
    t,
    'the unittest module',
    'unittest has TestCase with assertGreater and others',
    'a spider',
  );
  assert.deepEqual(search('unittest.TestCase.assertGreater'), [2, 1]);
  assert.deepEqual(search('unittest.TestCase.assertGreater -module'), [2]);
  assert.deepEqual(search('unittest.TestCase.assertGreater -spider'), [2, 1]);
});

test('E9 a dotted name that a page has as a whole finds only this page', (t) => {
  const search = searchOver(t, 'call os.path.join here', 'join the path of the os');
  assert.deepEqual(search('os.path.join'), [1]);
});

test('E9 an exact word, a phrase and a word with a field stay whole', (t) => {
  const search = searchOver(t, 'join the path of the os');
  assert.deepEqual(search('os.path.join'), [1]);
  for (const query of ['=os.path.join', '"os.path.join"', 'intitle:os.path.join']) assert.deepEqual(search(query), []);
});

test('E9 a number alone is no part: C++20 finds pages about C++, and not pages with 20', (t) => {
  const search = searchOver(t, 'ranges of C++', 'a list of 20 items', 'version 3.13.0 of 2026');
  assert.deepEqual(search('C++20'), [1]);
  assert.deepEqual(search('3.13.7'), []);
  assert.deepEqual(search('3.13'), [3], 'a part of a longer number is found as before');
});
