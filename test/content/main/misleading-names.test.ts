/** Names and statements that say something wrong about the main content of a page, or that mean something else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainOf, sentences, wrap } from './sample-pages.ts';

const TREES = ['Red oak', 'Blue elm', 'Green fir', 'Brown yew', 'White ash', 'Black pine'];
const goods = TREES.map(
  (tree) =>
    `<div class="card"><a href="/${tree}"><img src="x.png"><i>${tree}</i></a><b class="price">9 euros</b></div>`,
).join('');
const GOODS = TREES.map((tree) => `${tree}9 euros`).join('\n');

test('goods with pictures and prices are the items of a listing, also in a part with the name of page numbers', () => {
  const { kind, text } = mainOf(wrap(`<div><h1>Trees</h1><div class="filter-and-pagination">${goods}</div></div>`));
  assert.equal(kind, 'listing');
  assert.equal(text, `Trees\n${GOODS}`);
});

test('a page that states that it is about a group of products is a listing', () => {
  const about = ['garden', 'forest', 'park'].map((each) => `<p>${sentences(each)}</p>`).join('');
  const page = wrap(`<h1>Trees</h1><div>${about}</div><div>${goods.repeat(8)}</div>`);
  const stated = (type: string): string =>
    page.replace('<title>', `<meta property="og:type" content="${type}"><title>`);
  assert.equal(mainOf(stated('product.group')).kind, 'listing');
  assert.equal(mainOf(stated('product')).kind, 'product');
});

test('the subjects of a post are no names of its element, and the numbers of the pages of a thread belong to it', () => {
  const posts = TREES.map(
    (tree) => `<div class="post type-post status-publish tag-newsletter category-popular"><a href="/${tree}">${tree}</a>
      <span><a href="?p=2">2</a> <a href="?p=3">3</a> <a href="?p=4">4</a></span></div>`,
  );
  const { text } = mainOf(wrap(`<div><h1>News of the garden</h1>${posts.join('')}</div>`));
  assert.equal(text, `News of the garden\n${TREES.map((tree) => `${tree} 2 3 4`).join('\n')}`);
});

test('a list of boards whose names end in "post" is no thread', () => {
  const boards = TREES.map(
    (tree) => `<li class="board_nopost"><h2><a href="/${tree}">All about ${tree}</a></h2><p>${sentences(tree)}</p>
      <div class="lastpost">Last post by Ann, who joined in 2009.</div></li>`,
  );
  const page = `<html><body id="forum" class="forum-index"><div class="forum-list"><ol class="forum">${boards.join('')}</ol>`;
  const { kind, text } = mainOf(`${page}</div></body></html>`);
  assert.equal(kind, 'listing');
  assert.equal(text.match(/Last post by Ann/g)?.length, TREES.length);
});

test('elements are hidden or shown as on a wide screen, and parts that are sent late are shown', () => {
  const part = (names: string, subject: string): string => `<div ${names}><p>${sentences(subject)}</p></div>`;
  const shown = [
    part('class="hidden md:block"', 'oak'),
    part('class="d-none d-lg-flex"', 'elm'),
    part('hidden id="S:1"', 'fir'),
  ];
  const hidden = [part('class="md:hidden"', 'yew'), part('class="d-none"', 'ash'), part('hidden id="S"', 'pine')];
  const { text } = mainOf(wrap(`<p>${sentences('snow')}</p>${[...shown, ...hidden].join('')}`));
  assert.equal(text, ['snow', 'oak', 'elm', 'fir'].map(sentences).join('\n'));
});

test('names of sidebars are not believed if they hide nearly all sentences', () => {
  const parts = ['snow', 'ice', 'rain'].map(
    (each) => `<section class="breaking-x"><p>${sentences(each)}</p></section>`,
  );
  const ad = `<div class="footer"><p>${sentences('imprint')}</p></div>`;
  const { text } = mainOf(wrap(`${parts.join('')}${ad}`));
  assert.equal(text, ['snow', 'ice', 'rain'].map(sentences).join('\n'));
});

test('goods beside a product have buttons of their own, and are no content without a telling name', () => {
  const sold = goods.replaceAll('</b></div>', '</b><button>Add to cart</button></div>');
  const product = `<div><h1>Garden chair</h1><b class="price">19 euros</b><button>Add to cart</button><p>${sentences('chair')}</p></div>`;
  const { kind, text } = mainOf(wrap(`<div>${product}<div class="x5">${sold}</div></div>`));
  assert.equal(kind, 'product');
  assert.equal(text, `Garden chair\n19 euros\n${sentences('chair')}`);
});

test('items and properties keep labels that the host repeats', () => {
  const isTemplate = (line: string): boolean => /^(?:9 euros|Weight|Thank you for reading)/.test(line);
  const thanks = `<p>Thank you for reading. ${sentences('shop')}</p>`;
  assert.equal(mainOf(wrap(`<div><h1>Trees</h1>${goods}</div>`), { isTemplate }).text, `Trees\n${GOODS}`);
  const table = '<table><tr><th>Weight</th><td>2 kg</td></tr><tr><th>Colour</th><td>red</td></tr></table>';
  const product = wrap(`<div><h1>Chair</h1><p>${sentences('chair')}</p>${table}${thanks}</div>`);
  assert.equal(mainOf(product, { isTemplate }).text, `Chair\n${sentences('chair')}\nWeight 2 kg\nColour red`);
});
