/** The full comparison that the marks of near duplicates are checked with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierSimilar, jaccard, ownWords, RunNumbers } from '../../bench/near-duplicate-sites/word-runs.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { pageOf } from '../content/words-of.ts';

test('runs of three words: order counts, repetition does not', () => {
  const numbers = new RunNumbers();
  const runsOf = (...words: number[]) => numbers.runsOf(Uint32Array.from(words));
  assert.equal(runsOf(1, 2).length, 0);
  assert.equal(jaccard(runsOf(1, 2, 3), runsOf(1, 2, 3, 1, 2, 3)), 1 / 3);
  assert.equal(jaccard(runsOf(1, 2, 3, 1, 2, 3), runsOf(2, 3, 1, 2, 3, 1)), 1);
  assert.equal(jaccard(runsOf(1, 2, 3), runsOf(3, 2, 1)), 0);
  assert.equal(jaccard(runsOf(), runsOf()), 0);
});

test('own words are those of the blocks without a mark', () => {
  const page = pageOf('<p>menu of all pages<p>own text<p>footer<p>and more');
  assert.deepEqual(
    ownWords(page, Uint8Array.of(1, 0, 1, 0)),
    ownWords(pageOf('<p>own text and more'), new Uint8Array(1)),
  );
});

test('all earlier similar texts are found, as by a comparison of all pairs', () => {
  const random = new SeededRandom(5);
  let found = 0;
  for (let round = 0; round < 200; round++) {
    const first = Array.from({ length: random.below(60) }, () => random.below(80));
    const texts = Array.from({ length: 20 }, () => {
      const text = first.filter(() => random.below(10) > 0);
      for (let added = random.below(6); added > 0; added--) text.push(random.below(120));
      return Uint32Array.from(new Set(text)).sort();
    });
    for (const least of [0.5, 0.8, 1]) {
      const expected = texts.map((text, at) =>
        texts.slice(0, at).flatMap((other, i) => {
          const share = jaccard(text, other);
          return share > 0 && share >= least ? [{ at: i, share }] : [];
        }),
      );
      const similar = earlierSimilar(texts, least);
      assert.deepEqual(
        similar.map((each) => each.sort((a, b) => a.at - b.at)),
        expected,
      );
      found += expected.flat().length;
    }
  }
  assert.ok(found > 1_000, `${found} pairs are not too few to say anything`);
});
