/** Pages of the kinds that the extraction must handle, each with the usual parts around its content. */

import { findMainContent, type MainContent, type MainContentOptions } from '../../../src/content/main/main-content.ts';
import { PageTree } from '../../../src/content/page-tree.ts';
import { outlinePage } from '../../../src/page/outline/outline.ts';

export function treeOf(html: string): PageTree {
  const outline = outlinePage(Buffer.from(html), 'text/html; charset=utf-8');
  if (outline === null) throw new Error('The page has no outline.');
  return new PageTree(outline);
}

export function mainOf(html: string, options: MainContentOptions = {}): MainContent {
  return findMainContent(treeOf(html), options);
}

/** A paragraph that looks like prose. */
export function sentences(subject: string): string {
  return `The ${subject} came late this year, and nobody in the town had expected it. When it arrived, people went out to see the ${subject}, and they talked about it for weeks.`;
}

const MENU = `<nav><ul><li><a href="/">Home</a></li><li><a href="/news">All the news</a></li></ul></nav>`;
const FOOTER = `<div id="footer"><p>Copyright 2024 by the makers of this page, all rights reserved.</p></div>`;

export function wrap(content: string, head = ''): string {
  return `<!doctype html><html><head><title>The page</title>${head}</head><body>${MENU}${content}${FOOTER}</body></html>`;
}

export const ARTICLE = wrap(
  `<div class="cookie-banner"><p>We use cookies to give you the best experience, please accept them all.</p></div>
<div class="wrapper"><div class="left"><h1>A late winter</h1><div class="byline">By Jane Doe, 3 March 2024</div>
<div class="story"><p>${sentences('snow')}</p><div class="share-buttons"><a href="#">Share</a> on every network</div>
<p>${sentences('ice')}</p><h2>What came next</h2><ul><li>The first thaw, at the end of March.</li><li>The flood, in April.</li></ul>
<pre>a  = 1
b  = 2</pre><figure><img src="a.jpg"><figcaption>The river in March. Photo: J. Doe</figcaption></figure>
<table><tr><th>Month</th><th>Snow</th></tr><tr><td>March</td><td>40 cm</td></tr></table>
<p>${sentences('thaw')}</p><p><a href="/other">Read our other story about the summer of last year</a></p></div>
<div class="related"><h3>Related articles</h3><ul><li><a href="/a">The first story</a></li><li><a href="/b">The second</a></li></ul></div>
<div id="comments"><p>${sentences('comment')}</p><p>${sentences('troll')}</p></div></div>
<aside><p>${sentences('sidebar')}</p></aside></div>`,
  '<meta property="og:type" content="article">',
);

export const DOCUMENTATION = wrap(
  `<div class="sphinxsidebar"><ul><li><a href="a">Previous chapter</a></li><li><a href="b">Next chapter</a></li></ul></div>
<div class="document"><div class="body" role="main"><section id="cookie-objects"><h1>Cookie objects<a class="headerlink" href="#x">¶</a></h1>
<p>${sentences('cookie')}</p><dl><dt id="share">share(<em>name</em>)</dt><dd><p>Shares a cookie.</p></dd></dl>
<div class="highlight"><pre><span class="comment"># a comment</span>
share('x')</pre></div><ul><li><a href="c">The first part</a></li><li><a href="d">The second part</a></li></ul>
<table><tr><td>flag</td><td>meaning</td></tr></table></section></div></div>`,
);

export const FORUM = wrap(
  `<h1>How do I melt snow?</h1><div class="thread">${['salt', 'sand', 'heat', 'patience']
    .map(
      (way) =>
        `<div class="comment"><div class="avatar"><img src="x.png"></div><time>3 March</time><div class="comment-body"><p>I used ${way}. ${sentences(way)}</p></div><div class="actions"><a href="#">Reply</a> <a href="#">Report</a></div></div>`,
    )
    .join('')}</div>`,
);

export const PRODUCT = wrap(
  `<div class="breadcrumbs"><a href="/">Shop</a> <a href="/t">Tools</a></div><div class="product"><h1>Snow shovel</h1>
<div class="price">24.90 EUR</div><button>Buy it now</button>
<div class="description"><p>A light shovel of aluminium. It lifts a lot of snow, and it never rusts.</p>
<ul><li>Weight: 1.2 kg</li><li>Length: 130 cm</li></ul></div>
<table class="specs"><tr><th>Material</th><td>Aluminium</td></tr><tr><th>Colour</th><td>Red</td></tr></table></div>
<div class="recommendations"><a href="/1">Snow blower</a> <a href="/2">Ice scraper</a></div>`,
  '<meta property="og:type" content="product">',
);

export const LISTING = wrap(
  `<div id="results">${['snow', 'ice', 'rain', 'wind', 'fog']
    .map(
      (topic) =>
        `<div class="result"><h2><a href="/${topic}">Everything about ${topic}</a></h2><p>${sentences(topic)}</p></div>`,
    )
    .join('')}</div><div class="pagination"><a href="?2">Second page</a> <a href="?3">Third page</a></div>`,
);
