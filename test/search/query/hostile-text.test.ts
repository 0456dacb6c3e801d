import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { faultOf, hostileText, MANY } from './hostile-text.ts';
import { NOW_MS } from './show-query.ts';

test('every text is read as a query whose canonical text means the same', () => {
  const faults: string[] = [];
  for (let seed = 1; seed <= 4_000 && faults.length < 3; seed++) {
    const text = hostileText(new SeededRandom(seed));
    const fault = faultOf(text, NOW_MS);
    if (fault !== null) faults.push(`seed ${seed}: ${JSON.stringify(text)}: ${fault}`);
  }
  assert.deepEqual(faults, []);
});

test('a million of the same piece is read without a stack overflow', () => {
  for (const piece of MANY) {
    const text = piece.repeat(1_000_000 / piece.length);
    const { notes } = parseQuery(text, NOW_MS);
    assert.ok(
      notes.some(({ code }) => code === 'query-too-long'),
      piece,
    );
  }
});
