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
  assert.deepEqual(summary(read('<urlset><url><loc>http://a.test/1</url><url><loc>http://a.test/2</loc></url>')), [
    'http://a.test/1 sitemap',
    'http://a.test/2 sitemap',
  ]);
});

test('text sitemaps have one URL per line and are recognised by their own URL', () => {
  const text = 'http://a.test/1\r\n\nnonsense\n https://a.test/2 ';
  const page = read(text, 'text/plain', 'http://a.test/sitemap-a.txt?x');
  assert.deepEqual([page.kind, summary(page)], ['sitemap', ['http://a.test/1 sitemap', 'https://a.test/2 sitemap']]);
  assert.equal(read(text, 'text/plain', 'http://a.test/other.txt').kind, 'other');
});

test('a gzipped sitemap file is decompressed, but not a bomb or a broken file', () => {
  assert.equal(read(gzipSync(URLSET), 'application/gzip', 'http://a.test/sitemap.xml.gz').links.length, 2);
  assert.equal(read(gzipSync('http://a.test/1'), 'application/x-gzip', 'http://a.test/sitemap.txt.gz').links.length, 1);
  assert.equal(read(gzipSync(Buffer.alloc(60_000_000)), '', 'http://a.test/sitemap.xml.gz').kind, 'other');
  assert.equal(read(gzipSync(URLSET).subarray(0, 50), '', 'http://a.test/sitemap.xml.gz').kind, 'other');
  assert.equal(read(gzipSync(gzipSync(URLSET)), '', 'http://a.test/sitemap.xml.gz').kind, 'other');
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
