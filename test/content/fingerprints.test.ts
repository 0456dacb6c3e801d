import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fingerprintsOf, K, W } from '../../src/content/fingerprints/fingerprints.ts';
import { compareTexts } from '../../src/library/compare-texts.ts';
import { ALPHABETS, randomNumbers, randomText } from '../change/random-text.ts';
import { gramValuesOf, selectMinima } from './plain-winnowing.ts';
import { wordsOf } from './words-of.ts';

const printsOf = (text: string): Set<number> => new Set(fingerprintsOf(wordsOf(text)));
const compare = (a: string, b: string) => compareTexts(Buffer.from(a), Buffer.from(b));

function sharedBy(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  return Array.from(a).filter((value) => b.has(value)).length;
}

/** So many words in a row, each of one letter or more. */
function randomWords(random: () => number, alphabet: string, words: number): string[] {
  return Array.from({ length: words }, () => randomText(random, alphabet, 1 + Math.floor(random() * 7), ['']));
}

test('E5 the plain implementation of these tests gives the published example', () => {
  const hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98];
  const selected = selectMinima(hashes, 4).map((position) => [hashes[position], position]);
  assert.equal(JSON.stringify(selected), '[[17,3],[17,6],[8,8],[39,11],[17,15]]');
});

test('E5 the fingerprints follow the definition of winnowing, also in texts that repeat themselves', () => {
  const random = randomNumbers(5);
  for (let round = 0; round < 500; round++) {
    const vocabulary = [2, 4, 40, 2 ** 32][round % 4] as number;
    const words = Uint32Array.from({ length: Math.floor(random() * 80) }, () => Math.floor(random() * vocabulary));
    const values = gramValuesOf(words);
    const expected = new Set(selectMinima(values, W).map((position) => values[position] as number));
    assert.deepEqual(
      [...fingerprintsOf(words)],
      [...expected].sort((a, b) => a - b),
      `round ${round}`,
    );
  }
});

test('E5 a shared run of K + W - 1 words shares a fingerprint, wherever it stands and however it is spaced', () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 400; round++) {
    // Each text has its own alphabet, so only the run can match.
    const run = randomWords(random, ALPHABETS.english, K + W - 1);
    const around = (alphabet: string) => randomWords(random, alphabet, Math.floor(random() * 40)).join(' ');
    const a = `${around('αβγδ')} ${run.join(' ')} ${around('αβγδ')}`;
    const respaced = run.map((word) => word.toUpperCase()).join(random() < 0.5 ? '\n — ' : ', "');
    const b = `${around('жщюя')} ${respaced} ${around('жщюя')}`;
    assert.ok(sharedBy(printsOf(a), printsOf(b)) > 0, `${a} | ${b}`);
  }
});

test('E5 noise is suppressed: shared runs shorter than K words are not noticed', () => {
  const random = randomNumbers(11);
  for (let round = 0; round < 300; round++) {
    const run = randomWords(random, ALPHABETS.english, K - 1).join(' ');
    const around = (alphabet: string) => randomWords(random, alphabet, 20).join(' ');
    const a = `${around('αβγδ')} ${run} ${around('αβγδ')}`;
    const b = `${around('жщюя')} ${run} ${around('жщюя')}`;
    assert.equal(compare(a, b).resemblance, 0, run);
  }
});

test('E5 white space, case and special characters do not matter', () => {
  const plain = 'The quick brown fox jumps over the lazy dog, said nobody in 1999 — or did they?';
  const dressed =
    '\u00a0THE  quick\tbrown«fox»\u200ajumps (over)\u2026 the lazy-dog; "said" nobody\u00a0in 1999: or\u3000did\u3001they!';
  assert.deepEqual(wordsOf(dressed), wordsOf(plain));
  assert.deepEqual(compare(dressed, plain), { resemblance: 1, containment: 1 });
  assert.deepEqual(wordsOf('他说：「我们走吧」。'), wordsOf('他 说 ： 我们\n走吧'));
  assert.deepEqual(wordsOf('สวัสดี (ครับ)!'), wordsOf('ส ว ั ส ด ี ค ร ั บ'));
});

test('a word is a run of letters and digits, or one character of a script without spaces', () => {
  const counts = [
    ['one two-three 4th 55', 5],
    ['Ünïcode straße Ѣ naïve', 4],
    ['今日は晴れ', 5],
    ['ภาษาไทย', 7],
    ['한국어', 3],
    ['mixed今日word', 4],
    ['—…«»„“ \t\n.,;:!?()', 0],
    ['', 0],
  ] as const;
  for (const [text, count] of counts) assert.equal(wordsOf(text).length, count, text);
  assert.deepEqual(
    Array.from(wordsOf('2025 x2 2x 7 word ٣'), (word) => word & 1),
    [1, 0, 0, 1, 0, 0],
    'the lowest bit marks a number',
  );
});

test('E5 position independence: a text moved behind another keeps its fingerprints', () => {
  const random = randomNumbers(13);
  for (const alphabet of [ALPHABETS.english, ALPHABETS.cyrillic, ALPHABETS.chinese, ALPHABETS.thai]) {
    const text = randomText(random, alphabet, 2_000);
    const before = printsOf(text);
    const after = printsOf(`${randomText(random, alphabet, 333)} ${text}`);
    // At the start of the text, other windows may select other grams.
    assert.ok(sharedBy(before, after) >= before.size - 1, alphabet);
  }
});

test('E5 full and near duplicates and quotations are told apart', () => {
  const random = randomNumbers(17);
  for (const alphabet of [ALPHABETS.english, ALPHABETS.chinese, ALPHABETS.thai]) {
    const text = randomText(random, alphabet, 8_000);
    const changed = `${text.slice(0, 4_000)} ${randomText(random, alphabet, 40)} ${text.slice(4_000)}`;
    const other = randomText(random, alphabet, 8_000);
    const respaced = text.toUpperCase().replaceAll(' ', '\n');
    assert.deepEqual(compare(text, respaced), { resemblance: 1, containment: 1 });
    const near = compare(text, changed).resemblance;
    assert.ok(near > 0.97 && near < 1, `${near}`);
    const quoted = compare(text, text + other);
    assert.ok(quoted.containment > 0.99 && quoted.resemblance < 0.6, JSON.stringify(quoted));
    // Of 36 characters, three in a row agree by chance now and then.
    assert.ok(compare(text, other).resemblance < 0.25);
  }
});

test('E5 a text with fewer than W grams has one fingerprint, and a text with fewer than K words has none', () => {
  assert.equal(fingerprintsOf(wordsOf('just five words are here')).length, 1);
  assert.equal(fingerprintsOf(wordsOf('a b c')).length, 1);
  assert.equal(fingerprintsOf(wordsOf('a b')).length, 0);
  assert.equal(fingerprintsOf(wordsOf('')).length, 0);
  assert.deepEqual(compare('two words', 'two words'), { resemblance: 0, containment: 0 });
});
