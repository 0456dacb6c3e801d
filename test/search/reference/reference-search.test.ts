/** The reference is what the search engine is compared with, so it is tested with cases that can be checked by eye. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuery } from '../../../src/search/query/format-query.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import type { Query } from '../../../src/search/query/query.ts';
import type { SearchPage } from '../../../src/search/search-page.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { differenceOf } from './compare-search.ts';
import { vocabularyOf } from './page-vocabulary.ts';
import { randomQuery } from './random-query.ts';
import { matchesPattern, ReferenceSearch } from './reference-search.ts';
import { randomPages, SIMPLE_ANALYSIS, simplePage, textPage } from './simple-search.ts';

const HOUR_MS = 3_600_000;

function find(pages: readonly SearchPage[], rows: Readonly<Record<string, readonly number[]>>): void {
  const search = new ReferenceSearch(pages, SIMPLE_ANALYSIS);
  const found = Object.keys(rows).map((text) => [text, [...search.search(parseQuery(text).query)]] as const);
  assert.deepEqual(Object.fromEntries(found), rows);
}

test('E9: AND, OR, XOR and NOT find the sets that they name', () => {
  find([textPage(1, 'a'), textPage(2, 'b'), textPage(3, 'a b'), textPage(4, 'c'), textPage(5, 'a b c')], {
    a: [1, 3, 5],
    'a AND b': [3, 5],
    'a OR b': [1, 2, 3, 5],
    'a XOR b': [1, 2],
    'a XOR b XOR c': [1, 2, 4, 5],
    'NOT a': [2, 4],
    'a -b': [1],
    'NOT (a OR b)': [4],
    '-a -b': [4],
    missing: [],
    'NOT missing': [1, 2, 3, 4, 5],
    '': [],
  });
});

test('E9: of plain words some are enough, and required parts suffice alone', () => {
  const pages = [textPage(1, 'a'), textPage(2, 'b'), textPage(3, 'a b'), textPage(4, 'c'), textPage(5, 'b c')];
  find(pages, { 'a b': [1, 2, 3, 5], '+a b': [1, 3], '"b c" a': [5], 'a b -c': [1, 2, 3], '+a +b': [3] });
  const search = new ReferenceSearch(pages, SIMPLE_ANALYSIS);
  assert.deepEqual([...search.search(parseQuery('a b').query, 'all')], [3]);
  assert.deepEqual([...search.search(parseQuery('+c b').query, 'all')], [5]);
});

test('words match their forms, exact words and phrases do not', () => {
  find([textPage(1, 'dog house'), textPage(2, 'dogs house'), textPage(3, 'house dog')], {
    dog: [1, 2, 3],
    dogs: [1, 2, 3],
    '=dogs': [2],
    '"dogs"': [2],
    '"dog house"': [1],
    '"house dog"': [3],
    'dog*': [1, 2, 3],
    '*gs': [2],
    '=dog?': [2],
    'd?g': [1, 3],
    'd*s': [2],
  });
});

test('compound words are found by their parts and as a whole', () => {
  find([textPage(1, 'near-duplicate pages'), textPage(2, 'nearduplicate pages'), textPage(3, 'near a duplicate')], {
    'near-duplicate': [1, 2],
    'near-duplicates': [1, 2],
    '=near-duplicates': [],
    duplicate: [1, 3],
    '"near duplicate pages"': [1],
    '"near-duplicate pages"': [1, 2],
  });
});

test('phrases and NEAR stay inside a field, and phrases inside a block', () => {
  const pages = [
    simplePage(1, { title: 'a b', description: 'c', blocks: [{ text: 'd e', role: 'text' }] }),
    textPage(2, 'a b', 'c d'),
    textPage(3, 'a x x b'),
    textPage(4, 'a', '', 'b'),
    textPage(5, 'b c d a'),
  ];
  find(pages, {
    '"a b"': [1, 2],
    '"b c"': [5],
    'a NEAR/1 b': [1, 2],
    'a NEAR/2 b': [1, 2, 4],
    'a NEAR/3 b': [1, 2, 3, 4, 5],
    'b NEAR c': [2, 5],
    'b NEAR/1000 c': [2, 5],
    'c NEAR d NEAR a': [2, 5],
    'c NEAR/2 d NEAR/2 a': [5],
    '"b c" NEAR/2 a': [5],
    '"b c" NEAR/1 a': [],
    'intitle:(a NEAR b)': [1],
  });
});

test('fields have their own words, and any word is found in the texts of links too', () => {
  const pages = [
    simplePage(1, { url: 'http://a.test/shop', title: 'title words', links: [{ targetId: 2, text: 'anchor text' }] }),
    simplePage(2, { blocks: [{ text: 'shop title', role: 'text' }], links: [{ targetId: 1, text: 'the' }] }),
    simplePage(3, { links: [{ targetId: 2, text: 'other text' }] }),
  ];
  find(pages, {
    'intitle:title': [1],
    title: [1, 2],
    'inurl:shop': [1],
    'inurl:2': [2],
    'inanchor:text': [2],
    'inanchor:"anchor text"': [2],
    'inanchor:"text other"': [],
    'inanchor:"anchor other"': [],
    '"other text"': [2],
    'intitle:text': [],
    anchor: [2],
    'inanchor:anch*': [2],
    'an*': [2],
    'other NEAR text': [],
  });
});

test('a title has 127 words at most, a description 255', () => {
  const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}x`).join(' ');
  find([simplePage(1, { title: words(130), description: '' }), simplePage(2, { description: words(300) })], {
    w126x: [1, 2],
    w127x: [2],
    w254x: [2],
    w255x: [],
    'intitle:w126x': [1],
    '"w125x w126x"': [1, 2],
    '"w126x w127x"': [2],
  });
});

test('filters compare the facts of a page', () => {
  const pages = [
    simplePage(1, { url: 'http://a.test/docs/x', fileType: 'pdf', language: 'de', depth: 0, fetchedAtMs: HOUR_MS }),
    simplePage(2, {
      url: 'https://b.a.test/?q',
      changedAtMs: 2 * HOUR_MS,
      depth: 3,
      links: [{ targetId: 1, text: '' }],
    }),
    simplePage(3, { url: 'http://xa.test:8080/docs/', depth: 9, links: [{ targetId: 2, text: '' }] }),
  ];
  find(pages, {
    'site:a.test': [1, 2],
    'site:test': [1, 2, 3],
    'site:xa.test': [3],
    'site:xa.test:8080': [3],
    'site:xa.test:81': [],
    'site:a.test/docs': [1],
    'filetype:pdf': [1],
    'lang:de': [1],
    'depth:0..3': [1, 2],
    'depth:>3': [3],
    'date:1970-01-01T01:00': [1],
    'date:<1970-01-01T01:00': [2, 3],
    'changed:1970': [2],
    'link:a.test/docs/x': [2],
    'link:https://b.a.test/?q': [3],
    'link:http://c.test/': [],
    '-lang:de -depth:9': [2],
  });
});

test('a pattern matches whole terms, and a character of any plane is one letter', () => {
  assert.ok(matchesPattern('walking', 'wal*ing'));
  assert.ok(matchesPattern('wal', 'wal*'));
  assert.ok(!matchesPattern('awal', 'wal*'));
  assert.ok(matchesPattern('a𝒜b', 'a?b'));
  assert.ok(!matchesPattern('ab', 'a?b'));
  assert.ok(matchesPattern('aXbXc'.toLowerCase(), '*x*x*'));
});

test('random queries have every operator, and most of them find some pages but not all', () => {
  const pages = randomPages(new SeededRandom(7), 60);
  const search = new ReferenceSearch(pages, SIMPLE_ANALYSIS);
  const vocabulary = vocabularyOf(pages, new SeededRandom(8));
  const kinds = new Map<string, number>();
  let useful = 0;
  const count = (query: Query): void => {
    kinds.set(query.kind, (kinds.get(query.kind) ?? 0) + 1);
    if ('operands' in query) query.operands.forEach(count);
    if (query.kind === 'not') count(query.operand);
    if (query.kind === 'plain') [...query.required, ...query.optional].forEach(count);
  };
  for (let seed = 1; seed <= 600; seed++) {
    const query = randomQuery(new SeededRandom(seed), vocabulary);
    count(query);
    const found = search.search(query);
    if (found.size > 0 && found.size < pages.length) useful++;
    // What the parser makes of the text finds the same pages.
    assert.deepEqual(search.search(parseQuery(formatQuery(query)).query), found, formatQuery(query));
  }
  const all = ['plain', 'and', 'or', 'xor', 'not', 'near', 'word', 'phrase', 'pattern', 'site', 'filetype', 'lang'];
  for (const kind of [...all, 'date', 'changed', 'link', 'depth']) assert.ok((kinds.get(kind) ?? 0) >= 20, kind);
  assert.ok(useful > 300, `${useful} useful queries`);
});

test('a difference between two searches is shown with the smallest query that has it', () => {
  const pages = randomPages(new SeededRandom(7), 30);
  const search = new ReferenceSearch(pages, SIMPLE_ANALYSIS);
  const reference = (query: Query): Set<number> => search.search(query);
  /** A search that takes XOR for OR. */
  const wrong = (query: Query): Set<number> => search.search(withoutXor(query));
  const query = parseQuery('(e t OR "a o") AND NOT (a AND (e XOR (t OR o XOR n)))').query;
  assert.equal(differenceOf(query, reference, reference), null);
  const lines = differenceOf(query, reference, wrong)!.split('\n');
  assert.match(lines[1]!, /^smallest: +(?:\w XOR \w)$/);
  assert.match(lines[3]!, /^too many: \d/);
});

function withoutXor(query: Query): Query {
  if (query.kind === 'not') return { ...query, operand: withoutXor(query.operand) };
  if (query.kind === 'plain') return { ...query, required: query.required.map(withoutXor) };
  if (query.kind !== 'and' && query.kind !== 'or' && query.kind !== 'xor') return query;
  return { kind: query.kind === 'xor' ? 'or' : query.kind, operands: query.operands.map(withoutXor) };
}
