import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseMetaRefresh } from '../../src/page/html/refresh.ts';
import { splitSrcset } from '../../src/page/html/srcset.ts';
import { DOCUMENT_LINK_KINDS, LINK_KINDS, parsePage } from '../../src/page/page.ts';
import { hrefs, readPage } from './read-page.ts';

test('each element gives its kind of link, in the order of the page', () => {
  const { links } = readPage(
    '<link rel=canonical href=1><link rel="alternate" hreflang=de href=2><link rel=alternate type="application/rss+xml" href=3 title=News>' +
      '<link rel=next href=4><link rel="shortcut icon" href=5><link rel=stylesheet href=6><link rel="alternate stylesheet" href=7>' +
      '<link rel=sitemap href=8><link rel=preload href=9><meta http-equiv=Refresh content="5; URL=10"><a href=11>t</a><area href=12 alt=t>' +
      '<iframe src=13></iframe><frame src=14><img src=15 alt=t><video src=16 poster=17></video><audio src=18></audio><source src=19 srcset="20 2x">' +
      '<track src=21><embed src=22><object data=23></object><script src=24></script><input type=image src=25><form action=no>',
  );
  assert.deepEqual(
    links.map((link) => `${link.href} ${link.kind}`),
    '1 canonical,2 alternate,3 feed,4 pagination,5 icon,6 stylesheet,7 stylesheet,8 sitemap,9 link,10 meta-refresh,11 a,12 area,13 iframe,14 frame,15 img,16 media,17 img,18 media,19 media,20 img,21 media,22 embed,23 embed,24 script,25 img,no? form'.split(
      ',',
    ),
  );
  assert.equal(links[2]?.text, 'News');
  for (const kind of DOCUMENT_LINK_KINDS) assert.ok(LINK_KINDS.includes(kind));
});

test('W15 nofollow is one of the words of rel, in any case', () => {
  const flags = readPage(
    '<a href=a rel="NoFollow"><a href=b rel="ugc nofollow x"><a href=c rel=nofollowed><a href=d><a href=e rel="x,nofollow">',
  );
  assert.deepEqual(
    flags.links.map((link) => link.nofollow),
    [true, true, false, false, true],
  );
  assert.equal(flags.links[0]?.rel, 'nofollow');
});

describe('link text', () => {
  const text = (html: string) => readPage(html).links.map((link) => link.text);
  test('is folded and decoded', () => assert.deepEqual(text('<a href=x> a\n <b>b&amp;c</b></a>after'), ['a b&c']));
  test('takes the alt of images inside', () =>
    assert.deepEqual(text('<a href=x>a<img src=y alt="b  c">d</a>'), ['a b c d', 'b c']));
  test('has a space between blocks', () =>
    assert.deepEqual(text('<a href=x><div>a</div><p>b</p>c<i>d</i></a>'), ['a b cd']));
  test('ends where the next <a> begins', () => assert.deepEqual(text('<a href=x>a<a href=y>b<a>c'), ['a', 'b']));
  test('is cut at 200 characters, never within a letter', () => {
    assert.equal(text(`<a href=x>${'y'.repeat(300)}</a>`)[0]?.length, 200);
    assert.equal(text(`<a href=x>${'y'.repeat(199)}😀</a>`)[0], 'y'.repeat(199));
  });
});

test('links stop at the limit, and the page says so', () => {
  const links = (count: number) => Array.from({ length: count }, (_, i) => `<a href=${i}>`).join('');
  const page = readPage(`${links(10)}<title>t</title>`, false, 5);
  assert.deepEqual([page.links.length, page.linksTruncated, page.title], [5, true, 't']);
  assert.equal(readPage(links(5), false, 5).linksTruncated, false);
});

test('the limit counts distinct URLs: repeated links and links to sections hide no other link', () => {
  const sections = Array.from({ length: 10_001 }, (_, i) => `<a href="page#${i}">`).join('');
  const page = readPage(`${sections}<a href=other><img src=page><a href=page>`, false, 10_000);
  assert.deepEqual([page.links.at(-3)?.href, page.links.at(-2)?.href, page.linksTruncated], ['page#0', 'other', false]);
  const mixed = readPage('<a href=a><a href=a#1><a href=b><a href=a><a href=b#2><a href=c><a href=d>', false, 3);
  assert.deepEqual([mixed.links.map(({ href }) => href), mixed.linksTruncated], [['a', 'b', 'c'], true]);
  const bangs = '<a href=a#!1><a href=a#!2><a href=b>';
  assert.deepEqual(twoHrefs(bangs, false), ['a#!1', 'b'], 'the fragment is no part of the URL');
  assert.deepEqual(twoHrefs(bangs, true), ['a#!1', 'a#!2']);
});

function twoHrefs(html: string, keepHashbang: boolean): string[] {
  const options = { wantText: false, maxLinks: 2, keepHashbang };
  return parsePage(Buffer.from(html), 'text/html', 'http://site.test/', options).links.map(({ href }) => href);
}

test('srcset in every spelling', () => {
  const cases: [string, string[]][] = [
    ['a.png', ['a.png']],
    ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
    ['a.png, b.png', ['a.png', 'b.png']],
    ['a.png,b.png 2x', ['a.png,b.png']],
    [' ,, a.png 100w,\n\tb.png 200w ,', ['a.png', 'b.png']],
    ['data:image/png;base64,AAAA 1x, b.png', ['data:image/png;base64,AAAA', 'b.png']],
    ['a.png,, b.png', ['a.png', 'b.png']],
    ['a.png (x, y) 1x, b.png', ['a.png', 'b.png']],
    ['', []],
    [',', []],
  ];
  for (const [srcset, urls] of cases) assert.deepEqual(splitSrcset(srcset, 100), urls, srcset);
  assert.equal(splitSrcset('a, '.repeat(1000), 100).length, 100);
  assert.deepEqual(hrefs('<img src=a srcset="b 1x, c&amp;d 2x">', 'img'), ['a', 'b', 'c&d']);
});

test('meta refresh in every spelling that browsers accept', () => {
  const cases: [string, string | null][] = [
    ['0; url=x', 'x'],
    ['0;URL=x', 'x'],
    ["5;url='x y' z", 'x y'],
    ['5;url="x', 'x'],
    ['  1.5 , x', 'x'],
    ['0 x', 'x'],
    ['.5;x', 'x'],
    ['0;url = "x"', 'x'],
    ['0;"x"y', 'x'],
    ['0; urx', 'urx'],
    ['0; url', 'url'],
    ['0; u', 'u'],
    ['3', null],
    ['3;', null],
    ['x', null],
    ['', null],
    ['0url=x', null],
    ['-1;x', null],
  ];
  for (const [content, url] of cases) assert.equal(parseMetaRefresh(content), url, content);
});
