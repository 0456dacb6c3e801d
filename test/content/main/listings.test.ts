import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainOf, sentences, wrap } from './sample-pages.ts';

const ARTICLE = '<meta property="og:type" content="article">';
const NAMES = ['Red chair', 'Blue table', 'Green lamp', 'Brown shelf'];

function items(names: readonly string[], more = ''): string {
  return names
    .map((name) => `<li class="item"><h3><a href="/${name}">${name} for the garden</a></h3>${more}</li>`)
    .join('');
}

test('a listing loses its filters, its page numbers and a form, and keeps items with boxes to tick', () => {
  const filter = ['Oak', 'Elm', 'Fir'].map((each) => `<div><input type="checkbox"> ${each} (12)</div>`).join('');
  const pages = [1, 2, 3].map((page) => `<a href="?p=${page}">${page}</a>`).join(' | ');
  const { text } = mainOf(
    wrap(`<div><h1>Garden</h1><div class="x1">${filter}</div><form><b>Mail me news of the garden</b><input><input></form>
      <ul>${items(NAMES, '<input type="checkbox"> compare <i>19 euros</i>')}</ul><div class="x2">Pages: ${pages}</div></div>`),
  );
  assert.equal(text, `Garden\n${NAMES.map((name) => `${name} for the garden\ncompare 19 euros`).join('\n')}`);
});

test('items may have short titles beside pictures or in headings', () => {
  const say = (each: string): string => `<p>A label for women and men in the ${each} of the town, opened last year</p>`;
  const pictured = ['Gant', 'Nike', 'Puma', 'Asics'].map(
    (each) =>
      `<div class="row x"><a href="/${each}"><img src="x.png"></a><strong><a href="/${each}">${each}</a></strong>${say(each)}</div>`,
  );
  const headed = ['Gant', 'Nike', 'Puma', 'Asics'].map(
    (each) => `<div class="row x"><h3><a href="/${each}">${each}</a></h3>${say(each)}</div>`,
  );
  for (const rows of [pictured, headed]) {
    assert.equal(mainOf(wrap(`<article><h1>Shops</h1>${rows.join('')}</article>`)).kind, 'listing');
  }
  const plain = headed.map((each) => each.replaceAll('h3', 'b'));
  assert.notEqual(mainOf(wrap(`<article><h1>Shops</h1>${plain.join('')}</article>`)).kind, 'listing');
});

test('a listing keeps what its items show when the pointer is on them, and loses a sidebar with most sentences', () => {
  const side = `<div class="sidebar"><p>${sentences('news')}</p></div>`;
  const { kind, text } = mainOf(
    wrap(
      `<div><div><h1>Garden</h1><ul>${items(NAMES, '<div style="display: none">Ships today</div>')}</ul></div>${side}</div>`,
    ),
  );
  assert.equal(kind, 'listing');
  assert.equal(text, `Garden\n${NAMES.map((name) => `${name} for the garden\nShips today`).join('\n')}`);
});

test('a page is a listing whatever its footer and its hidden parts say', () => {
  const long = (count: number): string =>
    Array.from({ length: count }, (_, i) => `<p>${sentences(`keyword ${i}`)}</p>`).join('');
  const apart = ['oak', 'elm', 'fir', 'yew'].map(
    (each) => `<div><section><div>${sentences(each)}</div></section></div>`,
  );
  const beside = [
    `<div class="footer">${long(6)}</div>`,
    `<div style="display: none">${long(3)}</div>${apart.join('')}`,
  ];
  for (const each of beside) {
    const list = `<ul>${items(NAMES, '<i>From 19 euros, made of oak</i>')}</ul>`;
    assert.equal(mainOf(wrap(`<div><h1>Garden</h1>${list}</div>${each}`, ARTICLE)).kind, 'listing', each.slice(0, 30));
  }
});

test('the names of the elements around the items do not hide them, and an advertisement among the items is none', () => {
  const promoted = '<li class="ad"><h3><a href="/ad">Very cheap shoes of the town</a></h3></li>';
  const list = `<div class="more-ads"><ul>${items(NAMES, `<p>${sentences('oak')}</p>`)}${promoted}</ul></div>`;
  const { text } = mainOf(wrap(`<div><h1>Garden</h1><p>${sentences('garden')} ${sentences('hedge')}</p>${list}</div>`));
  assert.ok(text.includes('Brown shelf for the garden') && !text.includes('cheap shoes'), text);
});

test('the posts of a blog with short titles are the items of a listing, not the posts of a thread', () => {
  const posts = [1, 2, 3, 4].map(
    (n) =>
      `<article class="post"><h2 class="entry-title"><a href="/${n}">Log ${n}</a></h2><i>4 May</i><p>${sentences(`day ${n}`)} <a href="/${n}">Read more</a></p></article>`,
  );
  const { kind, text } = mainOf(wrap(`<div>${posts.join('')}</div>`));
  assert.equal(kind, 'listing');
  assert.ok(text.includes('Log 3') && text.includes('4 May'), text);
});
