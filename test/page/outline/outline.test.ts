import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { OutlineNode } from '../../../src/core/page/page-outline.ts';
import { outlinePage } from '../../../src/page/outline/outline.ts';
import { randomHtml, randomNumbers } from '../random-html.ts';
import { randomPage } from '../random-page.ts';

const outline = (html: string, type = 'text/html; charset=utf-8') => outlinePage(Buffer.from(html), type)!;

/** Lines such as `level name` or `level "text"`, without white space between elements. */
function linesOf(nodes: readonly OutlineNode[]): string[] {
  const lines: string[] = [];
  for (const { kind, level, name, attributes, text } of nodes) {
    if (kind === 'element') lines.push([level, name, ...attributes].join(' '));
    else if (kind === 'comment' || text.trim() !== '') lines.push(`${level} ${kind} ${JSON.stringify(text)}`);
  }
  return lines;
}

/** The same lines for a browser's tree. */
function linesOfTree(html: string): string[] {
  const lines: string[] = [];
  const document = parse(html, { scriptingEnabled: false });
  const waiting = document.childNodes.map((node) => ({ node, level: 1 })).toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, level } = next;
    const children: DefaultTreeAdapterTypes.ChildNode[] =
      node.nodeName === 'template' && 'content' in node
        ? node.content.childNodes
        : 'childNodes' in node
          ? node.childNodes
          : [];
    if ('tagName' in node) {
      lines.push([level, node.tagName, ...node.attrs.flatMap(({ name, value }) => [name, value])].join(' '));
    } else if (node.nodeName === '#text' && 'value' in node) {
      if (node.value.trim() !== '') lines.push(`${level} text ${JSON.stringify(node.value)}`);
    } else if ('data' in node) lines.push(`${level} comment ${JSON.stringify(node.data)}`);
    waiting.push(...children.map((child) => ({ node: child, level: level + 1 })).toReversed());
  }
  return lines;
}

describe('an outline has the elements, texts and levels of a browser', () => {
  const wrap = (body: string) => `<!doctype html><html><head><title>t</title></head><body>${body}</body></html>`;
  const documents: Record<string, string> = {
    'end tags left out': wrap(
      '<ul><li>a<li>b<ul><li>c</ul><li>d</ul><dl><dt>a<dd>b<dt>c<dd>d</dl><p>a<p>b<div>c</div>',
    ),
    'tables without end tags': wrap(
      '<table><caption>c<colgroup><col><col><thead><tr><th>a<th>b<tbody><tr><td>1<td>2<tr><td><table><tbody><tr><td>x</table><tfoot><tr><td>f</table>after',
    ),
    'options and ruby': wrap(
      '<select><optgroup label=a><option>1<option>2<optgroup label=b><option>3</select><ruby>a<rp>(<rt>b<rp>)</ruby>',
    ),
    'head ended by content': '<html><head><title>t</title><meta name=a content=b><body><p>x</body></html>',
    'void elements': wrap('a<br>b<hr><img src=x alt="y > z"><input disabled value=\'1\'>c<wbr>d'),
    'raw text': wrap(
      '<script>if (a < b) "<p>"</script><style>a > b {}</style><textarea>a &amp; <b></textarea><iframe><p></iframe>',
    ),
    'headings in each other': wrap('<h1>a<h2>b</h2><h3>c</h4>d'),
    'stray end tags': wrap('a</div>b</section></span>c</p>d</br>e</li><p>f</ul>'),
    'svg and math': wrap(
      '<svg width="1"><title>t</title><path d="M0"/><g><desc>x<b>y</b></desc></g><![CDATA[ < ]]></svg><math><mi>x</mi><mo>&lt;</mo></math>z',
    ),
    'svg ended by a paragraph': wrap('<div><svg><g><p>x</p></div>y'),
    comments: wrap('<!-- a --><!-->x<!--->y<!--b--!>z<!x><?php a ?></ b></>'),
    'buttons and anchors': wrap('<a href=1>x<a href=2>y</a><p><button>b<p>c</button>d'),
    'attributes of all shapes': wrap('<a HREF = x\n id="y&amp;z&copy=1" data-é=ü / empty="" title=\'"\' x=/>t</a>'),
    'a template': wrap('<template><tr><td>x</td></tr><p>y</template>z'),
    'custom elements': wrap('<my-card><slot-x>a</slot-x></my-card></other-x>b'),
  };
  for (const [name, html] of Object.entries(documents)) {
    test(name, () =>
      assert.deepEqual(
        linesOf(outline(html).nodes).filter((line) => !line.startsWith('0 ')),
        linesOfTree(html),
      ),
    );
  }

  test('2,000 generated pages', () => {
    const random = randomNumbers(7);
    let nodes = 0;
    for (let round = 0; round < 2_000; round++) {
      const html = randomPage(random);
      const lines = linesOf(outline(html).nodes).filter((line) => !line.startsWith('0 '));
      assert.deepEqual(lines, linesOfTree(html), html);
      nodes += lines.length;
    }
    assert.ok(nodes > 40_000, `${nodes} nodes`);
  });
});

test('the parent of a node is the element around it, and stands before it', () => {
  const random = randomNumbers(8);
  for (let round = 0; round < 3_000; round++) {
    const { nodes } = outline(round % 2 === 0 ? randomHtml(random) : randomPage(random));
    for (const [at, node] of nodes.entries()) {
      if (node.level <= 1) assert.equal(node.parent, -1);
      else {
        assert.ok(node.parent >= 0 && node.parent < at);
        assert.equal(nodes[node.parent]!.kind, 'element');
        assert.equal(nodes[node.parent]!.level, node.level - 1);
      }
    }
  }
});

describe('no byte is lost', () => {
  const same = (a: string | Buffer, b: string | Buffer, type = 'text/html; charset=utf-8') => {
    const of = (body: string | Buffer) => JSON.stringify(outlinePage(Buffer.from(body as string), type));
    return of(a) === of(b);
  };

  test('a changed byte changes the outline, unless a browser shows the same', () => {
    const random = randomNumbers(9);
    let changed = 0;
    for (let round = 0; round < 4_000; round++) {
      const before = randomPage(random);
      const at = Math.floor(random() * before.length);
      const after = before.slice(0, at) + String.fromCharCode(32 + Math.floor(random() * 95)) + before.slice(at + 1);
      if (!same(before, after)) changed++;
      // The tree also contains the doctype and text that is only white space.
      else assert.deepEqual(linesOfTree(after), linesOfTree(before), `${before}\n${after}`);
    }
    assert.ok(changed > 2_500, `${changed} of 4,000 changes seen`);
  });

  test('bytes that are not UTF-8 stay different in the outline', () => {
    assert.ok(!same(Buffer.from('<p>f\xfcr', 'latin1'), Buffer.from('<p>f\xe4r', 'latin1')));
    assert.ok(!same(Buffer.from('<p>\xe9t\xe9', 'latin1'), Buffer.from('<p>été')));
    assert.ok(same(Buffer.from('<p>été'), Buffer.from('<p>été')));
  });

  test('bytes that are invalid in another charset stay different in the outline', () => {
    const type = 'text/html; charset=shift_jis';
    assert.ok(!same(Buffer.from('<p>a\xfdb', 'latin1'), Buffer.from('<p>a\xfeb', 'latin1'), type));
  });

  test('a tag that the document ends in, and a doctype', () => {
    assert.ok(!same('<p>x<a href="1', '<p>x<a href="2'));
    assert.ok(!same('<!doctype html><p>x', '<!doctype htm><p>x'));
    assert.ok(!same('<!doctype html><p>x', '<!--doctype html--><p>x'));
  });

  test('formatting that ends in the wrong order', () => {
    assert.ok(!same('<b><p>x</b>y', '<b><p>x</b></b>y'));
    assert.ok(!same('<b><i>x</b><p>y</i>z', '<b><i>x</b><p>yz</i>'));
  });

  test('line ends and white space inside tags do not count', () => {
    assert.ok(same('<p\r\n class=a >x\r\ny\rz', '<p class="a">x\ny\nz'));
    assert.ok(!same('<p>x\ny', '<p>x y'));
  });

  test('content beyond the limits', () => {
    const many = '<i>x</i>'.repeat(120_000);
    const cut = outline(`<p>${many}end`);
    assert.equal(cut.isCut, true);
    assert.ok(cut.nodes.length <= 200_003, `${cut.nodes.length} nodes`);
    assert.ok(!same(`<p>${many}end`, `<p>${many}enD`));
    const wide = `<p ${'a '.repeat(500_000)}`;
    assert.ok(!same(`${wide}b>x`, `${wide}c>x`));
    assert.ok(outline(`${wide}b>x`).nodes.length < 3);
    const deep = '<div>'.repeat(600);
    assert.ok(!same(`${deep}<i></i></b>`, `${deep}<i></b></i>`));
  });
});

test('levels go no deeper than the limit', () => {
  const { nodes } = outline(`${'<div>'.repeat(2_000)}x${'</div>'.repeat(2_000)}<p>y`);
  assert.equal(Math.max(...nodes.map(({ level }) => level)), 514);
  assert.deepEqual(linesOf(nodes).slice(-2), ['1 p', '2 text "y"']);
});

test('XHTML: elements that close themselves, CDATA', () => {
  const html =
    '<?xml version="1.0"?><html xmlns="x"><body><div/><script src="a"/><p>x<![CDATA[<b>]]></p></body></html>';
  assert.deepEqual(linesOf(outline(html, 'application/xhtml+xml').nodes).slice(2), [
    '2 body',
    '3 div',
    '3 script src a',
    '3 p',
    '4 text "x<b>"',
  ]);
});

test('a document that is not HTML has no outline', () => {
  assert.equal(outlinePage(Buffer.from('{}'), 'application/json'), null);
  assert.equal(outlinePage(Buffer.from('<rss></rss>'), 'text/html'), null);
  assert.equal(outlinePage(Buffer.from('<urlset/>'), 'application/xml'), null);
  assert.equal(outlinePage(Buffer.from('plain'), 'text/plain'), null);
  assert.equal(outlinePage(Buffer.from('\x89PNG'), 'image/png'), null);
  assert.deepEqual(outlinePage(Buffer.alloc(0), 'text/html')!.nodes, []);
});

describe('ten megabytes of one trick take time in proportion', () => {
  const tricks: Record<string, string> = {
    'less-than signs': '<'.repeat(1e7),
    elements: '<div>'.repeat(2e6),
    'end tags': '</div>'.repeat(1.5e6),
    'end tags that end nothing': `<div><table><tr><td>${'<span>'.repeat(500)}${'</div>'.repeat(150_000)}`,
    'bold end tags': `<b><p>${'<i>'.repeat(500)}${'</b>'.repeat(150_000)}`,
    'names of their own': Array.from({ length: 500_000 }, (_, at) => `<x${at}>`).join(''),
    items: '<li>'.repeat(2e6),
    'items in spans': `<ul><li>${'<span>'.repeat(500)}${'<dd></dd>'.repeat(150_000)}`,
    'cells without a row': `<table><tr><td>${'<b>'.repeat(400)}${'<td>'.repeat(150_000)}`,
    'texts between stray end tags': 'x</div>'.repeat(1e6),
    comments: '<!--'.repeat(1e6),
    'unfinished tags': '<a '.repeat(1e6),
    svgs: '<svg><g>'.repeat(1e6),
    paragraphs: '</p>'.repeat(1e6),
    attributes: `<a ${'b=c '.repeat(2e6)}href=x>`,
    'broken bytes': '\xff'.repeat(4e6),
  };
  for (const [name, html] of Object.entries(tricks)) {
    test(name, () => {
      const start = process.cpuUsage().user;
      const { nodes } = outlinePage(Buffer.from(html, 'latin1'), 'text/html')!;
      const seconds = (process.cpuUsage().user - start) / 1e6;
      // One tag may end a whole stack of elements.
      assert.ok(nodes.length <= 201_000);
      assert.ok(seconds < 20, `${seconds} s`);
    });
  }
});

test('random bytes never throw', () => {
  const random = randomNumbers(10);
  for (let round = 0; round < 3_000; round++) {
    const body = Buffer.from(Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256)));
    for (const type of ['text/html', '', 'application/xhtml+xml', 'text/html; charset=utf-16']) outlinePage(body, type);
  }
});
