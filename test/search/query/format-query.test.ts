import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuery } from '../../../src/search/query/format-query.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { randomQuery, shrinkQuery } from '../reference/random-query.ts';
import { HARD, isStable } from './hard-queries.ts';
import { NOW_MS } from './show-query.ts';

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

test('the canonical text has only the parentheses and signs that it needs', () => {
  for (const text of [
    ...['a', 'a b', '"b c" a', '+a b', 'a AND b', 'a -b', 'a -(b OR c)', 'a b site:c.test -lang:de', 'NOT a', '-a -b'],
    ...[
      'a OR b AND c',
      '(a OR b) AND c',
      '(a OR b) c',
      'a NEAR/3 b AND c',
      'intitle:(a b)',
      'b OR NOT c',
      'a OR NOT (b c)',
    ],
    ...[
      'intitle:a OR inurl:b',
      'site:a.test depth:0..3',
      'date:2026..2027 changed:2026-10-02',
      'link:"https://a.test/(b"',
    ],
    ...['\\AND =b', 'a\\*', 'wal* =wal?', 'site\\:a', '(a AND b) site:c.test', '=a site:b.test'],
  ]) {
    const { query, notes } = parseQuery(text, NOW_MS);
    assert.equal(formatQuery(query), text === '\\AND =b' ? '=b \\AND' : text);
    assert.deepEqual(notes, []);
  }
  assert.equal(formatQuery({ kind: 'nothing' }), '');
});
