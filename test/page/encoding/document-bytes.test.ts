import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DocumentBytes } from '../../../src/page/encoding/document-bytes.ts';
import { foldText } from '../../../src/page/html/text/fold-text.ts';
import { parsePage } from '../../../src/page/page.ts';
import { randomNumbers } from '../random-html.ts';
import { hrefs, readPage } from '../read-page.ts';

/** Bytes that begin, continue or break off UTF-8 sequences, among letters and white space. */
const PIECES = [
  'a',
  'b c',
  ' ',
  '  ',
  '\n',
  '\xc3',
  '\xa9',
  '\xc2\xa0',
  '\xc2',
  '\xe2\x82\xac',
  '\xe2\x82',
  '\xf0\x9f',
];

test('slices are decoded as in the whole document, including broken sequences', () => {
  const random = randomNumbers(5);
  for (let round = 0; round < 3_000; round++) {
    let written = '';
    for (let piece = Math.floor(random() * 8); piece >= 0; piece--)
      written += PIECES[Math.floor(random() * PIECES.length)];
    const body = Buffer.from(`<title>${written}</title><a href="x${written}x">${written}</a><p>${written}`, 'latin1');
    const page = parsePage(body, 'text/html; charset=utf-8', '', { wantText: true, maxLinks: 10 });
    const [, title = '', href = '', anchor = '', text = ''] =
      /<title>([^<]*)<\/title><a href="([^"]*)">([^<]*)<\/a><p>([^<]*)/.exec(body.toString('utf8')) ?? [];
    assert.equal(page.title, foldText(title, 1_000));
    assert.equal(page.links[0]?.href, href);
    assert.equal(page.links[0]?.text, foldText(anchor, 1_000));
    assert.equal(
      page.text,
      [anchor, text]
        .map((part) => foldText(part, 1_000))
        .filter((part) => part !== '')
        .join('\n'),
    );
  }
});

test('no-break spaces are white space, other letters that begin with the same byte are not', () => {
  assert.equal(readPage('<p>a\u00a0 b\u00a0<p>\u00a0c ©\u00a0© d', true).text, 'a b\nc © © d');
});

test('a name with letters outside ASCII is not a known name', () => {
  // The last bits of each name equal those of a known name: br, li.
  assert.equal(readPage('a<cò>b</mé>c', true).text, 'abc');
  assert.deepEqual(hrefs('<a hréf=no href=x>'), ['x']);
});

test('an end tag whose name is a zero is a bogus comment', () => {
  assert.deepEqual(hrefs('</\0 <a href=no><a href=x>'), ['x']);
});

test('references are decoded according to their place', () => {
  const document = new DocumentBytes(Buffer.from('é&copy=1\0'));
  const { length } = document.bytes;
  const marks = document.marksOf(0, length);
  assert.equal(document.raw(0, length), 'é&copy=1\0');
  assert.equal(document.text(0, length), 'é©=1\0');
  assert.equal(document.attribute(0, length, marks), 'é&copy=1\ufffd');
});
