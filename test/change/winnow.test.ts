import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankSpecials, lettersOf } from '../../src/change/counted-bytes.ts';
import { compareTexts, DEFAULT_K, DEFAULT_W, selectMinima, winnow } from '../../src/change/winnow.ts';
import { ALPHABETS, randomNumbers, randomText } from './random-text.ts';

const lettersIn = (text: string): string => Buffer.from(lettersOf(blankSpecials(Buffer.from(text)))).toString();
const valuesOf = (text: string, k?: number, w?: number): Set<number> => new Set(winnow(Buffer.from(text), k, w).values);

function sharedBy(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  return Array.from(a).filter((value) => b.has(value)).length;
}

test('E5 the published example: letters, number of 5-grams, selected hashes and their positions', () => {
  const letters = lettersIn('A do run run run, a do run run');
  assert.equal(letters, 'adorunrunrunadorunrun');
  const hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98];
  assert.equal(letters.length - 5 + 1, hashes.length);
  assert.deepEqual(
    selectMinima(hashes, 4).map((position) => [hashes[position], position]),
    [
      [17, 3],
      [17, 6],
      [8, 8],
      [39, 11],
      [17, 15],
    ],
  );
});

test('E5 the selection follows its definition, also for random hashes with many equal values', () => {
  const random = randomNumbers(5);
  for (let round = 0; round < 500; round++) {
    const hashes = Array.from({ length: Math.floor(random() * 60) }, () => Math.floor(random() * 12));
    const w = 1 + Math.floor(random() * 9);
    const expected = new Set<number>();
    const width = Math.min(w, hashes.length);
    for (let first = 0; first + width <= hashes.length && width > 0; first++) {
      const window = hashes.slice(first, first + width);
      expected.add(first + window.lastIndexOf(Math.min(...window)));
    }
    assert.deepEqual(selectMinima(hashes, w), [...expected], `${hashes} w=${w}`);
  }
});

test('E5 a shared run of W + K - 1 letters shares a fingerprint, wherever it stands and however it is spaced', () => {
  const random = randomNumbers(7);
  for (const [k, w] of [
    [DEFAULT_K, DEFAULT_W],
    [5, 4],
    [8, 1],
    [1, 6],
  ] as const) {
    for (let round = 0; round < 100; round++) {
      // Each text has its own alphabet, so only the run can match.
      const run = randomText(random, ALPHABETS.english, w + k - 1, ['', ' ', ', ']);
      const around = (alphabet: string) => randomText(random, alphabet, Math.floor(random() * 80));
      const a = `${around('αβγδ')}${run}${around('αβγδ')}`;
      const respaced = Array.from(run, (letter) => letter.toUpperCase() + (random() < 0.3 ? '\n — ' : '')).join('');
      const b = `${around('жщюя')}${respaced}${around('жщюя')}`;
      assert.ok(sharedBy(valuesOf(a, k, w), valuesOf(b, k, w)) > 0, `${a} | ${b} k=${k} w=${w}`);
    }
  }
});

test('E5 noise is suppressed: shared runs shorter than K letters are not noticed', () => {
  const random = randomNumbers(11);
  for (let round = 0; round < 200; round++) {
    const run = randomText(random, ALPHABETS.english, DEFAULT_K - 1);
    // The letters around the run have one byte each, so that no half of another letter can lengthen the run.
    const a = `${'0123'.repeat(9)}4${run}${'5678'.repeat(9)}`;
    const b = `${'9876'.repeat(9)}5${run}${'4321'.repeat(9)}`;
    assert.equal(compareTexts(Buffer.from(a), Buffer.from(b)).resemblance, 0, run);
  }
});

test('E5 white space, case and special characters do not matter', () => {
  const plain = 'The quick brown fox jumps over the lazy dog, said nobody in 1999 — or did they?';
  const dressed =
    '\u00a0THE  quick\tbrown«fox»\u200bjumps (over)\u2026 the lazy-dog; "said" nobody\u00adin 1,999: or\u3000did\u3001they!';
  assert.equal(lettersIn(dressed), lettersIn(plain));
  assert.deepEqual(winnow(Buffer.from(dressed)), winnow(Buffer.from(plain)));
  assert.equal(lettersIn('Ünïcode Ⴀ字 ⵣ'), 'ÜnïcodeႠ字ⵣ');
});

test('E5 position independence: a text moved behind another keeps its fingerprints', () => {
  const random = randomNumbers(13);
  const text = randomText(random, ALPHABETS.english, 2_000);
  const before = valuesOf(text);
  const after = valuesOf(`${randomText(random, ALPHABETS.english, 333)} ${text}`);
  // At the start of the text, one more window may select one more fingerprint.
  assert.ok(sharedBy(before, after) >= before.size - 1);
});

test('E5 full and near duplicates and quotations are told apart', () => {
  const random = randomNumbers(17);
  const text = randomText(random, ALPHABETS.english, 8_000);
  const changed = `${text.slice(0, 4_000)} a sentence that was not there before ${text.slice(4_000)}`;
  const other = randomText(random, ALPHABETS.english, 8_000);
  const compare = (a: string, b: string) => compareTexts(Buffer.from(a), Buffer.from(b));
  assert.deepEqual(compare(text, text.toUpperCase().replaceAll(' ', '\n')), { resemblance: 1, containment: 1 });
  const near = compare(text, changed).resemblance;
  assert.ok(near > 0.98 && near < 1, `${near}`);
  const quoted = compare(text, text + other);
  assert.ok(quoted.containment > 0.99 && quoted.resemblance < 0.6, JSON.stringify(quoted));
  assert.equal(compare(text, other).resemblance, 0);
});

test('E5 a text with fewer than W K-grams has one fingerprint, and a text with fewer than K letters has none', () => {
  assert.equal(winnow(Buffer.from('twenty letters are here')).values.length, 1);
  assert.equal(winnow(Buffer.from('a b c')).values.length, 0);
  assert.equal(winnow(Buffer.alloc(0)).values.length, 0);
  assert.deepEqual(compareTexts(Buffer.from('short'), Buffer.from('short')), { resemblance: 0, containment: 0 });
});
