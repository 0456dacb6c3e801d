import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeMarkdown } from '../../../src/content/markdown/write-markdown.ts';
import { markdownOf, PAGE_URL, textOf, treeOf } from './written-page.ts';

test('headings have one line, and the sign that links to a heading is left out', () => {
  assert.equal(markdownOf('<h2>A <i>b</i><br>c<a class="headerlink" href="#a">¶</a></h2>'), '## A *b* c');
  assert.equal(markdownOf('<div role="heading" aria-level="3">x</div>'), '### x');
  assert.equal(markdownOf('<h1>C #</h1>'), '# C \\#');
});

test('lists are nested, numbered, and kept apart from the list beside them', () => {
  const html = '<ul><li>a<ol start="3"><li>b<li value="7">c</ol></li><li>d</li></ul><ul><li>e</ul>';
  assert.equal(markdownOf(html), '- a\n\n  3. b\n  7. c\n\n- d\n\n+ e');
  assert.equal(markdownOf('<ol reversed><li>a<li>b</ol>'), '2. a\n1. b');
  assert.equal(markdownOf('<ul><li>a</li><ul><li>b</ul></ul>'), '- a\n\n  - b');
  assert.equal(markdownOf('<ul><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul>'), '- a\n  - b\n- c\n\n  d');
});

test('task lists keep their boxes, and text that looks like a box is escaped', () => {
  assert.equal(markdownOf('<ul><li><input type="checkbox" checked> a<li>[x] b</ul>'), '- [x] a\n- \\[x] b');
});

test('terms are items in bold type with their definitions as content', () => {
  assert.equal(markdownOf('<dl><dt>a<dd>b<dt>c<dt>d<dd>e</dl>'), '- **a**\n\n  b\n\n- **c**\n\n  **d**\n\n  e');
});

test('code blocks keep their text and language, and their fence is longer than any inside', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['<pre><code class="language-js">a  b</code></pre>', 'js'],
    ['<div class="highlight-python3 notranslate"><div class="highlight"><pre>a  b</pre></div></div>', 'python3'],
    ['<div class="highlight highlight-source-js"><pre>a  b</pre></div>', 'js'],
    ['<div class="language-ruby highlighter-rouge"><div class="highlight"><pre>a  b</pre></div></div>', 'ruby'],
    ['<div class="cpp source-cpp"><pre class="de1">a  b</pre></div>', 'cpp'],
    ['<figure data-lang="go"><pre>a  b</pre></figure>', 'go'],
    ['<pre class="sourceCode haskell">a  b</pre>', 'haskell'],
    ['<div class="highlight-default"><pre>\na  b\n</pre></div>', ''],
  ];
  for (const [html, language] of cases) assert.equal(markdownOf(html), `\`\`\`${language}\na  b\n\`\`\``, html);
  assert.equal(markdownOf('<pre>```\nx</pre>'), '````\n```\nx\n````');
  assert.equal(markdownOf('<pre><span class="linenos">1</span>  x<br>y</pre>'), '```\n  x\ny\n```');
});

test('inline code keeps backticks, and links in code stay links', () => {
  assert.equal(markdownOf('<p><code>a ` b</code>'), '`` a ` b ``');
  assert.equal(markdownOf('<code>v&lt;<a href="/t">T</a>&gt;</code>'), '`v<`[`T`](https://site.example/t)`>`');
  assert.equal(markdownOf('<code>lib<em><code>x</code></em></code> <code>y</code>'), '`libx` `y`');
});

test('emphasis is written so that CommonMark reads it, with spaces outside of it', () => {
  assert.equal(markdownOf('a<b> b </b>c'), 'a **b** c');
  assert.equal(markdownOf('<b>a<b>b</b></b><b>c</b><i></i>'), '**abc**');
  assert.equal(markdownOf('<b><i>a</i> b</b> <del>c</del>'), '***a* b** ~~c~~');
  assert.equal(markdownOf('a<b>b:</b>c'), 'a<strong>b:</strong>c');
  assert.equal(markdownOf('<i>a</i><b>b</b>'), '*a*<strong>b</strong>');
  assert.equal(markdownOf('<b>a<p>b</p></b>'), '**a**\n\n**b**');
  assert.equal(
    markdownOf('x<sup>2</sup>, H<sub>2</sub>O, <kbd>Esc</kbd>'),
    'x<sup>2</sup>, H<sub>2</sub>O, <kbd>Esc</kbd>',
  );
});

test('text that Markdown would read as markup is escaped, and other text stays readable', () => {
  assert.equal(markdownOf('<p>*a* `b` [c](d) &lt;e> &amp;lt; f~~g'), '\\*a\\* \\`b\\` [c\\](d) \\<e> \\&lt; f\\~\\~g');
  assert.equal(
    markdownOf('<p>snake_case a[i] x &lt; y AT&amp;T C:\\dir wow!'),
    'snake_case a[i] x < y AT&T C:\\dir wow!',
  );
  for (const text of ['# a', '- a', '+ a', '> a', '---', '===', '| - |'])
    assert.equal(markdownOf(`<p>${text.replace('>', '&gt;')}`), `\\${text}`);
  assert.equal(markdownOf('<p>1. a<br>2) b'), '1\\. a\\\n2\\) b');
  assert.equal(markdownOf('<p>see!<a href="/a">b</a>'), 'see\\![b](https://site.example/a)');
});

test('links are absolute, follow the base of the page, and can be mapped', () => {
  assert.equal(markdownOf('<a href="b.html#c">x]</a>'), '[x\\]](https://site.example/docs/b.html#c)');
  assert.equal(markdownOf('<base href="/other/"><a href="b(1)">x</a>'), '[x](<https://site.example/other/b(1)>)');
  assert.equal(
    markdownOf('<a href="javascript:x()">x</a> <a href="mailto:a@b.example">y</a>'),
    'x [y](mailto:a@b.example)',
  );
  const linkOf = (url: string) => (url.endsWith('/b.html') ? 'b.md' : null);
  assert.equal(
    markdownOf('<a href="b.html">x</a> <a href="c">y</a>', { linkOf }),
    '[x](b.md) [y](https://site.example/docs/c)',
  );
  assert.equal(
    markdownOf('<a href="/b"><h2>x</h2><p>y</p></a>'),
    '## [x](https://site.example/b)\n\n[y](https://site.example/b)',
  );
});

test('images keep alt and title, and images that load late have their address', () => {
  assert.equal(markdownOf('<img src="a.png" alt="a]" title="b">'), '![a\\]](https://site.example/docs/a.png "b")');
  assert.equal(
    markdownOf('<img src="data:x" data-src="/l.png"><noscript><img src="/l.png"></noscript>'),
    '![](https://site.example/l.png)',
  );
  assert.equal(markdownOf('<img src="/t.gif" width="1" height="1">x'), 'x');
});

test('tables have a header row, spans leave places empty, and pipes are escaped', () => {
  const html =
    '<table><caption>C</caption><tr><th>a<th colspan="2">b<tr><td rowspan="2">c|d<td>e<td>f<br>g<tr><td>h<td><p>i<p>j</table>';
  assert.equal(markdownOf(html), 'C\n\n| a | b |  |\n| --- | --- | --- |\n| c\\|d | e | f<br>g |\n|  | h | i<br>j |');
  assert.equal(
    markdownOf('<table><tr><td>a<td>b<tr><td>c<td>d</table>'),
    '|  |  |\n| --- | --- |\n| a | b |\n| c | d |',
  );
});

test('tables that only arrange the page are no tables', () => {
  assert.equal(markdownOf('<table><tr><td>a<td><h2>b</h2><p>c</table>'), 'a\n\n## b\n\nc');
  assert.equal(markdownOf('<table><tr><td>a<td>b</table>'), 'a\n\nb');
  assert.equal(markdownOf('<table role="presentation"><tr><th>a<td>b</table>'), 'a\n\nb');
});

test('quotes, rules, breaks and details', () => {
  assert.equal(markdownOf('<blockquote><p>a<p>b</blockquote><hr>c<br>d'), '> a\n>\n> b\n\n***\n\nc\\\nd');
  assert.equal(
    markdownOf('<details><summary>a</summary>b</details>'),
    '<details>\n\n<summary>\n\na\n\n</summary>\n\nb\n\n</details>',
  );
});

test('hidden elements are left out', () => {
  const html =
    '<p hidden>a</p><p aria-hidden="true">b</p><p style="color:red; DISPLAY : none">c</p><script>d</script>' +
    '<style>e</style><template>f</template><noscript>g</noscript><select><option>h</select><p>i';
  assert.equal(markdownOf(html), 'i');
});

test('only kept nodes are written, with the elements around them', () => {
  const tree = treeOf('<nav>a</nav><ul><li>b</li><li>c</li></ul><p>d');
  const kept = Uint8Array.from(tree.nodes, ({ text }) => (text === 'c' ? 1 : 0));
  assert.equal(writeMarkdown(tree, kept, PAGE_URL), '- c\n');
});

test('plain text has the same content without markup', () => {
  const html =
    '<h1>A</h1><p><b>b</b> 10<sup>6</sup> <a href="/c">c*</a></p><ul><li>d</ul><table><tr><th>e<th>f<tr><td>g<td>h</table><pre>i</pre>';
  assert.equal(textOf(html), 'A\n\nb 10^6 c*\n\n- d\n\ne\tf\ng\th\n\ni');
});

test('a space or a line break in an element of its own separates words', () => {
  const html =
    '<p><code><span>unsigned</span><span class="w"> </span><span>char</span></code> <b>a</b><i> </i><u>b</u>' +
    '<span><b> </b></span>c<span><br></span>d<a href=x> </a>e';
  assert.equal(markdownOf(html), '`unsigned char` **a** b c\\\nd e');
});

test('the line numbers of a listing in a cell of their own are left out, other numbers are not', () => {
  const listing = (numbers: string, code: string) =>
    `<table><tr><td><pre>${numbers}</pre></td> <td><pre>${code}</pre></td></tr></table>`;
  assert.equal(markdownOf(listing('8\n9\n<span>10</span>', 'a\nb\nc')), '```\na\nb\nc\n```');
  assert.equal(markdownOf(listing('8\n10\n', 'a')), '```\n8\n10\n```\n\n```\na\n```');
  assert.equal(markdownOf('<table><tr><td><pre>1\n2</pre></table>'), '```\n1\n2\n```');
});
