/** The scanner of keys and values finds the same pairs as a regular expression that is slow on hostile scripts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptPairs } from '../../../src/change/noise/script-pairs.ts';
import { SeededRandom } from '../../../testbed/random.ts';

const PAIR =
  /(?<![\w$])(["']?)([A-Za-z_$][\w$.-]{0,48})\1\s{0,4}[:=]\s{0,4}(?:"([^"\\\n]{0,2048})"|'([^'\\\n]{0,2048})'|(-?\d{1,16}(?:\.\d{1,9})?)(?![\w.]))/g;

function byPattern(text: string): unknown[] {
  return Array.from(text.matchAll(PAIR), ({ 0: whole, 2: key, 3: double, 4: single, 5: number, index }) => {
    const valueEnd = index + whole.length - (number === undefined ? 1 : 0);
    return { key, value: double ?? single ?? number, text: whole, index, valueEnd };
  });
}

const SHORT = [
  'a',
  'b',
  '$',
  '_',
  '.',
  '-',
  '1',
  ' ',
  ' ',
  '"',
  '"',
  "'",
  "'",
  ':',
  '=',
  '\\',
  '\n',
  '{',
  ',',
  'é',
  '\u00a0',
];
const LONG = [
  'aaaaaaaaaa',
  'b'.repeat(20),
  '.',
  '-',
  '12345678',
  '   ',
  '"',
  "'",
  ':',
  '=',
  '="abc"',
  ':12',
  '{',
  'x'.repeat(2_048),
];

for (const [what, pieces] of Object.entries({ 'short pieces': SHORT, 'long pieces': LONG })) {
  test(`scripts of ${what}`, () => {
    const random = new SeededRandom(7);
    let found = 0;
    for (let round = 0; round < 20_000; round++) {
      let text = '';
      for (let left = random.below(30); left > 0; left--) text += pieces[random.below(pieces.length)];
      const expected = byPattern(text);
      found += expected.length;
      assert.deepEqual([...scriptPairs(text)], expected, JSON.stringify(text));
    }
    assert.ok(found > 500, `only ${found} pairs were in them`);
  });
}
