import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareAround, compareShingles, FEATURES, featuresOf, shinglesOf } from '../../src/change/shingles.ts';
import { wordsOf } from '../../src/change/words.ts';
import { randomNumbers } from '../page/random-html.ts';

const shingles = (text: string) => shinglesOf(wordsOf(text));

/** Two texts: one of unique words, and one that shares `kept` of these words. */
function texts(random: () => number, words: number, kept: number): [string, string] {
  const word = () => Math.floor(random() * 1e9).toString(36);
  const before = Array.from({ length: words }, word);
  const after = before.map((same, at) => (at < words * kept ? same : word()));
  return [before.join(' '), after.join(' ')];
}

test('the fast count of shared features equals the comparison of all 84 features', () => {
  const random = randomNumbers(84);
  for (let round = 0; round < 300; round++) {
    const [before, after] = texts(random, Math.floor(random() * 60), random()).map(shingles);
    const [was, is] = [featuresOf(before!), featuresOf(after!)];
    const equal = was.filter((feature, at) => feature === is[at]).length;
    assert.equal(compareShingles(before!, after!).sharedFeatures, equal);
  }
});

test('reading the common beginning and end only once gives the same result', () => {
  const random = randomNumbers(86);
  const below = (limit: number) => Math.floor(random() * limit);
  // Few different words, so that shingles of the middle also occur elsewhere. Often there are no words at all.
  const some = (most: number) =>
    Array.from({ length: Math.max(0, below(most + 4) - 4) }, () => 'abc'[below(3)]).join(' ');
  let short = 0;
  for (let round = 0; round < 3_000; round++) {
    const [start, before, after, end] = [some(30), some(12), some(12), some(30)];
    const around = compareAround(wordsOf(start), wordsOf(before), wordsOf(after), wordsOf(end));
    const whole = compareShingles(shingles(`${start} ${before} ${end}`), shingles(`${start} ${after} ${end}`));
    if (around === null) short++;
    else assert.deepEqual(around, whole, [start, before, after, end].join('|'));
  }
  assert.ok(short > 0 && short < 300, `${short}`);
});

test('features are shared in proportion to shingles', () => {
  const random = randomNumbers(85);
  for (const kept of [0.2, 0.5, 0.8, 0.95]) {
    let features = 0;
    let shared = 0;
    const rounds = 40;
    for (let round = 0; round < rounds; round++) {
      const [before, after] = texts(random, 600, kept).map(shingles);
      const found = compareShingles(before!, after!);
      features += found.sharedFeatures / FEATURES / rounds;
      shared += found.shared / rounds;
    }
    // 84 × 40 draws have a random error of about two thirds of a hundredth.
    assert.ok(Math.abs(features - shared) < 0.03, `${kept}: ${features} for ${shared}`);
    assert.ok(Math.abs(shared - kept / (2 - kept)) < 0.03, `${shared}`);
  }
});

test('a shingle has five words, and a shorter text is one shingle', () => {
  assert.equal(shingles('a b c d e f').size, 2);
  assert.equal(shingles('a b c d e').size, 1);
  assert.equal(shingles('a b').size, 1);
  assert.equal(shingles(' \n ').size, 0);
  assert.equal(shingles('a b c d e a b c d e').size, 5);
});

test('white space between words does not count, but the order of words does', () => {
  const compare = (one: string, other: string) => compareShingles(shingles(one), shingles(other)).shared;
  assert.equal(compare('a b c d e f', ' a\tb\n\nc d  e f '), 1);
  assert.equal(compare('a b c d e', 'e d c b a'), 0);
  assert.equal(compare('', ''), 1);
  assert.equal(compare('', 'a'), 0);
});

test('words beyond ASCII', () => {
  const { values, count } = wordsOf('日本語 Straße 🕷 Straße');
  assert.deepEqual([count, new Set(values.slice(0, count)).size], [4, 3]);
});

test('the number of words of a very long text is limited', () => {
  const long = 'word '.repeat(500_000);
  assert.equal(wordsOf(long).count, 200_000);
  assert.equal(shingles(long).size, 1);
});
