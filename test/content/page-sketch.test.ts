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

const MARKUP = [
  '<p>',
  '</p><p class="zq">',
  '<br>',
  '<b>',
  '</b>',
  '<!-- quiz -->',
  '<a href="/x?q=z">',
  '</a>',
  '<td>',
  '<img src=x>',
  '\n',
  '<script>quiz()</script>',
  '<nav><p>quiz</nav>',
];
const SPACES = [' ', '\n\t', '&nbsp;', ' &amp; ', '&#160;', ' &mdash; ', '&shy;', ' \u2014 ', '\u00a0'];

/** Puts the words into random markup, with random spacing and case, and writes some letters as character references. */
function wrap(words: readonly string[], random: () => number): string {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string;
  let html = '<!doctype html><title>x</title><header>menu</header><main>';
  for (const word of words) {
    html += random() < 0.2 ? pick(MARKUP) : '';
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
