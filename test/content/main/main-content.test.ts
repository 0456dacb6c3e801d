import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARTICLE, DOCUMENTATION, FORUM, LISTING, mainOf, PRODUCT, sentences, treeOf, wrap } from './sample-pages.ts';

function assertHas(text: string, parts: readonly string[]): void {
  for (const part of parts) assert.ok(text.includes(part), `"${part}" is missing in:\n${text}`);
}

function assertLacks(text: string, parts: readonly string[]): void {
  for (const part of parts) assert.ok(!text.includes(part), `"${part}" should not be in:\n${text}`);
}

test('an article keeps its paragraphs, headings, lists, code and tables', () => {
  const { text, kind } = mainOf(ARTICLE);
  assert.equal(kind, 'article');
  assertHas(text, [sentences('snow'), sentences('ice'), sentences('thaw'), 'What came next', 'The flood, in April.']);
  assertHas(text, ['a  = 1\nb  = 2', 'Month Snow\nMarch 40 cm']);
});

test('an article loses navigation, banners, byline, share buttons, related links, captions and comments', () => {
  const { text } = mainOf(ARTICLE);
  assertLacks(text, ['All the news', 'cookies', 'Jane Doe', 'every network', 'Related', 'first story', 'other story']);
  assertLacks(text, ['Photo', sentences('comment'), sentences('sidebar'), 'Copyright']);
});

test('the title heading of an article is kept for Markdown, and its text does not repeat it', () => {
  const main = mainOf(ARTICLE);
  const tree = treeOf(ARTICLE);
  assert.equal(tree.nodes[main.heading]?.name, 'h1');
  assert.equal(main.kept[main.heading], 1);
  assert.equal(main.kept[main.heading + 1], 1);
  assertLacks(main.text, ['A late winter']);
});

test('every block has a role of the closed list', () => {
  const roles = new Map(
    mainOf(ARTICLE)
      .blocks()
      .map(({ role, text }) => [text, role]),
  );
  assert.equal(roles.get(sentences('snow')), 'content');
  assert.equal(roles.get('All the news'), 'navigation');
  assert.equal(roles.get(sentences('sidebar')), 'aside');
  assert.equal(roles.get(sentences('comment')), 'boilerplate');
  assert.equal(roles.get('Copyright 2024 by the makers of this page, all rights reserved.'), 'footer');
});

test('documentation keeps its title, its lists of links, definitions and all parts of its code', () => {
  const { text, kind } = mainOf(DOCUMENTATION);
  assert.equal(kind, 'other');
  assertHas(text, ['Cookie objects', sentences('cookie'), 'share(name)', 'Shares a cookie.', 'The second part']);
  assertHas(text, ["# a comment\nshare('x')", 'flag meaning']);
  assertLacks(text, ['¶', 'Previous chapter', 'All the news']);
});

test('in a forum the posts are the content, also if they are called comments', () => {
  const { text } = mainOf(FORUM);
  assertHas(text, ['I used salt', 'I used sand', 'I used heat', 'I used patience', 'How do I melt snow?']);
  assertLacks(text, ['Report', 'All the news']);
});

test('a product keeps its description and its data, and loses the other products', () => {
  const { text } = mainOf(PRODUCT);
  assertHas(text, ['Snow shovel', 'it never rusts', 'Weight: 1.2 kg', 'Material Aluminium']);
  assertLacks(text, ['Snow blower', 'Tools', 'Buy it now']);
});

test('a listing keeps its entries with their headings', () => {
  const { text } = mainOf(LISTING);
  assertHas(text, ['Everything about snow', sentences('fog'), 'Everything about wind']);
  assertLacks(text, ['Second page', 'All the news']);
});

test('a page without html and body elements is read as a whole', () => {
  const { text } = mainOf(`<p>${sentences('snow')}<p>${sentences('ice')}`);
  assert.equal(text, `${sentences('snow')}\n${sentences('ice')}`);
});

test('hidden text is not content, unless nearly all of the page is hidden', () => {
  const hidden = `<div style="display: none"><p>${sentences('secret')}</p></div>`;
  const shown = `<div><p>${sentences('snow')}</p><p>${sentences('ice')}</p></div>`;
  assertLacks(mainOf(wrap(shown + hidden)).text, ['secret']);
  assertHas(mainOf(wrap(hidden)).text, ['secret']);
});

test('a name on an element with nearly all the text is no reason to drop it', () => {
  const { text } = mainOf(wrap(`<div class="sidebar-left"><h1>Snow</h1><p>${sentences('snow')}</p></div>`));
  assertHas(text, [sentences('snow')]);
});

test('every kept node but the title heading is in the root, and its parent is kept too', () => {
  for (const html of [ARTICLE, DOCUMENTATION, FORUM, PRODUCT, LISTING]) {
    const tree = treeOf(html);
    const { kept, root, heading } = mainOf(html);
    assert.equal(kept.length, tree.nodes.length);
    for (let at = 0; at < kept.length; at++) {
      if (kept[at] === 0 || at === root || at === heading) continue;
      const parent = tree.nodes[at]?.parent ?? -1;
      if (parent >= 0) assert.equal(kept[parent], 1, `node ${at}`);
    }
  }
});
