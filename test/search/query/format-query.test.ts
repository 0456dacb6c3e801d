import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuery } from '../../../src/search/query/format-query.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import type { Query } from '../../../src/search/query/query.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { type QueryVocabulary, randomQuery, shrinkQuery } from '../reference/random-query.ts';

const NOW_MS = Date.UTC(2026, 10, 19, 21);

/** Texts that look like parts of the language, so that a missing escape changes the tree. */
const HARD: QueryVocabulary = {
  words: [
    ...[
      'a',
      'straße',
      '中文',
      '🦊',
      'AND',
      'OR',
      'NOT',
      'XOR',
      'NEAR',
      'NEAR/3',
      'AROUND(5)',
      'and',
      'a b',
      ' a',
      'a ',
    ],
    ...[
      '-a',
      '+a',
      '!a',
      '=a',
      '==a',
      '−a',
      '–a',
      '--a',
      'a-b',
      '(a',
      'a)',
      '()a',
      'a|b',
      'a||b',
      'a&b',
      'a&&b',
      '&&a',
    ],
    ...[
      '"a',
      'a"',
      '“a”',
      '«a',
      'a*',
      'a?',
      '?a',
      'a?b',
      '*a',
      'a^2',
      'a~',
      '~a',
      '^a',
      'a~1',
      'a\\',
      '\\a',
      'a\\b',
      '\\\\a',
    ],
    ...[
      'site:a',
      'intitle:a',
      'Site:',
      'a:b',
      'https://a.test/?b=c',
      'any:',
      ':a',
      'date:2026',
      'x:y:z',
      '\ta',
      'a\u0000',
      '\ud800a',
    ],
    ...[
      'a\\*',
      '(a OR b)',
      'a\\(',
      '=',
      'NEAR(5)',
      'AND:',
      'a\u3000b',
      "it's",
      'C++',
      '.NET',
      '$',
      'AT&T',
      'NOT/',
      'NEAR/',
      'NEAR/a\nb',
    ].filter((word) => word !== '='),
  ],
  phrases: [
    'a',
    'a b',
    'AND',
    'a "b"',
    'a \\',
    '\\ a',
    '“a',
    'a * b',
    '(a',
    '-a',
    'site:a',
    'a~5',
    'a “b” c',
    '\\"a',
    'a\\\\b',
  ],
  patterns: [
    'a*',
    '*a',
    'a?b',
    '*a*',
    'a?',
    '?a',
    'a??',
    '-a*',
    '+a?b',
    "it's*",
    '.a*',
    '#a?',
    '_*a',
    'a.b*',
    '中*',
    'AND*',
    'a-b?c',
  ],
  sites: [
    { host: 'a.test', path: '' },
    { host: 'a.test:8080', path: '/b' },
    { host: '[::1]', path: '/b/' },
    { host: 'xn--mnchen-3ya.test', path: '/a(b' },
    { host: 'test', path: '/?a=b' },
    { host: '127.0.0.1', path: '/a?b=\\' },
  ],
  fileTypes: ['pdf', 'html', '7z'],
  languages: ['de', 'nds'],
  times: [
    ...[Date.UTC(2026, 0), Date.UTC(2027, 0), Date.UTC(2026, 1), Date.UTC(2024, 1, 29), Date.UTC(2024, 2, 1), 0, -1, 1],
    ...[
      Date.UTC(2026, 1, 3, 4, 5),
      Date.UTC(2026, 1, 3, 4, 6),
      Date.UTC(2026, 1, 3, 4, 5, 6),
      Date.UTC(2026, 1, 3, 4, 5, 6, 7),
    ],
    ...[Date.UTC(1000, 0, 2), Date.UTC(9998, 11, 31), Date.UTC(2026, 9, 31), Date.UTC(2026, 10, 1), NOW_MS],
  ],
  links: ['http://a.test/', 'https://a.test/b?c=(d', 'https://a.test/e)', 'http://a.test/f|g'],
  maxDepth: 5,
};

function isStable(query: Query): boolean {
  const { query: again, notes } = parseQuery(formatQuery(query), NOW_MS);
  return notes.length === 0 && same(again, query);
}

function same(one: Query, other: Query): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

test('the canonical text of a query is parsed as the same query', () => {
  for (let seed = 1; seed <= 4_000; seed++) {
    const query = randomQuery(new SeededRandom(seed), HARD);
    if (isStable(query)) continue;
    const small = shrinkQuery(query, (each) => !isStable(each));
    const text = formatQuery(small);
    const parsed = parseQuery(text, NOW_MS);
    assert.deepEqual(
      { text, query: parsed.query, notes: parsed.notes },
      { text, query: small, notes: [] },
      `seed ${seed}`,
    );
  }
});
