import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ParsedPage, parsePage } from '../../src/page/page.ts';
import { BROKEN_FOREIGN, randomHtml, randomNumbers } from './random-html.ts';

function read(html: string, wantAnchors: boolean, wantText = false): ParsedPage {
  const options = { wantText, wantAnchors, maxLinks: 1_000 };
  return parsePage(Buffer.from(html), 'text/html; charset=utf-8', 'http://site.test/', options);
}

/** Removes the fields that `wantAnchors` adds. */
function withoutAnchors(page: ParsedPage): ParsedPage {
  return { ...page, headings: [], links: page.links.map((link) => ({ ...link, text: '' })) };
}

test('without anchors there are no link texts and no headings, and all else is the same', () => {
  const html =
    '<link rel=icon href=1 title=t><h1>head</h1><a href=2 rel=nofollow>text <img src=3 alt=b></a><area href=4 alt=c><input src=5 alt=d>';
  const page = read(html, true);
  assert.deepEqual(
    page.links.map((link) => link.text),
    ['t', 'text b', 'b', 'c', 'd'],
  );
  assert.equal(page.headings.length, 1);
  assert.deepEqual(read(html, false), withoutAnchors(page));
  assert.deepEqual(read(html, false, true), withoutAnchors(read(html, true, true)));
});

test('link texts are collected by default', () => {
  const page = parsePage(Buffer.from('<h2>x</h2><a href=a>b</a>'), 'text/html', '', { wantText: false, maxLinks: 10 });
  assert.deepEqual([page.headings, page.links[0]?.text], [[{ level: 2, text: 'x' }], 'b']);
});

test('links are the same with and without anchors and text in 6,000 malformed documents', () => {
  const random = randomNumbers(31);
  let links = 0;
  for (let document = 0; document < 6_000; document++) {
    const html = randomHtml(random, document % 2 === 0 ? [] : BROKEN_FOREIGN);
    const page = read(html, true);
    assert.deepEqual(read(html, false), withoutAnchors(page), JSON.stringify(html));
    const withText = read(html, true, true);
    assert.deepEqual({ ...withText, text: '' }, page, JSON.stringify(html));
    assert.deepEqual(read(html, false, true), withoutAnchors(withText), JSON.stringify(html));
    links += page.links.length;
  }
  assert.ok(links > 8_000, `only ${links} links compared`);
});
