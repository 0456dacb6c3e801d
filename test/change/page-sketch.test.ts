import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sketchOf } from '../../src/change/sketch.ts';
import { ContentText, parsePage } from '../../src/page/page.ts';
import { ALPHABETS, randomNumbers, randomText } from './random-text.ts';

const content = new ContentText();

function sketchOfPage(html: string): Uint32Array {
  parsePage(Buffer.from(html), 'text/html; charset=utf-8', '', { wantText: false, maxLinks: 100, content });
  return sketchOf(content.bytes);
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
  for (const alphabet of [ALPHABETS.english, ALPHABETS.accents, ALPHABETS.cyrillic, ALPHABETS.chinese]) {
    for (const letters of [10, 300, 4_000, 20_000]) {
      const words = randomText(random, alphabet, letters).split(' ');
      const plain = sketchOf(Buffer.from(words.join(' ')));
      assert.ok(plain.length > 0 || letters === 10);
      for (let round = 0; round < 4; round++) assert.deepEqual(sketchOfPage(wrap(words, random)), plain);
    }
  }
});
