import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankSpecials } from '../../src/change/counted-bytes.ts';
import { SKETCH_SIZE, searchSketch, sketchOf } from '../../src/change/sketch.ts';
import { DEFAULT_K, DEFAULT_W, winnow } from '../../src/change/winnow.ts';
import { compareSketches } from './compare-sketches.ts';
import { ALPHABETS, randomNumbers, randomText } from './random-text.ts';

/** Computes the sketch by definition: the smallest distinct values of the whole winnowing. */
function sketchByDefinition(text: Buffer, k: number, w: number): Uint32Array {
  return Uint32Array.from(new Set(winnow(text, k, w).values.toSorted())).subarray(0, SKETCH_SIZE);
}

const SIGNS = [' ', ' ', '\n', ', ', '. ', ' — ', '\u00a0', '«', '』', '\u2009', '(', '&'];

test('E5 a sketch is exactly the smallest fingerprints of the whole winnowing, in every alphabet and size', () => {
  const random = randomNumbers(3);
  for (const alphabet of Object.values(ALPHABETS)) {
    for (const letters of [0, 15, 40, 900, 1_100, 3_000, 9_000, 30_000]) {
      const text = Buffer.from(randomText(random, alphabet, letters, SIGNS));
      for (const [k, w] of [
        [16, 16],
        [5, 4],
        [3, 40],
        [30, 100],
      ] as const) {
        const where = `${letters} of ${alphabet.slice(0, 10)} k=${k} w=${w}`;
        assert.deepEqual(sketchOf(text, k, w), sketchByDefinition(text, k, w), where);
      }
    }
  }
});

test('E5 a sketch is exact in texts with many rare letters and in texts that repeat themselves', () => {
  const random = randomNumbers(23);
  for (let round = 0; round < 150; round++) {
    // Short runs of rare letters in a text without them, so that windows have several candidates.
    let text = '';
    while (text.length < 2_000 + random() * 8_000) {
      text += randomText(random, ALPHABETS.noRareLetters, Math.floor(random() * 60), SIGNS);
      text += randomText(random, ['xq', 'zjzj', 'kvw', 'XZK'][round % 4] as string, Math.floor(random() * 5), SIGNS);
      if (random() < 0.05) text += text.slice(0, 500);
    }
    const bytes = Buffer.from(text);
    assert.deepEqual(sketchOf(bytes), sketchByDefinition(bytes, DEFAULT_K, DEFAULT_W), `round ${round}`);
  }
});

test('E5 a sketch is exact if one K-gram occurs many times within a window', () => {
  const random = randomNumbers(37);
  let text = '';
  for (let segment = 0; segment < 150; segment++) {
    const word = `x${randomText(random, ALPHABETS.noRareLetters, 4 + (segment % 9), [''])}`;
    text += word.repeat(4) + randomText(random, ALPHABETS.noRareLetters, 30 + (segment % 30));
  }
  const bytes = Buffer.from(text);
  assert.deepEqual(searchSketch(bytes, 16, 16), sketchByDefinition(bytes, 16, 16));
});

test('texts of a few kilobytes in most languages are searched, not winnowed as a whole', () => {
  const random = randomNumbers(41);
  for (const alphabet of [ALPHABETS.english, ALPHABETS.accents, ALPHABETS.cyrillic, ALPHABETS.chinese]) {
    const text = blankSpecials(Buffer.from(randomText(random, alphabet, 12_000, SIGNS)));
    assert.deepEqual(searchSketch(text, 16, 16), sketchByDefinition(text, 16, 16), alphabet);
  }
});

test('a sketch of any bytes, valid UTF-8 or not, is exact and does not change the bytes', () => {
  const random = randomNumbers(29);
  for (let round = 0; round < 100; round++) {
    const high = round % 2 === 0 ? 256 : 128;
    const bytes = Buffer.from(Array.from({ length: 4_000 }, () => Math.floor(random() * high)));
    if (round % 5 === 0) bytes.fill('\u2014\u3001\u00a0', 1_000, 2_000);
    const before = Buffer.from(bytes);
    assert.deepEqual(sketchOf(bytes), sketchByDefinition(bytes, DEFAULT_K, DEFAULT_W), `round ${round}`);
    assert.ok(bytes.equals(before));
  }
});

test('hostile texts with only candidates or with none get an exact sketch', () => {
  for (const piece of ['z', 'zq', 'x ', 'k', 'qaaaaaaaaaaaaaaaaaaa', '\u2014', ' ']) {
    const text = Buffer.from(piece.repeat(2 ** 18 / Buffer.byteLength(piece)));
    assert.deepEqual(sketchOf(text), sketchByDefinition(text, DEFAULT_K, DEFAULT_W), piece);
  }
  assert.equal(sketchOf(Buffer.alloc(3 * 2 ** 20, 'quick zebra ')).length, winnowSize('quick zebra '.repeat(100)));
});

const winnowSize = (text: string): number => new Set(winnow(Buffer.from(text)).values).size;

test('E5 sketches estimate resemblance: same, nearly the same, half the same, not the same', () => {
  const random = randomNumbers(31);
  const text = (letters: number) => randomText(random, ALPHABETS.english, letters);
  const compare = (a: string, b: string) => compareSketches(sketchOf(Buffer.from(a)), sketchOf(Buffer.from(b)));
  const page = text(20_000);
  assert.equal(compare(page, page.toUpperCase()), 1);
  const near = compare(page, page.replace(page.slice(9_000, 9_300), text(300)));
  assert.ok(near > 0.85, `${near}`);
  const half = compare(page, page.slice(0, 12_000) + text(10_000));
  assert.ok(half > 0.15 && half < 0.6, `${half}`);
  assert.equal(compare(page, text(20_000)), 0);
  // The sketch of a short text contains its whole winnowing.
  const [a, b] = [text(200), text(150)];
  assert.ok(compare(a, a + b) > 0.3 && compare(a, a + b) < 0.9);
  assert.equal(compare('', ''), 0);
  assert.equal(compare(page, ''), 0);
});
