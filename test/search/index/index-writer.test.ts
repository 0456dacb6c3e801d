/** The index of a copy: whatever is added, replaced, removed, joined or killed, it has each page once, as it is now. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { IndexWriter } from '../../../src/search/index/index-writer.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { SearchIndex } from '../../../src/search/search-index.ts';
import type { SearchPage } from '../../../src/search/search-page.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { readIndex } from './index-contents.ts';
import { samplePage, samplePages } from './sample-pages.ts';

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-index-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** An index that was made in one step. */
function builtFrom(t: TestContext, pages: Iterable<SearchPage>) {
  const dir = folder(t);
  const writer = IndexWriter.open(dir, 'crawl');
  for (const page of pages) writer.add(page);
  writer.commit('end');
  writer.close();
  return readIndex(dir);
}

test('E9 an index has the same pages, terms, positions and links, however its pages came', (t) => {
  const random = new SeededRandom(7);
  const dir = folder(t);
  const writer = IndexWriter.open(dir, 'crawl');
  const expected = new Map<number, SearchPage>();
  let merges = 0;
  for (let commit = 0; commit < 60; commit++) {
    for (let left = random.below(40); left > 0; left--) {
      const urlId = 1 + random.below(500);
      if (random.below(5) === 0) {
        writer.remove(urlId);
        expected.delete(urlId);
      } else {
        const page = samplePage(random, urlId, 500);
        writer.add(page);
        expected.set(urlId, page);
      }
    }
    writer.commit(String(commit));
    assert.equal(writer.position, String(commit));
    // Some merges are interrupted after each key, so pages of their segments are replaced meanwhile.
    while (random.below(2) === 0 && writer.merge(random.below(2) === 0 ? 0 : undefined)) merges++;
  }
  writer.close();
  const now = readIndex(dir);
  assert.ok(merges > 5 && now.segments > 1, `${merges} merges, ${now.segments} segments`);
  const rebuilt = builtFrom(t, expected.values());
  assert.equal(now.pages.size, expected.size);
  assert.deepEqual([...now.pages.keys()].sort(), [...rebuilt.pages.keys()].sort());
  for (const [url, page] of rebuilt.pages) assert.deepEqual(now.pages.get(url), page, url);
  // Forms of pages that are gone may stay until their segment is written again. None may be missing.
  for (const [key, forms] of rebuilt.stems) for (const form of forms) assert.ok(now.stems.get(key)?.includes(form));
});

test('a list of more than one block gives all positions, also to a reader that skips blocks', (t) => {
  const dir = folder(t);
  const writer = IndexWriter.open(dir, 'crawl');
  const random = new SeededRandom(3);
  const blank = samplePages(1, 1)[0]!;
  const texts = Array.from({ length: 1_000 }, (_, i) => {
    const words = Array.from({ length: 1 + random.below(30) }, () => (random.below(3) === 0 ? 'often' : 'filler'));
    return i % 97 === 0 ? `often seldom ${words.join(' ')}` : words.join(' ');
  });
  for (const [i, text] of texts.entries()) {
    const blocks = [{ role: 'text', text }] as const;
    writer.add({ ...blank, urlId: i + 1, title: '', description: '', links: [], isNoindex: false, blocks });
  }
  writer.commit('end');
  writer.close();
  const index = SearchIndex.open(dir)!;
  t.after(() => index.close());
  const query = { kind: 'phrase', text: 'often seldom', field: 'any' } as const;
  const { hits, total } = index.search({ query, limit: 100 });
  assert.equal(total, 11);
  assert.deepEqual(
    hits.map(({ urlId }) => urlId).sort((a, b) => a - b),
    texts.flatMap((_, i) => (i % 97 === 0 ? i + 1 : [])),
  );
});

test('what was added after the last commit is lost with the process, and nothing else is', (t) => {
  const dir = folder(t);
  const pages = samplePages(5, 60);
  const writer = IndexWriter.open(dir, 'crawl');
  for (const page of pages.slice(0, 40)) writer.add(page);
  writer.commit('40');
  for (const page of pages.slice(30)) writer.add(page);
  writer.close();
  const again = IndexWriter.open(dir, 'crawl');
  assert.equal(again.position, '40');
  again.close();
  assert.deepEqual(readIndex(dir).pages, builtFrom(t, pages.slice(0, 40)).pages);
});

test('rows of a segment that was never finished are removed', (t) => {
  const dir = folder(t);
  const writer = IndexWriter.open(dir, 'crawl');
  for (const page of samplePages(5, 30)) writer.add(page);
  writer.commit('1');
  writer.close();
  const before = readIndex(dir).pages;
  const db = new DatabaseSync(join(dir, 'search.db'));
  const rows = () => (db.prepare('SELECT count(*) AS n FROM rows').get() as { n: number }).n;
  const had = rows();
  // A merge that was killed has written rows of the next segment, without its facts.
  db.exec('INSERT INTO rows SELECT id + 536870912, bytes FROM rows');
  assert.equal(rows(), 2 * had);
  IndexWriter.open(dir, 'crawl').close();
  assert.equal(rows(), had);
  db.close();
  assert.deepEqual(readIndex(dir).pages, before);
});

test('an index of another crawl is emptied, and clear begins again', (t) => {
  const dir = folder(t);
  const writer = IndexWriter.open(dir, 'crawl');
  for (const page of samplePages(5, 30)) writer.add(page);
  writer.commit('1');
  writer.close();
  const other = IndexWriter.open(dir, 'another crawl');
  assert.equal(other.position, null);
  assert.equal(readIndex(dir).pages.size, 0);
  for (const page of samplePages(6, 10)) other.add(page);
  other.commit('1');
  other.clear();
  assert.equal(other.position, null);
  other.close();
  assert.equal(readIndex(dir).pages.size, 0);
});

test('a reader sees one state of the index while it is written, and the next state with the next query', (t) => {
  const dir = folder(t);
  const writer = IndexWriter.open(dir, 'crawl');
  const [page] = samplePages(5, 1);
  const withWord = (urlId: number, text: string): SearchPage => {
    return { ...page!, urlId, isNoindex: false, links: [], blocks: [{ role: 'text', text }] };
  };
  writer.add(withWord(1, 'earlier'));
  writer.commit('1');
  const index = SearchIndex.open(dir)!;
  t.after(() => index.close());
  const find = (text: string) =>
    index
      .search({ query: { kind: 'word', text, field: 'any', isExact: true }, limit: 100 })
      .hits.map(({ urlId }) => urlId);
  assert.deepEqual([find('earlier'), find('later')], [[1], []]);
  writer.add(withWord(1, 'later'));
  assert.deepEqual([find('earlier'), find('later')], [[1], []]);
  writer.commit('2');
  assert.deepEqual([find('earlier'), find('later')], [[], [1]]);
  for (let i = 2; i < 20; i++) {
    writer.add(withWord(i, 'later'));
    writer.commit(String(i));
    writer.merge();
    assert.equal(find('later').length, i);
  }
  writer.remove(1);
  writer.commit('end');
  assert.ok(!find('later').includes(1));
  writer.close();
});

test('an index of another version is not read, and is made again by the next writer', (t) => {
  const dir = folder(t);
  const writer = IndexWriter.open(dir, 'crawl');
  for (const page of samplePages(5, 10)) writer.add(page);
  writer.commit('1');
  writer.close();
  const db = new DatabaseSync(join(dir, 'search.db'));
  db.exec("UPDATE notes SET value = '1' WHERE name = 'version'");
  db.close();
  assert.equal(SearchIndex.open(dir), null);
  const again = IndexWriter.open(dir, 'crawl');
  assert.equal(again.position, null);
  again.close();
  assert.equal(SearchIndex.open(dir)?.pages, 0);
});

test('a file that is no index is reported with what to do', (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, 'search.db'), 'x'.repeat(5_000));
  assert.throws(() => IndexWriter.open(dir, 'crawl'), { code: 'ERR_STORE', message: /orbweaver index --rebuild/ });
  assert.throws(() => SearchIndex.open(dir)?.pages, { code: 'ERR_STORE', message: /orbweaver index --rebuild/ });
  const empty = folder(t);
  appendFileSync(join(empty, 'search.db'), '');
  assert.equal(SearchIndex.open(empty), null);
});

test('E9 a reader that stays open reads the new pages when an index is emptied and filled again', (t) => {
  const dir = folder(t);
  const random = new SeededRandom(11);
  const writer = IndexWriter.open(dir, 'crawl');
  const page = (urlId: number, word: string): SearchPage => ({
    ...samplePage(random, urlId, 500),
    url: `http://example.test/${word}`,
    title: word,
  });
  writer.add(page(1, 'before'));
  writer.commit('1');
  const index = SearchIndex.open(dir)!;
  t.after(() => index.close());
  const urlsOf = (text: string) =>
    index.search({ query: parseQuery(text).query, limit: 10 }).hits.map(({ url }) => url);
  assert.deepEqual(urlsOf('intitle:before'), ['http://example.test/before']);
  writer.clear();
  writer.add(page(2, 'behind'));
  writer.commit('1');
  writer.close();
  assert.deepEqual(urlsOf('intitle:behind'), ['http://example.test/behind']);
  assert.deepEqual(urlsOf('intitle:before'), []);
});
