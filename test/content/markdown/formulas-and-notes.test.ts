import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownOf, textOf } from './written-page.ts';

test('formulas of MathML, MathJax, KaTeX, Wikipedia, Sphinx and LaTeX2HTML are written as TeX', () => {
  const source = '<semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics>';
  const cases: readonly (readonly [string, string])[] = [
    [`a <math>${source}</math> b`, 'a $x_1$ b'],
    [`<math display="block">${source}</math>`, '$$\nx_1\n$$'],
    ['<span class="MathJax_Preview">x</span><script type="math/tex">x_1</script>', '$x_1$'],
    ['<script type="math/tex; mode=display">x_1</script>', '$$\nx_1\n$$'],
    [
      `<span class="katex-display"><span class="katex"><span class="katex-mathml"><math>${source}</math></span><span class="katex-html" aria-hidden="true">x1</span></span></span>`,
      '$$\nx_1\n$$',
    ],
    [
      '<span class="mwe-math-mathml-inline" style="display: none"><math alttext="{\\displaystyle x_1}"><mi>x</mi></math></span><img aria-hidden="true" src="x.svg" alt="x">',
      '$x_1$',
    ],
    ['<span class="math notranslate">\\(x_1\\)</span>', '$x_1$'],
    ['<div class="math notranslate">\\[x_1\\]</div>', '$$\nx_1\n$$'],
    ['<img src="i.png" alt="$\\displaystyle x_1$">', '$x_1$'],
    [
      '<math><msup><mi>x</mi><mn>2</mn></msup><mo>≤</mo><mfrac><mn>1</mn><mi>y</mi></mfrac></math>',
      '$x^{2} \\le \\frac{1}{y}$',
    ],
  ];
  for (const [html, markdown] of cases) assert.equal(markdownOf(html), markdown, html);
});

test('footnotes of GitHub, Wikipedia, Sphinx, DocBook and converters of Markdown become footnotes', () => {
  const notes: readonly string[] = [
    'a<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref>1</a></sup><ol><li id="user-content-fn-1"><p>n <a href="#user-content-fnref-1">↩</a></p></li></ol>',
    'a<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">[1]</a></sup><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span class="reference-text">n</span></li></ol>',
    'a<a class="footnote-reference brackets" href="#id2" id="id1">1</a><dl class="footnote brackets"><dt class="label" id="id2"><span class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt><dd><p>n</p></dd></dl>',
    'a<a class="footnote-reference" href="#id2" id="id1">1</a><aside class="footnote" id="id2"><span class="label"><span>[</span><a role="doc-backlink" href="#id1">1</a><span>]</span></span><p>n</p></aside>',
    'a<a href="#ftn.x" class="footnote"><sup class="footnote" id="x">[1]</sup></a><div class="footnotes"><div id="ftn.x" class="footnote"><p><a href="#x" class="para"><sup class="para">[1] </sup></a>n</p></div></div>',
    'a<sup id="fnref:1"><a href="#fn:1" class="footnote-ref">1</a></sup><div class="footnotes"><ol><li id="fn:1"><p>n&#160;<a href="#fnref:1" class="footnote-backref">&#8617;</a></p></li></ol></div>',
  ];
  for (const html of notes) {
    assert.equal(markdownOf(`<p>${html}`).replace(/ +$/gm, ''), 'a[^1]\n\n[^1]: n', html);
    assert.equal(textOf(`<p>${html}`), 'a[1]\n\n[1] n', html);
  }
});

test('a table of contents and its headings are no footnotes, although they link to each other', () => {
  const html = '<ul><li id="t1"><a href="#s1">Intro</a></ul><h2 id="s1"><a href="#t1">Intro</a></h2>';
  assert.equal(
    markdownOf(html),
    '- [Intro](https://site.example/docs/page.html#s1)\n\n## [Intro](https://site.example/docs/page.html#t1)',
  );
});
