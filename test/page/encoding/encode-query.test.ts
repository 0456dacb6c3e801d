import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { resolverFor } from '../../../src/crawl/links/link-forms.ts';
import { encodeQuery } from '../../../src/page/encoding/legacy-codec.ts';
import { parsePage } from '../../../src/page/page.ts';
import { UrlNormalizer } from '../../../src/url/normalize.ts';
import { encodeLegacy } from '../encode-legacy.ts';

/** SHA-256 (24 digits) of the query of an http link with every character up to U+101FF, as Chromium 156 encodes it. */
const CHROMIUM: Record<string, string> = {
  'iso-8859-7': 'ec9c8de5b89b13bd79d45c5b',
  'koi8-u': 'f4ec81e772920b6fd4737231',
  macintosh: '85105f79d632c4c0def8531d',
  'windows-1251': 'a0011ac3865e8ffdb8238256',
  'windows-1252': '1552fa3589d0be2fce08a4b8',
  'windows-1258': 'a2ac47437703bccab151ae9b',
  'x-mac-cyrillic': '18278b2d735e1bd2f04ba2c4',
  gbk: '652e49bb318a111e86ad49e7',
  gb18030: 'ef9774af42a00d6cb2893bae',
  big5: 'b4ae4303c0d54e94e8ea5561',
  'euc-jp': '7e1e46f0cdc1bb85c858e244',
  'iso-2022-jp': 'd0ffc3d5d2b66010617f2808',
  shift_jis: '4663ab3307a625c571b6992f',
  'euc-kr': '775ffb71ce45cb30bcb9cd7a',
};

test('every character of a query is encoded as in a browser', () => {
  const characters = Array.from({ length: 0x10200 }, (_, code) => code)
    .filter((code) => code > 0x20 && code !== 0x23 && (code < 0xd800 || code > 0xdfff))
    .map((code) => String.fromCodePoint(code));
  for (const [encoding, hash] of Object.entries(CHROMIUM)) {
    const query = new URL(encodeQuery(`?${characters.join('&')}`, encoding), 'http://site.test/').search;
    assert.equal(createHash('sha256').update(query).digest('hex').slice(0, 24), hash, encoding);
  }
});

function linksOf(html: string, encoding: string, contentType = `text/html; charset=${encoding}`): (string | null)[] {
  const url = 'http://site.test/dir/page';
  const page = parsePage(encodeLegacy(html, encoding), contentType, url, { wantText: false, maxLinks: 100 });
  const resolve = resolverFor(page, url, new UrlNormalizer(), 2_000);
  return page.links.map((link) => resolve(link.href));
}

test('the query of a link is in the encoding of its page, all else is UTF-8', () => {
  assert.deepEqual(
    linksOf(
      '<a href="/я?q=я&amp;x=&#8364;#я">1</a><a href="?é=&#233;&#26085;">2</a><a href="ж">3</a>'.replace('é', 'э'),
      'windows-1251',
    ),
    [
      'http://site.test/%D1%8F?q=%FF&x=%88',
      'http://site.test/dir/page?%FD=%26%23233%3B%26%2326085%3B',
      'http://site.test/dir/%D0%B6',
    ],
  );
  assert.deepEqual(linksOf('<a href="http://other.test/?q=日&#10;本">', 'shift_jis'), [
    'http://other.test/?q=%93%FA%96{',
  ]);
  assert.deepEqual(linksOf('<meta charset=iso-8859-15><a href="?q=&euro;&oelig;">', 'iso-8859-15', 'text/html'), [
    'http://site.test/dir/page?q=%A4%BD',
  ]);
  assert.deepEqual(linksOf('<base href="/b/?é"><a href="?ü">1</a><a href="">2</a>', 'windows-1252'), [
    'http://site.test/b/?%FC',
    'http://site.test/b/?%E9',
  ]);
});

test('queries of UTF-8, UTF-16 and XML documents are UTF-8', () => {
  const html = '<a href="?q=é">';
  const url = 'http://site.test/';
  const feed =
    '<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>http://site.test/?q=é</loc></url></urlset>';
  for (const [body, type] of [
    [Buffer.from(html), 'text/html; charset=utf-8'],
    [Buffer.from(html, 'utf16le'), 'text/html; charset=utf-16le'],
    [Buffer.from(feed, 'latin1'), 'application/xml'],
  ] as const) {
    const page = parsePage(body, type, url, { wantText: false, maxLinks: 100 });
    const resolve = resolverFor(page, url, new UrlNormalizer(), 2_000);
    assert.deepEqual(
      page.links.map((link) => resolve(link.href)),
      ['http://site.test/?q=%C3%A9'],
      type,
    );
  }
});
