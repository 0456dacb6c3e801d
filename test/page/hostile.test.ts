import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PAGE_KINDS, parsePage, WordCollector } from '../../src/page/page.ts';
import { randomHtml, randomNumbers } from './random-html.ts';

const TYPES = [
  'text/html',
  'application/xml',
  'application/feed+json',
  'text/plain',
  '',
  'text/html; charset=shift_jis',
  'application/xhtml+xml',
];

/** Far above the time of linear work on a busy machine, far below the time of quadratic work at these sizes. */
const MAX_SECONDS = 20;

describe('ten megabytes of one trick take time in proportion', () => {
  const tricks: Record<string, string> = {
    elements: '<div>'.repeat(2e6),
    'end tags': '</div>'.repeat(1.5e6),
    'unfinished tags': '<a '.repeat(1e6),
    comments: '<!--'.repeat(1e6),
    'closed comments': '<!---->'.repeat(1e6),
    ampersands: '&'.repeat(1e6),
    'ampersands in one attribute': `<a href="${'&'.repeat(1e6)}">`,
    'unterminated values': '<a href="'.repeat(1e5),
    'less-than signs': '<'.repeat(1e7),
    svgs: '<svg>'.repeat(1e6),
    'svgs and maths closed': '<svg><math>'.repeat(5e5) + '</title></svg>'.repeat(5e5),
    'scripts full of comments': `<script>${'<!-- -->'.repeat(1e6)}</script>`,
    'escaped scripts': '<script><!--<script>'.repeat(3e5),
    'scripts left open': '<script></script '.repeat(5e5),
    anchors: '<a href=x>y'.repeat(5e5),
    headings: '<h1>x'.repeat(1e6),
    'raw text ends': `<style>${'</'.repeat(3e6)}`,
    'bogus comments': '<!x'.repeat(2e6),
    'CDATA in svg': `<svg>${'<![CDATA['.repeat(1e6)}`,
    attributes: `<a ${'b=c '.repeat(2e6)}href=x>`,
    'white space': ' \n'.repeat(4e6),
    srcset: `<img srcset="${'a, '.repeat(2e6)}">`,
    'hidden elements': '<div hidden>'.repeat(8e5),
    metas: '<meta name=robots content=x>'.repeat(3e5),
  };
  for (const [name, html] of Object.entries(tricks)) {
    test(name, () => {
      const body = Buffer.from(html);
      const start = process.cpuUsage().user;
      const page = parsePage(body, 'text/html', '', { wantText: true, maxLinks: 1000 });
      const seconds = (process.cpuUsage().user - start) / 1e6;
      assert.ok(page.links.length <= 1000);
      assert.ok(seconds < MAX_SECONDS, `${seconds} s`);
    });
  }

  for (const [name, xml] of Object.entries({
    'deep elements': `<urlset>${'<x>'.repeat(2e6)}`,
    'end tags that fit nothing': `<urlset>${'<a>'.repeat(90)}${'</b>'.repeat(1e6)}`,
    doctypes: `<urlset>${'<!DOCTYPE x ['.repeat(3e5)}`,
    'entities that would explode': `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}">]><urlset><url><loc>${'&a;'.repeat(1e6)}</loc></url></urlset>`,
  })) {
    test(`XML: ${name}`, () => {
      const start = process.cpuUsage().user;
      const page = parsePage(Buffer.from(xml), 'application/xml', '', { wantText: true, maxLinks: 1000 });
      assert.ok((process.cpuUsage().user - start) / 1e6 < MAX_SECONDS);
      assert.equal(page.kind, 'sitemap');
    });
  }
});

test('a million links: the first ones are kept', () => {
  const html = Array.from({ length: 1e6 }, (_, i) => `<a href=${i}>`).join('');
  const page = parsePage(Buffer.from(html), 'text/html', '', { wantText: false, maxLinks: 10_000 });
  assert.deepEqual([page.links.length, page.linksTruncated], [10_000, true]);
});

test('random bytes of every type never throw', () => {
  const random = randomNumbers(11);
  for (let round = 0; round < 500; round++) {
    const body = Buffer.from(Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256)));
    for (const type of TYPES) assert.ok(PAGE_KINDS.includes(parse(body, type).kind));
  }
});

test('documents with bytes changed at random never throw', () => {
  const random = randomNumbers(12);
  const xml =
    '<?xml version="1.0"?><rss><channel><title>t</title><item><link>http://a.test/</link><![CDATA[x]]></item></channel></rss>';
  const json = '{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"http://a.test/","title":"t"}]}';
  for (let round = 0; round < 500; round++) {
    for (const document of [randomHtml(random), xml, json]) {
      const body = Buffer.from(document);
      for (let change = 0; change < 4 && body.length > 0; change++) {
        body[Math.floor(random() * body.length)] = Math.floor(random() * 256);
      }
      for (const type of TYPES) parse(body, type);
    }
  }
});

function parse(body: Buffer, type: string) {
  return parsePage(body, type, 'http://site.test/sitemap.txt', { wantText: true, maxLinks: 100 });
}

test('a megabyte of references to one sign is read in linear time, with its words', () => {
  const words = new WordCollector();
  const body = Buffer.from(`<p>${'&copy;'.repeat(170_000)}`);
  const start = process.cpuUsage().user;
  parsePage(body, 'text/html', '', { wantText: false, maxLinks: 1000, words });
  assert.ok((process.cpuUsage().user - start) / 1e6 < 3);
});
