/** Hostile documents for the second pass and for style sheets, scripts and JSON: linear time, no exception. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classesWanted, parsePage } from '../../../src/page/page.ts';
import { randomHtml, randomNumbers } from '../random-html.ts';
import { hrefs } from '../read-page.ts';

const BYTES = 150_000;
/** Far above the time of linear work on a busy machine, far below the time of quadratic work at this size. */
const MAX_SECONDS = 10;
const OPTIONS = {
  wantText: false,
  wantAnchors: false,
  maxLinks: 1_000,
  classes: classesWanted({ assets: true, guess: true }),
};

const TRICKS: Readonly<Record<string, readonly string[]>> = {
  'text/html': [
    ...['<a ', '<form>', '<form><textarea>', '<select><option>', '<!--[if IE]><script>', '<!-- <a href="x"> -->'],
    ...['<noframes><script>', '<iframe srcdoc="<a href=x>">', '<style>@import', '<svg><style>', '<b style="a:url('],
    ...['<!DOCTYPE "', '<?xml-stylesheet ', '<![CDATA[', `'/a'"/b"`, 'http://a', '<x data-a="/b'],
  ],
  'text/css': ['url(', '@import "', 'image-set("a" ', '\\', '/*', '"', 'a{', 'url(\\'],
  'text/javascript': ['import a ', 'import("', 'export ', 'new URL("a"', '"/a', '`'],
  'application/json': ['{"a":', '["/a",'],
  'text/xml': ['<svg b="', '<svg>', '<svg><?xml-stylesheet '],
};

test('a trick that is repeated takes time in proportion', () => {
  for (const [type, pieces] of Object.entries(TRICKS)) {
    for (const piece of pieces) {
      const body = Buffer.from(piece.repeat(BYTES / piece.length));
      const start = process.cpuUsage().user;
      const { links } = parsePage(body, type, 'http://site.test/', OPTIONS, ['Link', piece.repeat(99)]);
      const seconds = (process.cpuUsage().user - start) / 1e6;
      assert.ok(
        links.length <= 1_100 && seconds < MAX_SECONDS,
        `${type} ${piece}: ${links.length} links, ${seconds} s`,
      );
    }
  }
});

test('the second pass loses no link of the quick scan in random documents', () => {
  const random = randomNumbers(7);
  for (let document = 0; document < 300; document++) {
    const html = randomHtml(random);
    const page = parsePage(Buffer.from(html), 'text/html; charset=utf-8', 'http://site.test/', OPTIONS);
    const found = new Set(page.links.map(({ href }) => href));
    const isLost = (href: string) => !found.has(href) && !href.startsWith('#') && href !== '';
    assert.deepEqual(hrefs(html).filter(isLost), [], html);
  }
});
