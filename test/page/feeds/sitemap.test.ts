import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parsePage } from '../../../src/page/page.ts';

const URLSET = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand --><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> http://a.test/?x=1&amp;y=2 </loc><lastmod>2024-05-06</lastmod><priority>0.5</priority></url>
<url><loc><![CDATA[http://a.test/?p&q]]></loc></url><url><lastmod>2024</lastmod></url></urlset>`;

function read(body: Buffer | string, type = 'application/xml', url = 'http://a.test/sitemap.xml', maxLinks = 100_000) {
  return parsePage(Buffer.from(body as Buffer), type, url, { wantText: false, maxLinks });
}

const summary = (page: ReturnType<typeof read>) =>
  page.links.map(({ href, kind, text, rel }) => [href, kind, text, rel].join(' ').trim());

test('pages with references, CDATA and lastmod', () => {
  const page = read(URLSET);
  assert.equal(page.kind, 'sitemap');
  assert.deepEqual(summary(page), ['http://a.test/?x=1&y=2 sitemap 2024-05-06', 'http://a.test/?p&q sitemap']);
});

test('an index leads to sitemaps', () => {
  const page = read('<sitemapindex><sitemap><loc>http://a.test/s1.xml.gz</loc></sitemap></sitemapindex>');
  assert.deepEqual(summary(page), ['http://a.test/s1.xml.gz sitemap  sitemap']);
});

test('prefixes, images and translations', () => {
  const page = read(
    '<sm:urlset xmlns:sm="x"><sm:url><sm:loc>http://a.test/1</sm:loc><image:image><image:loc>http://a.test/i.png</image:loc></image:image>' +
      '<xhtml:link rel="alternate" hreflang="de" href="http://a.test/de"/></sm:url></sm:urlset>',
  );
  assert.deepEqual(summary(page), [
    'http://a.test/i.png img',
    'http://a.test/de alternate  alternate',
    'http://a.test/1 sitemap',
  ]);
});

test('a sitemap served as HTML, or with no type, is still one', () => {
  for (const type of ['text/html', '', 'text/xml; charset=utf-8', 'application/rss+xml'])
    assert.equal(read(URLSET, type).kind, 'sitemap', type);
});

test('a sitemap that is cut off gives the entries before the cut', () => {
  assert.equal(read(URLSET.slice(0, URLSET.indexOf('CDATA'))).links.length, 1);
  assert.deepEqual(summary(read('<urlset><url><loc>http://a.test/1</loc><lastmod>2024-0')), [
    'http://a.test/1 sitemap',
  ]);
  assert.deepEqual(summary(read('<urlset><url><loc>http://a.test/half-of-a-na')), [], 'half a URL is no URL');
  assert.deepEqual(summary(read('<urlset><url><loc>http://a.test/1</url><url><loc>http://a.test/2</loc></url>')), [
    'http://a.test/1 sitemap',
    'http://a.test/2 sitemap',
  ]);
});

test('entries without end tags are read, whatever their number', () => {
  const entries = Array.from({ length: 300 }, (_, i) => `<url><loc>http://a.test/${i}`);
  assert.equal(read(`<urlset>${entries.join('')}</urlset>`).links.length, 300);
});

test('white space and invisible characters around a location are dropped', () => {
  const page = read('<urlset><url><loc>\n\u00a0\u200b http://a.test/1\ufeff\t</loc></url></urlset>');
  assert.deepEqual(summary(page), ['http://a.test/1 sitemap']);
});

test('the files of the image and video extensions are assets, and each translation is a link once', () => {
  const alternates = '<xhtml:link rel="alternate" hreflang="de" href="/de"/><xhtml:link rel="alternate" href="/en"/>';
  const page = read(
    `<urlset><url><loc>/en</loc>${alternates}<video:video><video:thumbnail_loc>/t.jpg</video:thumbnail_loc>
    <video:content_loc>/v.mp4</video:content_loc><video:player_loc>/player?v=1</video:player_loc></video:video></url>
    <url><loc>/de</loc>${alternates}<image:image><image:loc>/i.png</image:loc></image:image></url></urlset>`,
  );
  assert.deepEqual(summary(page), [
    '/de alternate  alternate',
    '/en alternate  alternate',
    '/t.jpg img',
    '/v.mp4 media',
    '/player?v=1 media',
    '/en sitemap',
    '/i.png img',
    '/de sitemap',
  ]);
});

test('an entity of the DTD of a sitemap is not expanded, and its entry is left out', () => {
  const page = read('<!DOCTYPE urlset [<!ENTITY x "http://a.test/x">]><urlset><url><loc>&x;</loc></url></urlset>');
  assert.deepEqual([page.kind, summary(page)], ['sitemap', []]);
});

test('images do not use up the limit of entries', () => {
  const images = Array.from({ length: 60_000 }, (_, i) => `<image:image><image:loc>/${i}</image:loc></image:image>`);
  const page = read(`<urlset><url><loc>/a</loc>${images.join('')}</url><url><loc>/b</loc></url></urlset>`);
  assert.equal(page.links.filter(({ kind }) => kind === 'sitemap').length, 2);
  assert.deepEqual([page.links.length, page.linksTruncated], [50_002, true]);
});

test('text sitemaps have one URL per line and are recognised by their own URL or by their lines', () => {
  const text = 'http://a.test/1\r\n\nnonsense\n https://a.test/2 ';
  const page = read(text, 'text/plain', 'http://a.test/sitemap-a.txt?x');
  assert.deepEqual([page.kind, summary(page)], ['sitemap', ['http://a.test/1 sitemap', 'https://a.test/2 sitemap']]);
  assert.equal(read(text, 'text/plain', 'http://a.test/other.txt').kind, 'other');
  for (const [list, type] of [
    ['http://a.test/1\nhttps://a.test/2\n', 'text/plain'],
    ['\ufeffHTTP://a.test/1\r\n\r\nhttps://a.test/2', 'text/html'],
    ['http://a.test/1\rhttps://a.test/2\r', 'application/octet-stream'],
    ['# pages\nhttp://a.test/1\n#\n', 'text/plain'],
    [`\n${'https://a.test/long-path/\n'.repeat(400)}`, ''],
  ] as const) {
    assert.equal(read(list, type, 'http://a.test/urls').kind, 'sitemap', type);
  }
  for (const other of ['http://a.test/ is a URL', 'see\nhttp://a.test/', 'hello', 'http://a.test/\nCopyright'])
    assert.equal(read(other, 'text/plain', 'http://a.test/urls').kind, 'other', other);
});

test('a gzipped sitemap or feed is decompressed under any name and type, also if it is compressed twice', () => {
  const files = [gzipSync(URLSET), gzipSync(gzipSync(URLSET)), Buffer.concat([gzipSync(URLSET), Buffer.from('rest')])];
  for (const type of ['application/x-gzip', 'application/octet-stream', 'text/xml', 'text/html', '']) {
    for (const url of ['http://a.test/sitemap.xml.gz', 'http://a.test/map.php?n=1', 'http://a.test/sitemap.xml']) {
      for (const file of files) assert.equal(read(file, type, url).links.length, 2, `${type} ${url}`);
    }
  }
  assert.equal(read(gzipSync('http://a.test/1'), 'application/x-gzip', 'http://a.test/sitemap.txt.gz').links.length, 1);
  assert.equal(read(gzipSync('<rss><channel><item><link>/1</link></item></channel></rss>')).kind, 'feed');
});

test('of a gzip file that is cut off or too large, the beginning is read; other files are not unpacked', () => {
  const entries = Array.from({ length: 2_000 }, (_, i) => `<url><loc>http://a.test/${i}/${i * 7_919}</loc></url>`);
  const file = gzipSync(`<urlset>${entries.join('')}</urlset>`);
  const half = read(file.subarray(0, file.length / 2), '', 'http://a.test/x').links.length;
  assert.ok(half > 500 && half < 1_500, `${half} entries`);
  const padding = Buffer.alloc(60_000_000, ' ');
  const large = read(gzipSync(Buffer.concat([Buffer.from(`<urlset>${entries.join('')}`), padding])));
  assert.deepEqual([large.links.length > 0, large.linksTruncated], [true, true]);
  assert.equal(read(gzipSync(Buffer.alloc(60_000_000)), '', 'http://a.test/sitemap.xml.gz').kind, 'other');
  assert.equal(read(gzipSync('<html><a href="/x">x</a></html>'), 'text/html').kind, 'other');
  assert.equal(read(gzipSync(gzipSync(gzipSync(URLSET)))).kind, 'other');
  assert.equal(read(Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])).kind, 'other');
});

test('a sitemap or feed is recognised by its content, whatever its type and encoding', () => {
  const wide = (text: string, mark = '\ufeff') => Buffer.from(mark + text, 'utf16le');
  const lists = [
    ['sitemap', URLSET],
    ['sitemap', `\ufeff\n ${URLSET}`],
    ['sitemap', wide(URLSET)],
    ['sitemap', wide(URLSET).swap16()],
    ['sitemap', wide(URLSET, '')],
    [
      'sitemap',
      `<?xml version="1.0"?><?xml-stylesheet href="x"?><!-- ${'-'.repeat(2_000)} --><x:urlset><x:url/></x:urlset>`,
    ],
    ['sitemap', '<SITEMAPINDEX><sitemap><loc>/1</loc></sitemap></SITEMAPINDEX>'],
    ['feed', '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "x.dtd"><rss version="0.91"><channel/></rss>'],
    ['feed', '<!DOCTYPE rss [<!ENTITY copy "c">]><rss/>'],
    ['feed', '<atom:feed xmlns:atom="http://www.w3.org/2005/Atom"><atom:entry/></atom:feed>'],
    ['feed', '<rdf:RDF><item rdf:about="http://a.test/1"/></rdf:RDF>'],
    ['feed', ' {"version":"https:\\/\\/jsonfeed.org\\/version\\/1","items":[]}'],
    ['other', '<note><url><loc>http://a.test/</loc></url></note>'],
    ['other', '{"version":"1"}'],
  ] as const;
  for (const type of ['text/plain', 'application/octet-stream', 'binary/octet-stream', 'application/x-gzip', '']) {
    for (const [kind, list] of lists) assert.equal(read(list, type, 'http://a.test/x').kind, kind, `${type} ${list}`);
  }
  for (const [kind, list] of lists) assert.equal(read(list, 'text/html').kind, kind === 'other' ? 'html' : kind);
  assert.equal(read('<!DOCTYPE html><a href="/x">x</a>', 'text/plain').kind, 'other', 'a page that is shown as text');
  assert.equal(read('<?xml version="1.0"?><html/>', 'text/plain').kind, 'other');
  assert.equal(read(URLSET, 'image/png').kind, 'other');
});

test('the times of entries are read, also from the news extension, and invalid times are omitted', () => {
  const page = read(`<urlset>
    <url><loc>http://a.test/1</loc><lastmod>2026-11-15T12:00:00Z</lastmod></url>
    <url><loc>http://a.test/2</loc><lastmod>yesterday</lastmod></url>
    <url><loc>http://a.test/3</loc><news:news><news:publication_date>2026-11-15</news:publication_date></news:news></url>
    <url><loc>http://a.test/4</loc></url></urlset>`);
  const noon = Date.UTC(2026, 10, 15, 12);
  assert.deepEqual(
    page.links.map(({ modifiedMs }) => modifiedMs),
    [noon, undefined, Date.UTC(2026, 10, 15), undefined],
  );
});

test('a sitemap may list fifty thousand URLs despite a low link limit, but none if no links are wanted', () => {
  const listing = (count: number) =>
    `<urlset>${Array.from({ length: count }, (_, i) => `<url><loc>http://a.test/${i}</loc></url>`).join('')}</urlset>`;
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `http://a.test/${i}`).join('\n');
  for (const [count, isCut] of [
    [50_000, false],
    [50_001, true],
  ] as const) {
    for (const page of [
      read(listing(count), 'application/xml', undefined, 10),
      read(lines(count), 'text/plain', 'http://a.test/sitemap.txt', 10),
    ]) {
      assert.deepEqual([page.links.length, page.linksTruncated], [50_000, isCut]);
    }
  }
  assert.equal(read(listing(3), 'application/xml', undefined, 0).links.length, 0);
});
