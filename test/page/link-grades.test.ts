import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePage } from '../../src/page/page.ts';
import { BROKEN_FOREIGN, randomHtml, randomNumbers } from './random-html.ts';
import { readPage } from './read-page.ts';

/** Parses the page as a crawl that only follows links. */
function readLinks(html: string, wantAnchors = false) {
  const options = { wantText: false, wantAnchors, maxLinks: 1_000 };
  return parsePage(Buffer.from(html), 'text/html; charset=utf-8', '', options).links;
}

describe('E6 visibility', () => {
  const cases: [string, string, number[]][] = [
    ['plain', '<a href=1>x</a>', [1]],
    ['bold around it', '<b><a href=1>x</a></b><a href=2>y</a>', [2, 1]],
    ['strong around it', '<p><STRONG class=x>see <a href=1>x</a></STRONG>', [2]],
    ['italic around it', '<i><a href=1>x</a></i> <em><a href=2>y</a></em> <a href=3>', [2, 2, 1]],
    ['both around it', '<b><em><a href=1>x</a></em><a href=2>y</a></b>', [3, 2]],
    ['bold twice is bold', '<b><strong><a href=1>x</a></strong></b>', [2]],
    ['bold inside it', '<a href=1><b>x</b></a><a href=2>y</a>', [2, 1]],
    ['both inside it', '<a href=1><strong><i>x</i></strong></a>', [3]],
    ['one around, one inside', '<em><a href=1><b>x</b></a><a href=2>y</a></em>', [3, 2]],
    ['emphasis after it', '<a href=1>x</a> <b>bold</b> <a href=2>', [1, 1]],
    ['emphasis after the second of two left open', '<a href=1>x<a href=2>y</a><b>bold</b>', [1, 1]],
    ['an <a> without href', '<a href=1>x</a><a name=n><b>x</b></a>', [1]],
    ['other tags that begin alike', '<big><blockquote><iframe></iframe><embed><a href=1>x</a>', [1]],
    ['end tags too many', '</b></i><a href=1>x</a><b></b></b><a href=2>y</a><b><a href=3>z</a>', [1, 1, 2]],
    ['images and areas', '<b><img src=1><area href=2></b><img src=3>', [2, 2, 1]],
  ];
  for (const [name, html, expected] of cases) {
    test(name, () => {
      for (const wantAnchors of [false, true]) {
        const links = readLinks(html, wantAnchors).filter(({ kind }) => kind !== 'embed' && kind !== 'iframe');
        assert.deepEqual(
          links.map((link) => link.visibility),
          expected,
        );
      }
    });
  }
});

test('E6 position is the third of the page that contains the link, by bytes', () => {
  const links = Array.from({ length: 30 }, (_, n) => `<a href=${100 + n}>x</a>`).join('');
  assert.deepEqual(
    readLinks(links).map((link) => link.position),
    [...Array(10).fill(3), ...Array(10).fill(2), ...Array(10).fill(1)],
  );
  const [first, last] = readLinks(`<a href=1>${'text '.repeat(50)}<a href=2>`);
  assert.deepEqual([first?.position, last?.position], [3, 1]);
});

test('E6 padding at the end of a page does not change the position of links', () => {
  const html = '<a href=1>one</a> and <a href=2>two</a> and <a href=3>three</a>';
  assert.deepEqual(readLinks(html + ' \n\0'.repeat(1_000)), readLinks(html));
});

test('E6 the position of feed entries follows their order, and sitemap entries are in the middle', () => {
  const items = Array.from({ length: 6 }, (_, n) => `<item><link>http://a.test/${n}</link></item>`).join('');
  const rss = parsePage(Buffer.from(`<rss><channel>${items}</channel></rss>`), 'text/xml', '', {
    wantText: false,
    maxLinks: 10,
  });
  assert.deepEqual(
    rss.links.map(({ position, visibility }) => [position, visibility]),
    [3, 3, 2, 2, 1, 1].map((position) => [position, 1]),
  );
  const json = JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    items: [{ url: 'http://a.test/1' }, { url: 'http://a.test/2' }, { url: 'http://a.test/3' }],
  });
  const feed = parsePage(Buffer.from(json), 'application/feed+json', '', { wantText: false, maxLinks: 10 });
  assert.deepEqual(
    feed.links.map((link) => link.position),
    [3, 2, 1],
  );
  const map = '<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url></urlset>';
  const sitemap = parsePage(Buffer.from(map), 'text/xml', '', { wantText: false, maxLinks: 10 });
  assert.deepEqual(
    sitemap.links.map(({ position, visibility }) => [position, visibility]),
    [
      [2, 1],
      [2, 1],
    ],
  );
});

describe('text around a link', () => {
  const around = (html: string) => {
    const options = { wantText: false, wantAnchors: false, wantAround: true, maxLinks: 1_000 };
    return parsePage(Buffer.from(html), 'text/html; charset=utf-8', '', options).links.map((link) => link.around);
  };
  test('is the text before and after the link, without the link text', () =>
    assert.deepEqual(around('<p>Read  <b>more</b> in <a href=1>this <i>one</i></a>, or&nbsp;not &amp; go.'), [
      'Read more in , or not & go.',
    ]));
  test('includes the text of its neighbours', () =>
    assert.deepEqual(around('<li><a href=1>one</a><li><a href=2>two</a><li><a href=3>three</a>'), [
      'two three',
      'one three',
      'one two',
    ]));
  test('ends where the next <a> begins', () =>
    assert.deepEqual(around('a <a href=1>one<a href=2>two</a> z'), ['a two z', 'a one z']));
  test('is visible text only', () =>
    assert.deepEqual(
      around(
        '<nav>n</nav><script>s</script><!-- c --><template>t</template><noscript>u</noscript><svg><text>v</text></svg><a href=1>x</a><style>w</style>',
      ),
      ['n'],
    ));
  test('is at most 60 characters on each side, whole words before it', () => {
    const text = around(`${'word '.repeat(500)}<a href=1>x</a>${' next'.repeat(500)}`)[0] as string;
    assert.equal(text, `${'word '.repeat(12)}${'next '.repeat(12)}`.trimEnd());
    assert.equal(
      around(`${'字'.repeat(999)}<a href=1>x</a>${'é'.repeat(999)}`)[0],
      `${'字'.repeat(60)} ${'é'.repeat(60)}`,
    );
    const faces = around(`${'😀'.repeat(999)}a<a href=1>x</a>`)[0] as string;
    assert.ok(faces.isWellFormed() && faces.length <= 60 && faces.endsWith('😀a'), faces);
  });
  test('is empty unless asked for', () => assert.equal(readPage('text <a href=1>x</a> text').links[0]?.around, ''));
});

test('asking for the text around links changes nothing else, in 3,000 malformed documents', () => {
  const random = randomNumbers(43);
  for (let document = 0; document < 3_000; document++) {
    const html = randomHtml(random, document % 2 === 0 ? [] : BROKEN_FOREIGN);
    for (const wantAnchors of [false, true]) {
      const options = { wantText: document % 3 === 0, wantAnchors, maxLinks: 1_000 };
      const plain = parsePage(Buffer.from(html), 'text/html', '', options);
      const page = parsePage(Buffer.from(html), 'text/html', '', { ...options, wantAround: true });
      for (const link of page.links) link.around = '';
      assert.deepEqual(page, plain, JSON.stringify(html));
    }
  }
});
