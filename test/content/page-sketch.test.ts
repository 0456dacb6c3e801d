import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_NUMBERS, sketchOf } from '../../src/content/fingerprints/fingerprints.ts';
import { sketchOwnText } from '../../src/content/own-text.ts';
import { ALPHABETS, randomNumbers, randomText } from '../change/random-text.ts';
import { pageOf, wordsOf } from './words-of.ts';

const NO_TEMPLATE = new Uint8Array(100_000);

function sketchOfPage(html: string): Uint32Array | undefined {
  return sketchOwnText(pageOf(html), NO_TEMPLATE).sketch;
}

/** These begin another block. */
const BLOCKS = ['<p>', '</p><p class="zq">', '<br>', '<td>'];
const MARKUP = [
  '<b>',
  '</b>',
  '<!-- quiz -->',
  '<a href="/x?q=z">',
  '</a>',
  '<img src=x>',
  '\n',
  '<script>quiz()</script>',
];
const SPACES = [' ', '\n\t', '&nbsp;', ' &amp; ', '&#160;', ' &mdash; ', '&shy;', ' \u2014 ', '\u00a0'];

/**
 * Puts the words into random markup, with random spacing and case, and writes some letters as character references.
 * Each block has at least three words.
 */
function wrap(words: readonly string[], random: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string;
  let html = '<!doctype html><title>x</title><header>menu</header><main>';
  let inBlock = 0;
  for (const [i, word] of words.entries()) {
    const ends = inBlock >= 3 && words.length - i >= 3 && random() < 0.1;
    if (ends) html += pick([...BLOCKS, '<nav><p>quiz</nav>']);
    else if (random() < 0.1) html += pick(MARKUP);
    inBlock = ends ? 1 : inBlock + 1;
    for (const letter of word) {
      if (random() < 0.02) html += `&#${letter.codePointAt(0)};`;
      else html += random() < 0.1 && letter < '\x7f' ? letter.toUpperCase() : letter;
    }
    html += pick(SPACES);
  }
  return `${html}</main><footer>quick zebra</footer>`;
}

test('E5 the sketch of a page is the sketch of its text in any other markup, spacing and case', () => {
  const random = randomNumbers(53);
  const { english, accents, cyrillic, chinese, thai } = ALPHABETS;
  for (const alphabet of [english, accents, cyrillic, chinese, thai]) {
    for (const letters of [10, 300, 4_000, 20_000]) {
      const words = randomText(random, alphabet, letters).split(' ');
      const plain = sketchOf(wordsOf(words.join(' ')));
      assert.ok(plain.length > SAMPLE_NUMBERS || letters === 10);
      for (let round = 0; round < 4; round++) {
        const sketch = sketchOfPage(wrap(words, random));
        assert.deepEqual(sketch ?? plain.subarray(0, SAMPLE_NUMBERS), plain, `${letters} of ${alphabet}`);
      }
    }
  }
});

test('the own text of a page is its text without the blocks that are template', () => {
  const page = pageOf('<p>a menu of five words</p><p>what only this page says</p><p>a footer of five words</p>');
  const { sketch } = sketchOwnText(page, Uint8Array.of(1, 0, 1));
  assert.deepEqual(sketch, sketchOf(wordsOf('what only this page says')));
  assert.deepEqual(sketchOwnText(page, Uint8Array.of(1, 1, 1)), {}, 'nothing is left');
  assert.deepEqual(sketchOwnText(pageOf('two words'), NO_TEMPLATE), {}, 'too little for a fingerprint');
});

test('E5 short blocks are left out of a sketch, so it does not matter which labels are known as template', () => {
  const text = 'what only this page says and no other page';
  const [plain, withoutLast] = [`${text} in three words`, text].map((words) => sketchOf(wordsOf(words)));
  const page = pageOf(`<p>Label</p><p>${text}</p><p>1 (none)</p><p>in three words</p>`);
  for (const marks of [
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [1, 0, 1, 0],
  ]) {
    assert.deepEqual(sketchOwnText(page, Uint8Array.from(marks)).sketch, plain, String(marks));
  }
  assert.deepEqual(sketchOwnText(page, Uint8Array.of(0, 0, 0, 1)).sketch, withoutLast, 'a longer block counts');
});

test('E5 an index of short blocks is sketched with all its entries', () => {
  const entries = ['Adam', 'Berta Blau', 'Clara', 'Dora Dunkel', 'Emil'];
  const page = pageOf(`<p>The names of all members</p>${entries.map((entry) => `<li>${entry}</li>`).join('')}`);
  const { sketch } = sketchOwnText(page, NO_TEMPLATE);
  assert.deepEqual(sketch, sketchOf(wordsOf(`The names of all members ${entries.join(' ')}`)));
});
