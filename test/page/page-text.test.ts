/** Tests the text that a page gives to a search index: its blocks, what is hidden, and its links. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageTextCollector, parsePage, WordCollector } from '../../src/page/page.ts';
import { randomNumbers } from './random-html.ts';
import { randomPage } from './random-page.ts';

const collector = new PageTextCollector();
const words = new WordCollector();
const READING = { wantText: false, wantAnchors: false, maxLinks: 100, classes: new Set(['document'] as const) };

function read(html: string): PageTextCollector {
  parsePage(Buffer.from(html), 'text/html; charset=utf-8', 'http://a.test/', { ...READING, words: collector });
  return collector;
}

function textsOf(html: string): string[] {
  return read(html).pageBlocks.map(({ text }) => text.trim());
}

test('each block of a page is one text, with folded white space and decoded references', () => {
  assert.deepEqual(textsOf('<h1> A\n title</h1><p>one &amp; t&ouml;o&nbsp;three<br>four<table><td>1<td>2'), [
    'A title',
    'one & töo three',
    'four',
    '1 2',
  ]);
  assert.deepEqual(textsOf('<p>***</p><p>日本語 text</p><p></p><p>–</p>'), ['日本語 text']);
});

test('a word that goes on in the next element is one word, and neighbours in cells and lists are not', () => {
  assert.deepEqual(textsOf('<p>W<b>ord</b>s and<b> more</b>'), ['Words and more']);
  assert.deepEqual(textsOf('<p><a href=/car>car</a>s, hyphen&shy;ated'), ['cars, hyphenated']);
  assert.deepEqual(textsOf('<p><span>Price</span><span>12</span>'), ['Price 12']);
  assert.deepEqual(textsOf('<tr><td>a</td><td>b</td>'), ['a b']);
  assert.deepEqual(textsOf('<p>one<img src=a>two<!-- x -->three'), ['one two three']);
});

test('text that no reader sees is left out, and text beside the content is marked', () => {
  const html = `<title>Title</title><style>s{}</style><script>x()</script><noscript>no script</noscript>
    <template><p>template</p></template><header><h1>Site</h1></header><nav>Menu</nav><main><p>Text</main><footer>End`;
  const blocks = read(html).pageBlocks.map(({ text, isBeside }) => [text.trim(), isBeside]);
  assert.deepEqual(blocks, [
    ['Site', true],
    ['Menu', true],
    ['Text', false],
    ['End', true],
  ]);
});

test('headings are marked, and a heading that is never closed marks no other block', () => {
  const blocks = read('<h2>One</h2><p>a<h3>Two<p>b<p>c').pageBlocks;
  assert.deepEqual(
    blocks.filter(({ isHeading }) => isHeading).map(({ text }) => text.trim()),
    ['One', 'Two'],
  );
});

test('links have the text inside them and the index of their block', () => {
  const page = read(
    '<nav><a href=/n>n</a></nav><p>See <a href="/a" rel=nofollow>the <b>a</b> page</a>, <a href=b>b<p>c</a>',
  );
  assert.deepEqual(
    page.linksIn(() => true).map(({ href, text, block, isNofollow }) => [href, text, block, isNofollow]),
    [
      ['/n', 'n', 0, false],
      ['/a', 'the a page', 1, true],
    ],
  );
  assert.equal(page.linksIn((block) => block === 1).length, 1);
});

test('the blocks of the content are those of the word collector, so that template marks fit', () => {
  const random = randomNumbers(7);
  for (let i = 0; i < 300; i++) {
    const html = randomPage(random).replace(/<p>/g, () => (random() < 0.2 ? '<nav>' : random() < 0.1 ? '<p>—' : '<p>'));
    const own = read(html).pageBlocks.filter(({ isBeside }) => !isBeside);
    parsePage(Buffer.from(html), 'text/html', 'http://a.test/', { ...READING, words });
    assert.equal(own.length, words.blocks, html);
    assert.deepEqual([collector.blocks, collector.count], [words.blocks, words.count]);
  }
});

test('a page with more text than the limit keeps its blocks in step', () => {
  const html = `<p>${'x'.repeat(3_000_000)}<p>${'y'.repeat(3_000_000)}<p>last`;
  const texts = textsOf(html);
  assert.deepEqual([texts.length, collector.blocks, texts[2]], [3, 3, 'last']);
});
