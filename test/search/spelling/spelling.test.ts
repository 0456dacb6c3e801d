/** Corrections and completions of queries (E12). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editCost } from '../../../src/search/spelling/edit-cost.ts';
import { Spelling } from '../../../src/search/spelling/spelling.ts';
import type { Vocabulary } from '../../../src/search/spelling/vocabulary.ts';
import { PairVocabulary, TextVocabulary } from './text-vocabulary.ts';

const COPY = [
  ['the database has a search engine and an index', 60],
  ['configuration of the network interface in the directory', 40],
  ['receive photographs of the neighbour', 20],
  ['печать документов и настройка сети', 12],
  ['情報 報処 処理 push_back int32 2026', 30],
  ['die datenbank hat eine suche', 25],
] as const;

const suggested = (vocabulary: Vocabulary, query: string): string | null =>
  new Spelling(vocabulary).suggest(query.split(' '))?.words.join(' ') ?? null;

test('E12: misspelt words become the words of the copy, in any language', () => {
  const vocabulary = new TextVocabulary(COPY);
  for (const [written, meant] of [
    ['databse', 'database'],
    ['serach engne', 'search engine'],
    ['recieve', 'receive'],
    ['fotographs', 'photographs'],
    ['configurration', 'configuration'],
    ['diretcory', 'directory'],
    ['насройка', 'настройка'],
    ['datenbakn', 'datenbank'],
  ] as const) {
    assert.equal(suggested(vocabulary, written), meant);
  }
});

test('E12: spaces that are missing or too many are corrected', () => {
  for (const vocabulary of [new TextVocabulary(COPY), new PairVocabulary(COPY)]) {
    assert.equal(suggested(vocabulary, 'datab ase'), 'database');
    assert.equal(suggested(vocabulary, 'searchengine index'), 'search engine index');
    assert.equal(suggested(vocabulary, 'search engine'), null);
  }
});

test('E12: two words of the copy are joined only if the joined word is frequent and they never follow each other', () => {
  const apart = [
    ['a data sheet', 5],
    ['the base camp', 5],
    ['a database', 30],
  ] as const;
  assert.equal(suggested(new PairVocabulary(apart), 'data base'), 'database');
  assert.equal(suggested(new PairVocabulary([...apart, ['data base', 1]]), 'data base'), null);
  assert.equal(suggested(new TextVocabulary(apart), 'data base'), null);
});

test('E12: a word that many pages have stays, and an error on one page of many is corrected', () => {
  assert.equal(
    suggested(
      new TextVocabulary([
        ['address', 500],
        ['adress', 1],
      ]),
      'adress',
    ),
    'address',
  );
  assert.equal(
    suggested(
      new TextVocabulary([
        ['address', 50],
        ['adress', 20],
      ]),
      'adress',
    ),
    null,
  );
  // Another ending is another form of the word.
  assert.equal(
    suggested(
      new TextVocabulary([
        ['address', 500],
        ['addressee', 1],
      ]),
      'addressee',
    ),
    null,
  );
  assert.equal(
    suggested(
      new TextVocabulary([
        ['option', 900],
        ['options', 1],
      ]),
      'options',
    ),
    null,
  );
});

test('E12: numbers, identifiers and CJK text are neither corrected nor suggested', () => {
  const vocabulary = new TextVocabulary(COPY);
  for (const query of ['2027', 'int33', 'push_bck', '情処', '報理', 'pushback', 'xyzzy', 'q']) {
    assert.equal(suggested(vocabulary, query), null);
  }
});

test('E12: a word that is not close to any word stays', () => {
  const vocabulary = new TextVocabulary(COPY);
  for (const query of ['meringue', 'lisbon', 'philosophy', 'casuist', 'zebra']) {
    assert.equal(suggested(vocabulary, query), null);
  }
});

test('E12: the words beside a misspelt word decide between candidates', () => {
  const copy = [
    ['brown coat', 40],
    ['a boat trip', 45],
    ['warm coat', 30],
  ] as const;
  assert.equal(suggested(new PairVocabulary(copy), 'brown goat'), 'brown coat');
  assert.equal(suggested(new PairVocabulary(copy), 'voat trip'), 'boat trip');
});

test('E12: corrections say which words of the query they replace', () => {
  const suggestion = new Spelling(new TextVocabulary(COPY)).suggest(['the', 'datab', 'ase', 'searchengine', 'indx']);
  assert.deepEqual(suggestion, {
    words: ['the', 'database', 'search', 'engine', 'index'],
    corrections: [
      { first: 1, count: 2, words: ['database'] },
      { first: 3, count: 1, words: ['search', 'engine'] },
      { first: 4, count: 1, words: ['index'] },
    ],
  });
});

test('E12: likely errors cost less than unlikely ones', () => {
  const order = [
    ['adress', 'address'],
    ['recieve', 'receive'],
    ['wirter', 'writer'],
    ['seperate', 'separate'],
    ['sezrch', 'search'],
    ['senrch', 'search'],
    ['bearch', 'search'],
    ['bezrch', 'search'],
  ] as const;
  const costs = order.map(([written, meant]) => editCost(written, meant));
  for (const [i, cost] of costs.entries()) assert.ok(i === 0 || cost >= costs[i - 1]!, `${order[i]} costs ${cost}`);
  assert.equal(editCost('search', 'search'), 0);
  assert.ok(editCost('fotograf', 'photograph') < 1.5);
});

test('E12: completions are the most frequent words, and words that follow the word in front come first', () => {
  const copy = [
    ['search engine', 9],
    ['search server', 3],
    ['a sea', 20],
    ['set 情報', 12],
  ] as const;
  const plain = new Spelling(new TextVocabulary(copy));
  assert.deepEqual(plain.complete('se'), ['sea', 'search', 'set', 'server']);
  assert.deepEqual(plain.complete('se', '', 2), ['sea', 'search']);
  assert.deepEqual(plain.complete('sea'), ['search']);
  assert.deepEqual(plain.complete('情'), []);
  assert.deepEqual(plain.complete(''), []);
  const paired = new Spelling(new PairVocabulary(copy));
  assert.deepEqual(paired.complete('se', 'search'), ['server', 'sea', 'search', 'set']);
});

test('E12: identifiers are completed from three letters on, but numbers are not', () => {
  const spelling = new Spelling(new TextVocabulary([['push_back push_front pushed 200 2001 int32', 3]]));
  assert.deepEqual(spelling.complete('pus'), ['push_back', 'push_front', 'pushed']);
  assert.deepEqual(spelling.complete('push_'), ['push_back', 'push_front']);
  assert.deepEqual(spelling.complete('200'), []);
});

test('E12: the words are read at the first need, kept, and read again when the index has grown much', () => {
  const vocabulary = new TextVocabulary([['alpha beta', 4]]);
  const spelling = new Spelling(vocabulary);
  assert.equal(vocabulary.reads, 0);
  assert.equal(spelling.suggest(['alpha', 'beta']), null);
  spelling.complete('al');
  spelling.suggest(['alhpa']);
  assert.equal(vocabulary.reads, 1);
  for (let i = 0; i < 4; i++) vocabulary.addPage('gamma');
  assert.equal(spelling.suggest(['gmama'])?.words[0], 'gamma');
  assert.equal(vocabulary.reads, 2);
});

test('E12: an empty index has no suggestions', () => {
  const spelling = new Spelling(new TextVocabulary([]));
  assert.equal(spelling.suggest(['word']), null);
  assert.deepEqual(spelling.complete('w'), []);
});

test('E12: hostile queries are bounded and do not throw', () => {
  const spelling = new Spelling(new PairVocabulary(COPY));
  const million = 'a'.repeat(1_000_000);
  const junk = String.fromCharCode(...Array.from({ length: 200 }, (_, i) => i * 331));
  for (const words of [
    [million],
    [junk],
    ['\0', '\ud800', '\udfff\ud800', ''],
    ['ﬀ'.repeat(32)],
    ['é'.repeat(32)],
    [],
  ]) {
    assert.equal(spelling.suggest(words), null);
    for (const word of words) assert.deepEqual(spelling.complete(word, word), []);
  }
  const many = Array.from({ length: 10_000 }, (_, i) => (i === 1 ? 'databse' : 'network'));
  const suggestion = spelling.suggest(many);
  assert.equal(suggestion?.words.length, 10_000);
  assert.deepEqual(suggestion.corrections, [{ first: 1, count: 1, words: ['database'] }]);
  // The first six unknown words are looked for; the others stay.
  assert.equal(spelling.suggest(Array(100).fill('databse'))?.corrections.length, 6);
});
