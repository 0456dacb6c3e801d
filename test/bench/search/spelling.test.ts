/** The vocabulary of pages and the errors that the benchmark of spelling is made of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageVocabulary } from '../../../bench/search-spelling/page-vocabulary.ts';
import { fold } from '../../../bench/search-spelling/read-words.ts';
import { mistype } from '../../../bench/search-spelling/typing-errors.ts';
import { seededRandom } from '../../../testbed/random.ts';

test('a vocabulary of pages counts pages, pairs and prefixes', () => {
  const vocabulary = new PageVocabulary([
    { path: 'a', terms: 'search engine search index'.split(' ') },
    { path: 'b', terms: 'engine search'.split(' ') },
  ]);
  assert.equal(vocabulary.documentsOf('search'), 2);
  assert.equal(vocabulary.documentsOf('index'), 1);
  assert.equal(vocabulary.documentsOf('sea'), 0);
  assert.equal(vocabulary.documentsWithPair('search', 'engine'), 1);
  assert.equal(vocabulary.documentsWithPair('engine', 'search'), 2);
  assert.equal(vocabulary.documentsWithPair('index', 'search'), 0);
  assert.deepEqual(
    [...vocabulary.all()].map(({ term }) => term),
    ['engine', 'index', 'search'],
  );
  assert.deepEqual([...vocabulary.startingWith('i', 5)], [{ term: 'index', documents: 1 }]);
});

test('errors of typing change a word and hit keys that are near', () => {
  const random = seededRandom(1);
  const hits = new Map<string, number>();
  for (let i = 0; i < 5_000; i++) {
    const typed = mistype('search', 'qwerty', random);
    assert.notEqual(typed, 'search');
    assert.match(typed, /^[a-z]{4,8}$/);
    if (/^s.arch$/.test(typed)) hits.set(typed[1]!, (hits.get(typed[1]!) ?? 0) + 1);
  }
  const near = ['w', 'r', 's', 'd'].map((key) => hits.get(key) ?? 0);
  const all = [...hits.values()].reduce((sum, count) => sum + count, 0);
  assert.ok(all > 100 && near.every((count) => count > 0), `${near} of ${all}`);
  assert.ok(near.reduce((sum, count) => sum + count) > 0.7 * all, `${near} of ${all}`);
});

test('words are folded to lower case without accents', () => {
  assert.equal(fold('Écran Ω Straße ЁЖ'), 'ecran ω straße еж');
});
