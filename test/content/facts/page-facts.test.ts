import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDateText } from '../../../src/content/facts/date-text.ts';
import { type PageFacts, readPageFacts } from '../../../src/content/facts/page-facts.ts';
import { readStructuredData } from '../../../src/content/structured/structured-data.ts';
import { scriptOf, treeOf } from '../structured/read-page.ts';

function factsOf(html: string, headers?: Record<string, string>): PageFacts {
  const tree = treeOf(html);
  return readPageFacts(tree, readStructuredData(tree, 'https://example.com/dir/page'), headers);
}

test('declared data comes before what readers see', () => {
  const html = `<html lang="en-GB"><title>T - Site</title><meta property="og:site_name" content="Site"><meta property="og:image" content="https://e.com/i.png">
    <meta name="description" content="About &amp; more">${scriptOf(`{"@graph":[{"@type":"NewsArticle","headline":"Tom &amp; Ann",
    "author":[{"@id":"#ann"},{"name":"By Bob and Cid"}],"datePublished":"2020-01-02T03:04:05+0100","dateModified":"2020-01-03"},
    {"@type":"Person","@id":"#ann","name":"Ann"}]}`)}<h1>Other</h1><time datetime="2019-01-01">x</time>`;
  assert.deepEqual(factsOf(html), {
    title: 'Tom & Ann',
    authors: ['Ann', 'Bob', 'Cid'],
    published: '2020-01-02T03:04:05+01:00',
    modified: '2020-01-03',
    language: 'en-GB',
    description: 'About & more',
    siteName: 'Site',
    image: 'https://e.com/i.png',
    kind: 'article',
  });
});

test('a page without data has the facts that it shows', () => {
  const html = `<title>T</title><h1>Heading</h1><p class="byline">By Ann Lee</p><time datetime="2020-05-06">May</time>`;
  assert.deepEqual(factsOf(html), { title: 'Heading', authors: ['Ann Lee'], published: '2020-05-06' });
});

test('a link with rel=author counts before a class, and headers state the language', () => {
  const html = '<p class=byline>Somebody</p><a rel="author nofollow" href=x>Ann</a>';
  const facts = factsOf(html, { 'content-language': 'de', 'last-modified': 'Tue, 15 Nov 1994 12:45:26 GMT' });
  assert.deepEqual(facts, { authors: ['Ann'], language: 'de', modified: '1994-11-15T12:45:26Z' });
});

test('addresses are neither titles nor authors', () => {
  const html = `<title>T</title><meta property="og:title" content="https://example.com/"><meta property="article:author" content="https://fb.example/ann">
    <meta name="author" content="Ann">`;
  assert.deepEqual(factsOf(html), { title: 'T', authors: ['Ann'] });
});

test('the articles of a listing are not the page', () => {
  const item = (at: number): string =>
    `{"@type":"Article","headline":"Article ${at}","datePublished":"2020-01-0${at}"}`;
  const facts = factsOf(`<title>All articles</title>${scriptOf(`[${[1, 2, 3, 4].map(item).join()}]`)}`);
  assert.deepEqual([facts.title, facts.published], ['All articles', undefined]);
});

const DATES = {
  '2020-01-02': '2020-01-02',
  '2020-1-2 3:04': '2020-01-02T03:04',
  '2020-01-02T03:04:05.678Z': '2020-01-02T03:04:05Z',
  '2020-01-02T03:04:05-0800': '2020-01-02T03:04:05-08:00',
  '20200102': '2020-01-02',
  'Thu, 02 Jan 2020 03:04:05 GMT': '2020-01-02T03:04:05Z',
  'January 2, 2020 3:04 PM': '2020-01-02T15:04',
  '2nd Jan. 2020': '2020-01-02',
  '0001-01-01T00:00:00': undefined,
  yesterday: undefined,
};

for (const [text, expected] of Object.entries(DATES)) {
  test(`the date "${text}" is ${expected ?? 'no date'}`, () => assert.equal(readDateText(text), expected));
}

test('the sign of a link to the heading itself is no part of the title', () => {
  const facts = factsOf('<h1>About<a class="headerlink" href="#about">¶</a></h1><p>Text.</p>');
  assert.equal(facts.title, 'About');
});
