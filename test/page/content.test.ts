import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_CONTENT_BYTES } from '../../src/page/html/text/listen-content.ts';
import { ContentText, parsePage } from '../../src/page/page.ts';
import { BROKEN_FOREIGN, randomHtml, randomNumbers } from './random-html.ts';

const OPTIONS = { wantText: false, wantAnchors: false, maxLinks: 1_000 };

function contentOf(html: string | Buffer, type = 'text/html; charset=utf-8', content = new ContentText()): string {
  parsePage(Buffer.from(html as string), type, '', { ...OPTIONS, content });
  return content.bytes.toString().replace(/\s+/g, ' ').trim();
}

describe('the content of a page', () => {
  const cases: [string, string, string][] = [
    [
      'text of all blocks',
      '<title>t</title><h1>One</h1><p>two <b>three</b><table><td>4</table>five',
      'One two three 4 five',
    ],
    ['no boilerplate', '<header>h<p>h</header><nav>n</nav>a<aside>s<nav>n</nav>s</aside>b<footer>f</footer>c', 'a b c'],
    ['nested boilerplate', '<nav>n<nav>m</nav>n</nav>a<header>x</nav>y</header>b', 'a b'],
    ['<main> ends what was left open', '<nav>n<header>h<main>a</main>b', 'a b'],
    [
      'nothing invisible',
      'a<script>s</script><style>s</style><template>t</template><noscript>n</noscript><!-- c -->b',
      'a b',
    ],
    ['nothing invisible in boilerplate either', '<nav><template></nav></template>n</nav>a', 'n a'],
    ['no raw text', 'a<textarea>t</textarea><iframe>i</iframe><xmp>x</xmp>b', 'a b'],
    ['no pictures and formulas', 'a<svg><text>s</text><![CDATA[c]]></svg>b<math><mi>x</mi></math>c', 'a b x c'],
    ['HTML that ends an svg', 'a<svg><p>b', 'a b'],
    [
      'references decoded',
      'caf&eacute; &lt;b&gt; &nbsp;&#65;&#x42; AT&T &copy &notit; &amp',
      'caf é < b > A B AT &T © ¬it; &',
    ],
    ['a stray <', 'a < b <3', 'a < b <3'],
    ['text at the end', '<p>x</p>end', 'x end'],
    ['anchors and headings', '<h2>h</h2><a href=x>link</a>', 'h link'],
  ];
  for (const [name, html, expected] of cases) test(name, () => assert.equal(contentOf(html), expected));

  test('is UTF-8, whatever the encoding of the page is', () =>
    assert.equal(contentOf(Buffer.from('caf\xe9 \x93x\x94', 'latin1'), 'text/html; charset=windows-1252'), 'café “x”'));

  test('starts empty for each page and stays empty for a document that is not HTML', () => {
    const content = new ContentText();
    assert.equal(contentOf('first', 'text/html', content), 'first');
    assert.equal(contentOf('second', 'text/html', content), 'second');
    assert.equal(contentOf('third', 'text/plain', content), '');
  });

  test('grows, and is cut at its limit', () => {
    const content = new ContentText();
    parsePage(Buffer.from('<p>word '.repeat(50_000)), 'text/html', '', { ...OPTIONS, content });
    assert.equal(content.bytes.toString('latin1'), 'word  '.repeat(50_000));
    parsePage(Buffer.from(`${'<p>x'.repeat(9)}${'long'.repeat(MAX_CONTENT_BYTES)}<p>more`), 'text/html', '', {
      ...OPTIONS,
      content,
    });
    assert.equal(content.bytes.length, MAX_CONTENT_BYTES);
    assert.ok(content.bytes.toString('latin1').startsWith('x x x x x x x x xlonglong'));
  });
});

test('content is the visible text of 4,000 malformed documents, and asking for it changes nothing else', () => {
  const random = randomNumbers(47);
  const content = new ContentText();
  let bytes = 0;
  for (let document = 0; document < 4_000; document++) {
    // ContentText and `text` treat the text in svg, math and xmp differently.
    const html = randomHtml(random).replace(/<(svg|math|xmp|plaintext)/gi, '<p ');
    const body = Buffer.from(html);
    const options = { wantText: true, wantAnchors: document % 2 === 0, maxLinks: 1_000 };
    const plain = parsePage(body, 'text/html; charset=utf-8', '', options);
    assert.deepEqual(parsePage(body, 'text/html; charset=utf-8', '', { ...options, content }), plain, html);
    const letters = (text: string) => text.replace(/[\s\0\u00a0]+/g, '');
    assert.equal(letters(content.bytes.toString()), letters(plain.text), JSON.stringify(html));
    bytes += content.bytes.length;
    const foreign = Buffer.from(randomHtml(random, BROKEN_FOREIGN));
    assert.deepEqual(parsePage(foreign, '', '', { ...options, content }), parsePage(foreign, '', '', options));
  }
  assert.ok(bytes > 20_000, `only ${bytes} bytes compared`);
});
