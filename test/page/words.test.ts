import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_WORDS, WordCollector } from '../../src/page/html/text/collect-words.ts';
import { plainWords } from './plain-words.ts';
import { randomNumbers } from './random-html.ts';

const ASCII = [
  'a',
  'z',
  'A',
  'Z',
  'mixedCase',
  '0',
  '9',
  ' ',
  '  ',
  '\n',
  '.',
  '-',
  '@',
  '[',
  '`',
  '{',
  '/',
  ':',
  '\0',
];
const BEYOND = ['é', 'ß', 'я', 'Ж', '日', '本', 'ก', '。', '\u3000', '\u00a0', '—', '…', '\u200b', '😀', '\ufffd'];
const BROKEN = [[0x80], [0xc2], [0xe2], [0xe2, 0x80], [0xe3, 0x80], [0xf0, 0x9f], [0xff]];
const PIECES = [...ASCII, ...BEYOND].map((text) => Buffer.from(text)).concat(BROKEN.map((bytes) => Buffer.from(bytes)));

const words = new WordCollector();

function wordsOf(text: Buffer): number[] {
  words.clear();
  words.open(text);
  words.add(0, text.length);
  words.finish();
  return [...words.words.subarray(0, words.count)];
}

test('words of 60,000 random texts are formed as the plain rule forms them, at every position', () => {
  const random = randomNumbers(11);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < 60_000; round++) {
    // Half of the texts are ASCII, some have few other characters, and some consist of them.
    const choice = [ASCII.length, ASCII.length, PIECES.length][round % 3] as number;
    const rare = round % 3 === 1 ? 0.03 : 0;
    const length = below(round % 7 === 0 ? 200 : 40);
    const pieces = Array.from({ length }, () => PIECES[below(random() < rare ? PIECES.length : choice)]!);
    const text = Buffer.concat(pieces);
    // Other text stands before and behind it, as in a document.
    const before = Buffer.concat([PIECES[below(PIECES.length)]!, Buffer.alloc(below(70), 'x')]);
    const document = Buffer.concat([before, text, PIECES[below(PIECES.length)]!]);
    words.clear();
    words.open(document);
    words.add(before.length, before.length + text.length);
    words.finish();
    const got = [...words.words.subarray(0, words.count)];
    assert.deepEqual(got, plainWords(text), JSON.stringify(text.toString('latin1')));
    assert.deepEqual([...words.counts], plainCounts(got), JSON.stringify(text.toString('latin1')));
  }
});

/** The word counts of words, one word after the other. */
function plainCounts(all: readonly number[]): number[] {
  const counts = Array.from({ length: 128 }, () => 0);
  for (const word of all) {
    for (const counter of [(word >>> 1) % 64, 64 + ((word >>> 9) % 64)]) counts[counter] = (counts[counter]! + 1) % 256;
  }
  return counts;
}

test('words of every length from 1 to 100 are formed as the plain rule forms them', () => {
  for (let length = 1; length <= 100; length++) {
    for (const fill of ['q', 'Q', '7', 'é', 'x1']) {
      const text = Buffer.from(`${fill.repeat(length)} ${'7'.repeat(length)} end`);
      assert.deepEqual(wordsOf(text), plainWords(text), `${fill} ${length}`);
    }
  }
});

test('a text in parts has the words of the whole text, wherever it is divided', () => {
  const text = Buffer.from('one caf\u00e9 2025 日本 two—three x');
  for (let at = 0; at <= text.length; at++) {
    words.clear();
    words.open(text);
    words.addPart(text, 0, at);
    words.add(at, text.length);
    words.finish();
    assert.deepEqual([...words.words.subarray(0, words.count)], plainWords(text), `divided at ${at}`);
  }
});

test('texts that are longer than the memory of the kernel have the same words', () => {
  const sentence = 'Some words in a row,\nand more; Größe 42 — ';
  for (const text of [
    sentence.repeat(8_000),
    '日本語'.repeat(40_000),
    'слово '.repeat(30_000),
    'a,b.'.repeat(20_000),
  ]) {
    const bytes = Buffer.from(text);
    const all = plainWords(bytes);
    assert.deepEqual(wordsOf(bytes), all, text.slice(0, 20));
    assert.deepEqual([...words.counts], plainCounts(all), text.slice(0, 20));
    assert.ok(all.length < MAX_WORDS && !words.isCut);
  }
});

test('a megabyte of words of one byte is cut, and the next page is read as usual', () => {
  assert.equal(wordsOf(Buffer.alloc(0x100000, 0xff)).length, MAX_WORDS);
  assert.ok(words.isCut);
  const text = Buffer.from('the next page');
  assert.deepEqual(wordsOf(text), plainWords(text));
  assert.ok(!words.isCut);
});

test('long texts of malformed characters come to an end', () => {
  for (const pattern of [
    [0x80],
    [0xbf],
    [0xc2],
    [0xe3],
    [0xff],
    [0xf0, 0x80],
    [0xe2, 0x80, 0x80, 0x80],
    [0x61, 0x80],
    [0],
  ]) {
    const text = Buffer.alloc(100_000, Buffer.from(pattern));
    wordsOf(Buffer.concat([text, Buffer.from(' end')]));
    assert.equal(words.words[words.count - 1], plainWords(Buffer.from('end'))[0], `${pattern}`);
    // The first byte of a character, followed by a hundred thousand bytes that continue it.
    wordsOf(Buffer.concat([Buffer.from([0xe4]), text, Buffer.from(' end')]));
    assert.equal(words.words[words.count - 1], plainWords(Buffer.from('end'))[0], `e4 ${pattern}`);
  }
});
