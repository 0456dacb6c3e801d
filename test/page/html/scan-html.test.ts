import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hrefs, readPage } from '../read-page.ts';

describe('attributes', () => {
  const spellings: Record<string, string> = {
    'double quotes': '<a href="x">',
    'single quotes': "<a href='x'>",
    'no quotes': '<a href=x>',
    'upper case': '<A HREF="x">',
    'line breaks everywhere': '<a\nhref\r\n=\n"x"\n>',
    'no space between attributes': '<a class="c"href="x"id=i>',
    'a slash for a space': '<a/href="x"/>',
    'a > in another value': '<a title="a > b" href="x">',
    'a stray = before a name': '<a ="y" href=x>',
    'a quote in a name': '<a b"c href=x>',
    'the first of two wins': '<a href=x href=y>',
    'white space around the value': '<a href=" \n x\t">',
    'references to white space': '<a href="&#32;x&#10;">',
  };
  for (const [name, html] of Object.entries(spellings)) {
    test(name, () => assert.deepEqual(hrefs(html), ['x']));
  }

  test('an unquoted value keeps its slash', () => assert.deepEqual(hrefs('<a href=x/>'), ['x/']));
  test('character references need their semicolon where = or a letter follows', () => {
    assert.deepEqual(hrefs('<a href="?a=1&amp;b=2&copy=3&lt4&copy;">'), ['?a=1&b=2&copy=3&lt4©']);
  });
  test('a zero becomes U+FFFD', () => assert.deepEqual(hrefs('<a href="a\0b">'), ['a\ufffdb']));
  test('a tag that is cut off by the end of the document is not a tag', () => {
    for (const html of ['<a href=x', '<a href="x', '<a href="x"', '<a href', '<a', '<a href=']) {
      assert.deepEqual(hrefs(`<a href=first>${html}`), ['first'], html);
    }
  });
  test('an empty href of an <a> is a link to the page itself', () => assert.deepEqual(hrefs('<a href>'), ['']));
  test('an element whose name only begins like a known one has no links', () => {
    assert.deepEqual(hrefs('<ab href=x><parea href=x><imgs src=x><linkx href=x>'), []);
  });
});

describe('elements without markup inside', () => {
  const cases: Record<string, string> = {
    comment: '<!-- <a href=no> --><a href=x>',
    'empty comments': '<!--><a href=x><!---><!-- --!>',
    'comment with --! inside': '<!--!><a href=no>--><a href=x>',
    'bogus comments': '<!a <a href=no><?b <a href=no></ c <a href=no><a href=x>',
    'CDATA in HTML is a bogus comment': '<![CDATA[ <a href=no><a href=x> ]]>',
    'doctype with a > in its identifier': '<!DOCTYPE html PUBLIC "a><a href=x>',
    script: '<script>"<a href=no>"</script><a href=x>',
    'script with an end tag in another case and with attributes': '<script><a href=no></SCRIPT x=">"><a href=x>',
    'script with a longer end tag inside': '<script></scripts><a href=no></script><a href=x>',
    'script inside an escaped script': '<script><!-- <script> </script> <a href=no> --></script><a href=x>',
    'escaped script that ends itself': '<script><!-- </script><a href=x><!-- -->',
    style: '<style><a href=no></style><a href=x>',
    title: '<title><a href=no></title><a href=x>',
    textarea: '<textarea><a href=no></textarea><a href=x>',
    xmp: '<xmp><a href=no></xmp><a href=x>',
    'iframe content': '<iframe><a href=no></iframe><a href=x>',
    plaintext: '<a href=x><plaintext><a href=no></plaintext><a href=no>',
    '< that opens nothing': 'a < b <1 <<a href=x> <>',
  };
  for (const [name, html] of Object.entries(cases)) test(name, () => assert.deepEqual(hrefs(html), ['x']));

  test('an unclosed script hides the rest, as in a browser', () => {
    assert.deepEqual(hrefs('<script><a href=no>'), []);
  });
  test('links in noframes and noembed are for old browsers, and are found after the others', () => {
    assert.deepEqual(hrefs('<noframes><a href=y></noframes><noembed><a href=z></noembed><a href=x>'), ['x', 'y', 'z']);
  });
  test('links in noscript and template are found', () => {
    assert.deepEqual(hrefs('<noscript><a href=x></noscript><template><a href=y></template>'), ['x', 'y']);
  });
});

describe('svg and math', () => {
  test('links by href and by xlink:href', () => {
    assert.deepEqual(hrefs('<svg><a href=x></a><a xlink:href=y></a><image xlink:href=z /></svg>'), ['x', 'y', 'z']);
  });
  test('CDATA is CDATA', () => assert.deepEqual(hrefs('<svg><![CDATA[ > <!-- ]]></svg><a href=x>'), ['x']));
  test('style and title contain markup', () => {
    assert.deepEqual(hrefs('<svg><style><a href=x></style><title><a href=y></title></svg>'), ['x', 'y']);
  });
  test('HTML begins again in foreignObject', () => {
    assert.deepEqual(hrefs('<svg><foreignObject><style><!--</style></foreignObject></svg><a href=x>'), ['x']);
  });
  test('an HTML element ends an svg left open', () => {
    assert.deepEqual(hrefs('<svg><g><p><style><a href=no></style><a href=x>'), ['x']);
    assert.deepEqual(hrefs('<div><svg><g></div><style><a href=no></style><a href=x>'), ['x']);
  });
});

describe('facts of a page', () => {
  test('title is the first one, folded and decoded, and not one of an svg', () => {
    assert.equal(readPage('<svg><title>icon</title></svg><title> A\n &amp; B </title><title>C</title>').title, 'A & B');
  });
  test('og:title and og:description replace a missing title and description', () => {
    const page = readPage('<meta property="og:title" content="T"><meta property="og:description" content="D">');
    assert.deepEqual([page.title, page.description], ['T', 'D']);
    const own = readPage(
      '<meta property="og:title" content="T"><title>own</title><meta name=Description content=" d  e ">',
    );
    assert.deepEqual([own.title, own.description], ['own', 'd e']);
  });
  test('language', () => {
    assert.equal(readPage('<html lang="en-GB"><meta http-equiv=content-language content=de>').language, 'en-GB');
    assert.equal(readPage('<html xml:lang=fr>').language, 'fr');
    assert.equal(readPage('<meta http-equiv=content-language content=de>').language, 'de');
  });
  test('base and canonical: the first of each, as written', () => {
    const page = readPage(
      '<base target=_top><base href=" /b/ "><base href=/c/><link rel="CANONICAL" href=/p><link rel=canonical href=/q>',
    );
    assert.deepEqual([page.base, page.canonical], ['/b/', '/p']);
    assert.deepEqual([readPage('').base, readPage('').canonical], [null, null]);
  });
  test('robots meta elements are kept in order, with the name of their robot', () => {
    const page = readPage(
      '<meta name=ROBOTS content="noindex, nofollow"><meta name=googlebot content=all><meta name=x content=y>',
    );
    assert.deepEqual(page.metaRobots, [
      { name: 'robots', content: 'noindex, nofollow' },
      { name: 'googlebot', content: 'all' },
    ]);
  });
  test('headings with their level', () => {
    assert.deepEqual(readPage('<h1>One <b>two</b></h1><h3>a<h2>b</h2><h4></h4>').headings, [
      { level: 1, text: 'One two' },
      { level: 3, text: 'a' },
      { level: 2, text: 'b' },
    ]);
  });
});

describe('text', () => {
  const text = (html: string) => readPage(html, true).text;
  test('is empty unless asked for', () => assert.equal(readPage('<p>x').text, ''));
  test('white space is folded and blocks are lines', () => {
    assert.equal(
      text('<title>t</title><body> <p>a  b\n<b>c</b>d</p><div>e</div>f<br>g&nbsp;&nbsp;h &lt;i&gt;'),
      'a b cd\ne\nf\ng h <i>',
    );
  });
  test('table cells separate words', () =>
    assert.equal(text('<table><tr><td>a</td><td>b</td></tr><tr><td>c'), 'a b\nc'));
  test('invisible text is omitted', () => {
    assert.equal(
      text(
        'a<script>b</script><style>c</style><template>d<template>e</template>f</template><noscript>g</noscript><textarea>h</textarea><!-- i -->j',
      ),
      'aj',
    );
    assert.equal(text('a<div hidden>b<div>c</div>d</div>e<svg><style>f</style></svg>'), 'a\ne');
  });
  test('a lone < and an unfinished tag', () => assert.equal(text('1 < 2 <b>x</b> <i'), '1 < 2 x'));
  test('letters outside ASCII, and control codes', () => assert.equal(text('日本\0語 é\u0001ü'), '日本 語 é ü'));
});

test('trailing zeros and white space change nothing', () => {
  const html = '<html lang=en><title>t</title><h1>h</h1><p>x <a href=a>b</a> <img src=c alt=d></p><!-- e --></html>';
  const page = readPage(html, true);
  for (const tail of ['\0', '\0'.repeat(1000), ' \n\t ', '<', '<!-- ', '<a href=z', '</a', '<?']) {
    const other = readPage(html + tail, true);
    if (tail === '<') other.text = other.text.replace(/\n<$/, '');
    assert.deepEqual(other, page, JSON.stringify(tail));
  }
});
