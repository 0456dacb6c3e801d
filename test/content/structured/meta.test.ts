import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemsOf } from './read-page.ts';

test('Open Graph: the parts of an image belong to the image before them', () => {
  const html = `<meta property="og:type" content="article"><meta property="og:image" content="/1.png">
    <meta property="og:image:width" content="10"><meta property="og:image" content="/2.png">
    <meta name="og:title" content="T"><meta property="article:tag" content="a"><meta property="article:tag" content="b">`;
  assert.deepEqual(itemsOf(html), [
    {
      syntax: 'opengraph',
      types: ['article'],
      properties: {
        'og:type': ['article'],
        'og:image': [{ syntax: 'opengraph', types: [], value: '/1.png', properties: { width: ['10'] } }, '/2.png'],
        'og:title': ['T'],
        'article:tag': ['a', 'b'],
      },
    },
  ]);
});

test('Open Graph: a page may declare prefixes of its own', () => {
  const item = itemsOf(
    '<html prefix="og: http://ogp.me/ns# my: http://my.example/ns#"><meta property="my:x" content=y>',
  ).find(({ syntax }) => syntax === 'opengraph');
  assert.deepEqual(item?.properties, { 'my:x': ['y'] });
});

test('Twitter cards', () => {
  const html = '<meta name="twitter:card" content="summary"><meta property="twitter:title" content="T">';
  const properties = { 'twitter:card': ['summary'], 'twitter:title': ['T'] };
  assert.deepEqual(itemsOf(html), [{ syntax: 'twitter', types: ['summary'], properties }]);
});

test('Dublin Core in all its spellings, but no names without a prefix', () => {
  const html = `<link rel="schema.DC" href="http://purl.org/dc/elements/1.1/"><meta name="DC.Title" content="T">
    <meta name="DCTERMS.rightsHolder" content="R"><meta property="dc:creator" content="C"><meta name="description" content="D">
    <meta name="DC.date.issued" content="2020"><link rel="DC.relation" href="/r"><meta name="DC.unknown" content="U">`;
  assert.deepEqual(itemsOf(html).find(({ syntax }) => syntax === 'dublin-core')?.properties, {
    title: ['T'],
    rightsHolder: ['R'],
    creator: ['C'],
    issued: ['2020'],
    relation: ['https://example.com/r'],
  });
});
