import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { MAX_WORDS } from '../../src/page/html/text/collect-words.ts';
import { parsePage, WordCollector } from '../../src/page/page.ts';
import { wordsOf } from '../content/words-of.ts';
import { BROKEN_FOREIGN, randomHtml, randomNumbers } from './random-html.ts';

const OPTIONS = { wantText: false, wantAnchors: false, maxLinks: 1_000 };

/** A collector that also keeps the text. A slash stands between two blocks, and [] around a block of link text. */
class TextCollector extends WordCollector {
  text = '';
  #block = '';
  #isBeside = false;

  override setBeside(isBeside: boolean): void {
    super.setBeside(isBeside);
    this.#isBeside = isBeside;
  }

  override clear(): void {
    super.clear();
    this.#isBeside = false;
    this.text = '';
    this.#block = '';
  }

  override add(from: number, to: number): void {
    super.add(from, to);
    if (!this.#isBeside) this.#block += this.document.toString('utf8', from, to);
  }

  override addPart(bytes: Buffer, from: number, to: number): void {
    super.addPart(bytes, from, to);
    if (!this.#isBeside) this.#block += bytes.toString('utf8', from, to);
  }

  override addGap(character: Buffer): void {
    if (!this.#isBeside) this.#block += character.toString();
  }

  override endText(): void {
    if (!this.#isBeside) this.#block += ' ';
  }

  override endBlock(): void {
    const before = this.blocks;
    super.endBlock();
    this.finish();
    const block = this.#block.replace(/\s+/g, ' ').trim();
    this.#block = '';
    if (this.blocks === before) this.text += block === '' ? '' : ` ${block}`;
    else this.text += `${this.text === '' ? '' : ' / '}${this.linked[before] === 1 ? `[${block}]` : block}`;
  }
}

function contentOf(html: string | Buffer, type = 'text/html; charset=utf-8', words = new TextCollector()): string {
  parsePage(Buffer.from(html as string), type, '', { ...OPTIONS, words });
  return words.text;
}

describe('the content of a page', () => {
  const cases: [string, string, string][] = [
    [
      'text of all blocks',
      '<title>t</title><h1>One</h1><p>two <b>three</b><table><td>4</table>five',
      'One / two three / 4 / five',
    ],
    [
      'no boilerplate',
      '<header>h<p>h</header><nav>n</nav>a<aside>s<nav>n</nav>s</aside>b<footer>f</footer>c',
      'a / b / c',
    ],
    ['nested boilerplate', '<nav>n<nav>m</nav>n</nav>a<header>x</nav>y</header>b', 'a / b'],
    ['<main> ends what was left open', '<nav>n<header>h<main>a</main>b', 'a / b'],
    [
      'nothing invisible',
      'a<script>s</script><style>s</style><template>t</template><noscript>n</noscript><!-- c -->b',
      'a b',
    ],
    ['nothing invisible in boilerplate either', '<nav><template></nav></template>n</nav>a', 'n / a'],
    ['no raw text', 'a<textarea>t</textarea><iframe>i</iframe><xmp>x</xmp>b', 'a b'],
    ['no pictures and formulas', 'a<svg><text>s</text><![CDATA[c]]></svg>b<math><mi>x</mi></math>c', 'a b x c'],
    ['HTML that ends an svg', 'a<svg><p>b', 'a / b'],
    [
      'references decoded, also within a word',
      'caf&eacute; &lt;b&gt; &nbsp;&#65;&#x42; AT&T &copy &notit; &amp',
      'café <b> AB AT&T © ¬it; &',
    ],
    ['a stray <', 'a < b <3', 'a < b <3'],
    ['text at the end', '<p>x</p>end', 'x / end'],
    ['anchors and headings', '<h2>h</h2><a href=x>link</a>', 'h / [link]'],
    ['rows of a table are blocks, cells are not', '<table><tr><td>1<td>2<tr><td>3</table>', '1 2 / 3'],
    ['line breaks and list items end a block, and inline elements do not', 'a<br>b<span> c</span><li>d', 'a / b c / d'],
    [
      'a block with a link and other text is no block of link text',
      '<p><a href=x>a</a> b<p>c <a href=y>d</a>',
      'a b / c d',
    ],
    ['several links are link text', '<p><a href=x>a</a> - <a href=y>b</a><p>c', '[a - b] / c'],
    ['a link around several blocks', '<a href=x><h2>h</h2><p>p</p></a><p>q', '[h] / [p] / q'],
    ['a link that is never closed', '<p>a <a href=x>b<p>c', 'a b / [c]'],
    ['a link without a target', '<p><a>a</a><p>b', '[a] / b'],
  ];
  for (const [name, html, expected] of cases) test(name, () => assert.equal(contentOf(html), expected));

  test('is UTF-8, whatever the encoding of the page is', () =>
    assert.equal(contentOf(Buffer.from('caf\xe9 \x93x\x94', 'latin1'), 'text/html; charset=windows-1252'), 'café “x”'));

  test('starts empty for each page and stays empty for a document that is not HTML', () => {
    const words = new TextCollector();
    assert.equal(contentOf('first <a href=x>', 'text/html', words), 'first');
    assert.equal(contentOf('second', 'text/html', words), 'second');
    assert.equal(contentOf('third', 'text/plain', words), '');
    assert.deepEqual([words.count, words.blocks, words.isCut], [0, 0, false]);
  });

  test('is a hash for each word, the same in every place', () => {
    const words = new WordCollector();
    const html = '<p>One <i>two</i> caf&eacute; 2025<p>TWO, one: &#99;afé;';
    parsePage(Buffer.from(html), 'text/html; charset=utf-8', '', { ...OPTIONS, words });
    assert.deepEqual(words.words.subarray(0, words.count), wordsOf('one two café 2025 two one café'));
    assert.deepEqual([...words.ends.subarray(0, words.blocks)], [4, 7]);
  });

  test('grows, and is cut at its limit', () => {
    const words = new WordCollector();
    const parse = (html: string) => parsePage(Buffer.from(html), 'text/html', '', { ...OPTIONS, words });
    parse('<p>some words '.repeat(50_000));
    assert.deepEqual([words.count, words.blocks, words.isCut], [100_000, 50_000, false]);
    parse(`${'<p>x &amp; y'.repeat(300_000)}<p>more`);
    assert.deepEqual([words.count, words.blocks, words.isCut], [2 * 65_536, 65_536, true]);
    assert.equal(words.ends[words.blocks - 1], words.count);
    for (const text of ['a '.repeat(1_000_000), 'a '.repeat(400_000)]) {
      parse(`${text}<p>more`);
      assert.deepEqual([words.count, words.blocks, words.isCut], [MAX_WORDS, 1, true]);
    }
    // An endless word counts as several words.
    parse(`${'long'.repeat(500_000)}<p>more`);
    assert.ok(words.count < 200, `${words.count} words`);
    assert.deepEqual([words.blocks, words.isCut], [2, false]);
  });
});

test('content is the visible text of 4,000 malformed documents, and asking for it changes nothing else', () => {
  const random = randomNumbers(47);
  const words = new TextCollector();
  let compared = 0;
  for (let document = 0; document < 4_000; document++) {
    // The content and `text` treat the text in svg, math and xmp differently.
    const html = randomHtml(random).replace(/<(svg|math|xmp|plaintext)/gi, '<p ');
    const body = Buffer.from(html);
    const options = { wantText: true, wantAnchors: document % 2 === 0, maxLinks: 1_000 };
    const plain = parsePage(body, 'text/html; charset=utf-8', '', options);
    assert.deepEqual(parsePage(body, 'text/html; charset=utf-8', '', { ...options, words }), plain, html);
    const letters = (text: string) => text.replace(/[\s\0\u00a0/[\]]+/g, '');
    assert.equal(letters(words.text), letters(plain.text), JSON.stringify(html));
    compared += words.count;
    const foreign = Buffer.from(randomHtml(random, BROKEN_FOREIGN));
    assert.deepEqual(parsePage(foreign, '', '', { ...options, words }), parsePage(foreign, '', '', options));
  }
  assert.ok(compared > 4_000, `only ${compared} words compared`);
});

test('each kind of collector can be the first one of a process', () => {
  const module = new URL('../../src/page/page.ts', import.meta.url).href;
  const script = `import { BlockCollector } from '${module}'; new BlockCollector();`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
