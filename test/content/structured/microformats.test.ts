import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, itemsOf } from './read-page.ts';

test('an entry with all kinds of properties and a nested author', () => {
  const html = `<article class="h-entry" id=e><h1 class="p-name">Title</h1><img class="u-photo" src=p.png alt="A cat">
    <a class="u-url" href="/e">link</a><time class="dt-published" datetime="2020-01-02 7:30pm">x</time>
    <div class="e-content"><p>One</p><p>Two</p></div><a class="p-author h-card" href="/ann">Ann</a></article>`;
  const card = {
    syntax: 'microformats',
    types: ['h-card'],
    properties: { name: ['Ann'], url: ['https://example.com/ann'] },
  };
  assert.deepEqual(itemsOf(html), [
    {
      syntax: 'microformats',
      types: ['h-entry'],
      id: 'https://example.com/dir/page#e',
      properties: {
        name: ['Title'],
        photo: [
          { syntax: 'microformats', types: [], value: 'https://example.com/dir/p.png', properties: { alt: ['A cat'] } },
        ],
        url: ['https://example.com/e'],
        published: ['2020-01-02 19:30'],
        content: ['One\n\nTwo'],
        author: [{ ...card, value: 'Ann' }],
      },
    },
  ]);
});

test('classic microformats are read in the words of microformats 2', () => {
  const html = `<div class="hentry"><h2 class="entry-title p-wrong">T</h2><span class="author vcard"><a class="fn url" href="/a">Ann</a>
    </span><abbr class="published" title="2020-01-02">x</abbr><a rel="tag" href="/tags/red%20cats">tag</a></div>`;
  const [item] = itemsOf(html);
  assert.deepEqual(item?.types, ['h-entry']);
  const { author, ...others } = item!.properties;
  assert.deepEqual(others, { name: ['T'], published: ['2020-01-02'], category: ['red cats'] });
  const [card] = author!;
  assert.ok(typeof card === 'object');
  assert.deepEqual(card.properties, { name: ['Ann'], url: ['https://example.com/a'] });
});

test('dates in parts are joined, and a time takes the date before it', () => {
  const html = `<div class="h-event"><p class="dt-start"><b class="value">2013-06-27</b> <b class="value">7pm</b></p>
    <time class="dt-end">22:00</time></div>`;
  assert.deepEqual(itemsOf(html)[0]?.properties.start, ['2013-06-27 19:00']);
  assert.deepEqual(itemsOf(html)[0]?.properties.end, ['2013-06-27 22:00']);
});

test('classes of style libraries are no microformats', () => {
  assert.deepEqual(
    itemsOf('<div class="h-full p-4"><p class="h-screen">x</p></div><div class="h-wrapper">y</div>'),
    [],
  );
});

test('items in an item are its children', () => {
  const [feed] = itemsOf('<div class=h-feed><div class=h-entry>A</div><div class=h-entry>B</div></div>');
  assert.equal(feed?.properties.children?.length, 2);
});

test('hundreds of nested items with much text are cut with a reason', () => {
  const html = '<div class="h-entry"><p class="p-a e-b">'.repeat(200) + '<p>words</p>'.repeat(20_000);
  assert.equal(dataOf(html).isCut, true);
});

test('an image in a text stands for its alternative text, or else for its address, but not in an implied name', () => {
  const html = `<p class="h-entry"><b class="p-name">A <img src="a.png" alt="cat"> <img src="b.png"> <img src="data:,c">
    B</b></p><p class="h-card">Ann <img src="d.png"> <i>x</i></p>
    <p class="h-card"><img class="p-name" src="e.png"></p>`;
  const [entry, card, image] = itemsOf(html);
  assert.deepEqual(entry?.properties.name, ['A cat https://example.com/dir/b.png B']);
  assert.deepEqual(card?.properties.name, ['Ann x']);
  assert.deepEqual(image?.properties.name, ['']);
});

test('the item of a classic summary of reviews, and the author of a classic feed', () => {
  const html = `<p class="hreview-aggregate"><b class="item vcard"><i class="fn">Cafe</i></b> <i class="rating">9</i></p>
    <div class="hfeed"><p class="author vcard"><i class="fn">Ann</i></p></div>`;
  const [review, feed] = itemsOf(html);
  const card = { syntax: 'microformats', types: ['h-card'] };
  assert.deepEqual(review?.properties.item, [{ ...card, value: 'Cafe', properties: { name: ['Cafe'] } }]);
  assert.deepEqual(feed?.properties.author, [{ ...card, value: 'Ann', properties: { name: ['Ann'] } }]);
});
