import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROKEN_FOREIGN, randomHtml, randomNumbers } from './random-html.ts';
import { readPage } from './read-page.ts';
import { strip, urlsOfTree } from './tree-urls.ts';

/**
 * Compares sets: the tree builder clones a formatting element that is open when
 * a block ends, so a link can occur twice.
 */
function missing(html: string): string[] {
  const found = new Set(readPage(html).links.map((link) => strip(link.href)));
  return urlsOfTree(html).filter((url) => !found.has(url));
}

test('no link of a browser tree is lost in 4,000 malformed documents', () => {
  const random = randomNumbers(20_24);
  let links = 0;
  for (let document = 0; document < 4_000; document++) {
    const html = randomHtml(random);
    const lost = missing(html);
    assert.deepEqual(lost, [], `lost in ${JSON.stringify(html)}`);
    links += urlsOfTree(html).length;
  }
  // The test would prove nothing if the documents had no links.
  assert.ok(links > 6_000, `only ${links} links compared`);
});

test('broken svg and math lose a link in fewer than one of 500 documents', () => {
  const random = randomNumbers(4);
  let documents = 0;
  for (let document = 0; document < 3_000; document++) {
    if (missing(randomHtml(random, BROKEN_FOREIGN)).length > 0) documents++;
  }
  assert.ok(documents <= 6, `${documents} documents lost a link`);
});

test('no link of a browser tree is lost when a document is cut anywhere', () => {
  const random = randomNumbers(7);
  for (let document = 0; document < 60; document++) {
    const html = randomHtml(random);
    for (let end = 0; end < html.length; end += 3) {
      const cut = html.slice(0, end);
      assert.deepEqual(missing(cut), [], `lost in ${JSON.stringify(cut)}`);
    }
  }
});

test('hardly any link is found that a browser would not have', () => {
  const random = randomNumbers(99);
  let found = 0;
  let extra = 0;
  for (let document = 0; document < 3_000; document++) {
    // Browsers do not read markup for old browsers.
    const html = randomHtml(random).replace(/<(\/?)no(?:frames|embed)/gi, '<$1xmp');
    const tree = new Set(urlsOfTree(html));
    for (const link of readPage(html).links) {
      if (link.kind === 'form') continue;
      found++;
      if (!tree.has(strip(link.href))) extra++;
    }
  }
  assert.ok(extra <= found * 0.01, `${extra} of ${found} links are not in the tree`);
});
