import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePage } from '../../../src/page/page.ts';

function read(body: string, type = 'application/xml') {
  const page = parsePage(Buffer.from(body), type, 'http://a.test/feed', { wantText: false, maxLinks: 100 });
  return { ...page, links: page.links.map(({ href, kind, text }) => `${href} ${kind} ${text}`.trim()) };
}

test('RSS 2.0', () => {
  const page = read(
    `<?xml version="1.0"?><rss version="2.0" xmlns:atom="a"><channel><title>News &amp; more</title><link>http://a.test/</link>
    <atom:link href="http://a.test/feed" rel="self"/><atom:link rel="next" href="http://a.test/feed?2"/><language>en</language><description>All</description>
    <image><title>logo</title><url>http://a.test/l.png</url><link>http://a.test/</link></image>
    <item><title><![CDATA[One <b>]]></title><link>http://a.test/1?a&amp;b</link><guid>http://a.test/g1</guid><enclosure url="http://a.test/1.mp3" type="audio/mpeg"/></item>
    <item><title>Two</title><guid>http://a.test/2</guid></item><item><title>Three</title><guid isPermaLink="false">http://a.test/no</guid></item></channel></rss>`,
    'application/rss+xml',
  );
  assert.deepEqual([page.kind, page.title, page.description, page.language], ['feed', 'News & more', 'All', 'en']);
  assert.deepEqual(page.links, [
    'http://a.test/ feed',
    'http://a.test/feed?2 pagination',
    'http://a.test/1.mp3 media',
    'http://a.test/1?a&b feed One <b>',
    'http://a.test/2 feed Two',
  ]);
});

test('RSS 1.0 and 0.9 (RDF) are read', () => {
  const page = read(
    '<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><title>T</title><link>http://a.test/</link></channel><item rdf:about="y"><title>One</title><link>http://a.test/1</link></item></rdf:RDF>',
    'application/rdf+xml',
  );
  assert.deepEqual(
    [page.kind, page.title, page.links],
    ['feed', 'T', ['http://a.test/ feed', 'http://a.test/1 feed One']],
  );
});

test('Atom', () => {
  const page = read(
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>T</title><subtitle>S</subtitle><link href="http://a.test/"/><link rel="self" href="no"/>' +
      '<entry><title type="html">One &amp;amp; all</title><link rel="edit" href="no"/><link href="/1"/><link rel="enclosure" href="/1.mp3"/><id>urn:1</id><source><title>other</title><link href="/other"/></source></entry></feed>',
    'application/atom+xml',
  );
  assert.deepEqual([page.kind, page.title, page.description, page.language], ['feed', 'T', 'S', 'de']);
  assert.deepEqual(page.links, ['http://a.test/ feed', '/1.mp3 media', '/1 feed One &amp; all']);
});

test('JSON Feed', () => {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'T',
    language: 'fr',
    home_page_url: 'http://a.test/',
    next_url: '/next',
    items: [
      { url: '/1', title: ' One ', attachments: [{ url: '/1.mp3' }] },
      { external_url: '/2' },
      { id: 3 },
      null,
      'x',
    ],
  };
  for (const type of ['application/feed+json', 'application/json; charset=utf-8']) {
    const page = read(JSON.stringify(feed), type);
    assert.deepEqual([page.kind, page.title, page.language], ['feed', 'T', 'fr']);
    assert.deepEqual(page.links, ['http://a.test/ feed', '/next pagination', '/1 feed One', '/1.mp3 media', '/2 feed']);
  }
});

test('other JSON and other XML are not feeds', () => {
  for (const json of [
    '{"items":[{"url":"x"}]}',
    '[1]',
    'null',
    '{"version":"jsonfeed.org"',
    '"jsonfeed.org"',
    '{"version":["https://jsonfeed.org/version/1"]}',
  ]) {
    assert.equal(read(json, 'application/json').kind, 'other', json);
  }
  assert.equal(read('<note><link>http://a.test/</link></note>').kind, 'other');
  assert.equal(read('no markup').kind, 'other');
});

test('the times of entries: updated before published, in every format', () => {
  const at = Date.UTC(2026, 10, 15, 12);
  const earlier = '2020-01-01T00:00:00Z';
  const times = (body: string, type = 'application/xml') =>
    parsePage(Buffer.from(body), type, 'http://a.test/feed', { wantText: false, maxLinks: 10 })
      .links.filter(({ href }) => href.endsWith('/1'))
      .map(({ modifiedMs }) => modifiedMs);
  const entry = `<link href="http://a.test/1"/><updated>2026-11-15T12:00:00Z</updated><published>${earlier}</published>`;
  assert.deepEqual(times(`<feed><entry>${entry}</entry></feed>`), [at]);
  const item = '<link>http://a.test/1</link><pubDate>Sun, 15 Nov 2026 12:00:00 GMT</pubDate>';
  assert.deepEqual(times(`<rss><channel><item>${item}</item></channel></rss>`), [at]);
  const rdf = '<link>http://a.test/1</link><dc:date>2026-11-15T12:00:00Z</dc:date>';
  assert.deepEqual(times(`<rdf:RDF><item>${rdf}</item></rdf:RDF>`), [at]);
  const json = {
    version: 'https://jsonfeed.org/version/1.1',
    items: [{ url: 'http://a.test/1', date_modified: '2026-11-15T12:00:00Z', date_published: earlier }],
  };
  assert.deepEqual(times(JSON.stringify(json), 'application/feed+json'), [at]);
});
