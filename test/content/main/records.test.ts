import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeMarkdown } from '../../../src/content/markdown/write-markdown.ts';
import { mainOf, sentences, treeOf, wrap } from './sample-pages.ts';

const thread = (posts: string): string =>
  wrap(`<h1>How to prune</h1><div class="notices">${sentences('notices')}</div><div class="list">${posts}</div>
    <div class="beside"><p>${sentences('beside the thread')}</p></div>`);

const post = (author: string, text: string): string =>
  `<article class="message"><div class="message-user"><h4><a href="/u">${author}</a></h4><dl><dt>Joined</dt><dd>2019</dd>
    </dl></div><div class="message-main"><div class="message-date">4 May 2026</div>
    <div class="message-body">${text}</div><div class="message-foot">Reply, quote</div></div></article>`;

test('of a thread only its title and the texts of its posts are content, also of a post without a sentence', () => {
  const texts = ['pruning', 'apples', 'pears', 'plums', 'figs'].map(sentences).concat('Thanks!');
  const { kind, text } = mainOf(thread(texts.map((each) => post('Gardener', `<p>${each}</p>`)).join('')));
  assert.equal(kind, 'forum');
  assert.equal(text, ['How to prune', ...texts].join('\n'));
});

test('a thread around which the layout has the name of a sidebar is read', () => {
  const posts = ['oaks', 'elms', 'limes'].map((each) => post('Forester', `<p>${sentences(each)}</p>`)).join('');
  const { kind, text } = mainOf(wrap(`<div class="layout has-sidebar"><div>${posts}</div></div>`));
  assert.equal(kind, 'forum');
  assert.ok(text.includes(sentences('limes')) && !text.includes('Forester'));
});

test('answers keep the question beside them', () => {
  const answers = ['frost', 'rain', 'wind'].map(
    (each) =>
      `<div class="answer"><div class="prose">${sentences(each)}</div><div class="user-info"><a href="/u">Ann</a> 12,345</div></div>`,
  );
  const { text } = mainOf(
    wrap(`<div itemscope itemtype="https://schema.org/QAPage"><h1>Why?</h1>
    <div class="question">${sentences('question')}</div><div class="answers">${answers.join('')}</div></div>`),
  );
  assert.ok(text.includes(sentences('question')) && text.includes(sentences('wind')));
  assert.ok(!text.includes('12,345'));
});

test('a listing keeps its items with dates, prices and captions, whatever their elements are called', () => {
  const items = ['Red chair', 'Blue table', 'Green lamp', 'Brown shelf'].map(
    (each) =>
      `<li class="teaser card-17"><div class="caption"><h3><a href="/${each}">${each} for the garden</a></h3>
        <span class="meta">From 4 May, 19.00 euros</span></div></li>`,
  );
  const { kind, text } = mainOf(
    wrap(
      `<h1>Garden furniture</h1><ul class="links">${items.join('')}</ul>`,
      '<meta property="og:type" content="article">',
    ),
  );
  assert.equal(kind, 'listing');
  assert.ok(text.includes('Brown shelf for the garden') && text.includes('19.00 euros'), text);
  assert.ok(text.includes('Garden furniture'), text);
});

test('an article with many linked teasers below it stays an article', () => {
  const teasers = ['one', 'two', 'three', 'four'].map(
    (each) => `<div class="item"><h3><a href="/${each}">Another long story number ${each}</a></h3></div>`,
  );
  const body = ['snow', 'ice', 'thaw', 'spring'].map((each) => `<p>${sentences(each)} ${sentences(each)}</p>`).join('');
  const { kind, text } = mainOf(wrap(`<article><h1>A late winter</h1>${body}</article><div>${teasers.join('')}</div>`));
  assert.equal(kind, 'article');
  assert.ok(!text.includes('Another long story'));
});

test('an article with many comments below it stays an article, and loses them', () => {
  const body = ['snow', 'ice', 'thaw', 'spring'].map((each) => `<p>${sentences(each)} ${sentences(each)}</p>`).join('');
  const comments = Array.from(
    { length: 20 },
    (_, n) =>
      `<li class="comment even"><b><a href="/u/${n}">Commentator number ${n} of this town</a></b> <p>${sentences(`remark ${n}`)}</p></li>`,
  );
  const { kind, text } = mainOf(
    wrap(
      `<h1>A late winter</h1><div>${body}</div><ol>${comments.join('')}</ol>`,
      '<meta property="og:type" content="article">',
    ),
  );
  assert.equal(kind, 'article');
  assert.ok(text.includes(sentences('spring')) && !text.includes('remark'), text);
});

test('columns of a layout with different ids are no items of a listing', () => {
  const links = ['one', 'two', 'three'].map((each) => `<a href="/${each}">Another long story ${each}</a>`).join(' ');
  const body = ['snow', 'ice', 'thaw', 'spring'].map((each) => `<p>${sentences(each)}</p>`).join('');
  const { kind } = mainOf(
    wrap(`<div><div id="alpha"><h1>A late winter</h1>${body} ${links}</div><div id="beta">${links} ${sentences('beta')}</div>
      <div id="gamma">${links} ${sentences('gamma')} ${sentences('more')}</div></div>`),
  );
  assert.notEqual(kind, 'listing');
});

test('the element that microdata marks as the product is the main content of its page', () => {
  const { kind, text } = mainOf(
    wrap(`<div><p>${sentences('delivery')}</p></div><div itemscope itemtype="https://schema.org/Product"><h1>Lamp</h1>
    <p>${sentences('lamp')} ${sentences('light')}</p></div>`),
  );
  assert.equal(kind, 'product');
  assert.ok(text.includes(sentences('lamp')) && !text.includes(sentences('delivery')));
});

test('a dialog about cookies is no content, also if it holds most text of the page', () => {
  const dialog = Array.from({ length: 20 }, (_, i) => `<p>${sentences(`cookies ${i}`)}</p>`).join('');
  const { text } = mainOf(
    wrap(`<main><h1>Lamp</h1><p>${sentences('lamp')} ${sentences('light')}</p></main>
    <div id="onetrust-consent-sdk">${dialog}</div>`),
  );
  assert.ok(text.includes(sentences('lamp')) && !text.includes('cookies'));
});

test('a name that says what is hidden or beside an element does not hide the element', () => {
  for (const name of [
    'field field--label-hidden',
    'layout has-aside',
    'ssr-variant hidden-mobile',
    'page no-sidebar',
  ]) {
    const { text } = mainOf(
      wrap(
        `<main><h1>Winter</h1><div class="side-note"><p>${sentences('rain')} ${sentences('hail')}</p></div>
        <div class="${name}"><p>${sentences('snow')} ${sentences('ice')}</p></div></main>`,
        '<meta property="og:type" content="article">',
      ),
    );
    assert.ok(text.includes(sentences('snow')), name);
  }
  assert.ok(
    !mainOf(wrap(`<p>${sentences('rain')}</p><p class="visually-hidden">Skip the rain.</p>`)).text.includes('Skip'),
  );
});

test('a thread is read whose replies repeat its title and whose page states that it is an article', () => {
  const replies = ['moss', 'ferns', 'ivy'].map(
    (each, n) =>
      `<div id="p17${n}" class="has-user post odd${n}"><h3><a href="/topic?p=17${n}#p17${n}">Re: Plants that need no sun</a></h3>
        <div class="text">${sentences(each)}</div><div class="signature">${sentences(`motto ${n}`)}</div></div>`,
  );
  const { kind, text } = mainOf(
    wrap(
      `<div class="topic-page"><div class="forum-bar topic-bar">Pages 1 2</div><ul class="forum-rules"><li>Be kind.</li></ul>
        <div class="topic-posts">${replies.join('')}</div></div>`,
      '<meta property="og:type" content="article"><meta property="article:published_time" content="2026-05-04">',
    ),
  );
  assert.equal(kind, 'forum');
  assert.equal(text, ['moss', 'ferns', 'ivy'].map(sentences).join('\n'));
});

test('the text for readers without scripts is content if the rest of the page has nearly none', () => {
  const body = ['moss', 'ferns', 'ivy'].map((each) => `<p>${sentences(each)} ${sentences(each)}</p>`).join('');
  const scriptless = `<noscript><main><h1>Shade</h1>${body}</main></noscript>`;
  const html = wrap(`<div id="app">Loading</div>${scriptless}`);
  const { kept, text } = mainOf(html);
  assert.ok(text.includes(sentences('ferns')));
  const markdown = writeMarkdown(treeOf(html), kept, 'https://a.example/');
  assert.ok(markdown.startsWith('# Shade\n\n') && markdown.includes(sentences('ferns')), markdown);
  assert.ok(!mainOf(wrap(`<main><h1>Sun</h1>${body}${body}</main>${scriptless}`)).text.includes('Shade'));
});

test('a product keeps its reviews and its price, and loses delivery, payment and what stands before its title', () => {
  const { kind, text } = mainOf(
    wrap(
      `<div class="page"><div class="trail">You are in the garden</div><h1>Red chair</h1>
        <div class="buy"><span class="price">19.00 euros</span><div class="shipping-info">Comes on Monday</div></div>
        <div class="adFHlH">${sentences('chair')} ${sentences('oak')}</div>
        <div class="payment"><p>${sentences('instalment')}</p></div>
        <div class="comments"><p>${sentences('review')}</p></div></div>`,
      '<meta property="og:type" content="product">',
    ),
  );
  assert.equal(kind, 'product');
  assert.equal(text, `Red chair\n19.00 euros\n${sentences('chair')} ${sentences('oak')}\n${sentences('review')}`);
});

test('cards that are links make a listing, also in the named part of a page that states that it is an article', () => {
  const cards = ['Ada', 'Bo', 'Cleo', 'Dora'].map(
    (each) => `<a class="card promo" href="/${each}"><h2>${each} the cat</h2><div>Age: 4 years and 3 months</div></a>`,
  );
  const { kind, text } = mainOf(
    wrap(
      `<main><h1>Cats</h1><p>${sentences('shelter')}</p><section>${cards.join('')}</section></main>`,
      '<meta property="og:type" content="article">',
    ),
  );
  assert.equal(kind, 'listing');
  assert.ok(text.includes('Dora the cat') && text.includes('Age: 4 years'), text);
});
