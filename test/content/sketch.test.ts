import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintsOf, SAMPLE_NUMBERS, SKETCH_SIZE, sketchOf } from '../../src/content/fingerprints/fingerprints.ts';
import { ALPHABETS, randomNumbers, randomText } from '../change/random-text.ts';
import { comparePrints, compareSamples, sharedPart } from './compare-sketches.ts';
import { gramValuesOf } from './plain-winnowing.ts';
import { wordsOf } from './words-of.ts';

const printsOf = (words: Uint32Array): Uint32Array => sketchOf(words).subarray(SAMPLE_NUMBERS);

/** Two texts with a common beginning, and the share of grams that both have. */
function pairOf(random: () => number, words: number, common: number) {
  const numbers = (length: number) => Uint32Array.from({ length }, () => Math.floor(random() * 2 ** 32));
  const start = numbers(common);
  const [a, b] = [1, 2].map(() => Uint32Array.of(...start, ...numbers(words - common))) as [Uint32Array, Uint32Array];
  const exact = sharedPart(gramValuesOf(a), gramValuesOf(b));
  return { exact, sample: compareSamples(sketchOf(a), sketchOf(b)), prints: comparePrints(printsOf(a), printsOf(b)) };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('E5 the prints of a sketch are exactly the smallest fingerprints, in texts of every size and vocabulary', () => {
  const random = randomNumbers(3);
  for (const words of [0, 2, 3, 6, 7, 40, 130, 900, 9_000, 60_000]) {
    for (const vocabulary of [1, 2, 3, 30, 5_000, 2 ** 32]) {
      const text = Uint32Array.from({ length: words }, () => Math.floor(random() * vocabulary));
      const where = `${words} words of ${vocabulary}`;
      assert.deepEqual(printsOf(text), fingerprintsOf(text).slice(0, SKETCH_SIZE), where);
    }
  }
});

test('E5 the prints are exact in texts of every alphabet', () => {
  const random = randomNumbers(23);
  for (const alphabet of Object.values(ALPHABETS)) {
    const words = wordsOf(randomText(random, alphabet, 20_000, [' ', '\n', ', ', ' — ', '«', '』']));
    assert.deepEqual(printsOf(words), fingerprintsOf(words).slice(0, SKETCH_SIZE), alphabet);
  }
});

test('E5 the sample estimates the share of common grams without a bias', () => {
  const random = randomNumbers(59);
  const pairs = 120;
  for (const common of [60, 150, 220, 290]) {
    const judged = Array.from({ length: pairs }, () => pairOf(random, 300, common));
    const exact = mean(judged.map((pair) => pair.exact));
    // Two different bytes are equal by chance once in 255 times.
    const expected = exact + (1 - exact) / 255;
    const deviation = Math.sqrt((expected * (1 - expected)) / (4 * SAMPLE_NUMBERS * pairs));
    const estimate = mean(judged.map(({ sample }) => sample));
    assert.ok(Math.abs(estimate - expected) < 4 * deviation, `${estimate} is not ${expected} ± ${4 * deviation}`);
  }
});

test('E5 the sample is independent of the prints: where one errs, the other does not', () => {
  const random = randomNumbers(61);
  const pairs = Array.from({ length: 250 }, () => pairOf(random, 300, 220));
  const errors = (name: 'sample' | 'prints'): number[] => {
    const values = pairs.map((pair) => pair[name]);
    const middle = mean(values);
    const spread = Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
    assert.ok(spread > 0.02, `${name} vary by ${spread}`);
    return values.map((value) => (value - middle) / spread);
  };
  const [samples, prints] = [errors('sample'), errors('prints')];
  const correlation = mean(samples.map((error, i) => error * (prints[i] as number)));
  assert.ok(Math.abs(correlation) < 4 / Math.sqrt(pairs.length), `the correlation is ${correlation}`);
});

test('E5 sketches estimate resemblance: same, nearly the same, half the same, not the same', () => {
  const random = randomNumbers(31);
  const text = (letters: number) => randomText(random, ALPHABETS.english, letters);
  const sketched = (page: string) => sketchOf(wordsOf(page));
  const compare = (a: string, b: string) => comparePrints(printsOf(wordsOf(a)), printsOf(wordsOf(b)));
  const page = text(20_000);
  assert.equal(compare(page, page.toUpperCase()), 1);
  assert.equal(compareSamples(sketched(page), sketched(page.toUpperCase())), 1);
  const near = page.replace(page.slice(9_000, 9_300), text(300));
  assert.ok(compare(page, near) > 0.85);
  assert.ok(compareSamples(sketched(page), sketched(near)) > 0.85);
  const half = page.slice(0, 12_000) + text(10_000);
  for (const share of [compare(page, half), compareSamples(sketched(page), sketched(half))]) {
    assert.ok(share > 0.15 && share < 0.65, `${share}`);
  }
  assert.ok(compare(page, text(20_000)) < 0.05);
  assert.ok(compareSamples(sketched(page), sketched(text(20_000))) < 0.1);
  // The sketch of a short text contains its whole winnowing.
  const [a, b] = [text(200), text(150)];
  assert.ok(compare(a, a + b) > 0.3 && compare(a, a + b) < 0.9);
  assert.equal(compare('', ''), 0);
  assert.equal(compare(page, ''), 0);
  assert.equal(compareSamples(sketched(''), sketched('')), 0);
});
