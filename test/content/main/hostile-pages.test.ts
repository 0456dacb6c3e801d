import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainOf } from './sample-pages.ts';

const MAX_CPU_MS = 3_000;
const BYTES = 10 * 1024 * 1024;

function fill(part: string): string {
  return part.repeat(Math.floor(BYTES / part.length));
}

function letters(i: number): string {
  return i.toString(2).replaceAll('0', 'a').replaceAll('1', 'b');
}

const PAGES: readonly (readonly [name: string, html: string])[] = [
  ['10 MB of nested tables', fill('<table><tr><td>x')],
  ['a million tags', '<b>'.repeat(1_000_000)],
  ['10 MB of empty elements', fill('<div></div>')],
  ['10 MB of linked headings', fill('<div><h2><a href=x>Some heading here</a></h2></div>')],
  ['10 MB of nested linked headings', fill('<div><h2><a href=x>Some heading here</a></h2>')],
  ['10 MB of labels in each other', fill('<div>share')],
  ['10 MB of text in one paragraph', `<p>${fill('a, b ')}`],
  [
    'nested posts of a thread',
    `<div class="topic forum thread">${'<div class=topic></div>'.repeat(4)}${fill('<div class="post">Hello, you.')}`,
  ],
  [
    'nested carts of a product',
    `<meta property="og:type" content="product">${fill('<div class="cart">x')}<i class="price">1</i>`,
  ],
  [
    'many names of posts in each other',
    `${'<i class=topic></i>'.repeat(4)}${Array.from({ length: 60_000 }, (_, i) => `<div class="post${letters(i)}">Hello, you.`).join('')}`,
  ],
  [
    'nested headings and tabs of a product',
    `<meta property="og:type" content="product">${fill('<div aria-controls="a" class="tab"><h3>Delivery')}`,
  ],
  [
    'labels of a product side by side',
    `<meta property="og:type" content="product">${fill('<div class="title">Delivery</div>')}`,
  ],
  [
    'nested marked texts of answers',
    fill('<div itemscope itemtype="https://schema.org/Answer"><p itemprop="text" class="a">x.'),
  ],
  [
    'nested quotes in posts',
    `<html class="template-thread_view">${fill('<div class="post"><aside class="related">x')}<blockquote>`,
  ],
  ['nested lists with forms', `${fill('<div class="a"><form><input><a href=x>A long title of it</a></form>')}`],
  [
    'many stated descriptions',
    `<meta property="og:type" content="product">${fill(`<meta name="description" content="${'abcdefghij klm '.repeat(300)}"><p>abcdefghij klm abcdefghij klm abcdefghij klm.`)}`,
  ],
  ['100,000 different class names', Array.from({ length: 100_000 }, (_, i) => `<p class="aB${i}">x`).join('')],
];

for (const [name, html] of PAGES) {
  test(`${name} end within ${MAX_CPU_MS} ms of CPU`, () => {
    const start = process.cpuUsage();
    const main = mainOf(html);
    main.blocks();
    const { user, system } = process.cpuUsage(start);
    assert.ok((user + system) / 1000 < MAX_CPU_MS);
  });
}

test('pages without any text have no main content', () => {
  for (const html of ['', '<p></p>', '<html><body><script>x</script><img src=x></body></html>', '<!-- x -->']) {
    const main = mainOf(html === '' ? ' ' : html);
    assert.equal(main.text, '');
    assert.deepEqual(main.blocks(), []);
  }
});
