/** Tests the reader of reports and of pointers to reports: it is strict, bounded, and never confused by its input. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeInHeaders, placeOn } from '../../../src/crawl/unit/report-url.ts';
import { readReport } from '../../../src/crawl/watchers/read-report.ts';
import { parseReport } from '../../../src/crawl/watchers/report.ts';
import type { FetchOutcome } from '../../../src/fetch/outcome.ts';
import { listingCursor } from '../../../src/watcher/report/cursor.ts';
import { SeededRandom } from '../../../testbed/random.ts';

const SITE = 'https://www.example.org';
/** The example of docs/watcher-report.md. */
const EXAMPLE = [
  '{"orbweaver-report":1,"site":"https://www.example.org","since":"k3f9x2.120","cursor":"k3f9x2.163","more":false,"listing":false,"pages":10000,"at":"2026-11-15T20:15:00.000Z","lease":{"by":"server","held":false}}',
  '{"url":"/news/","change":"updated","seq":163,"at":"2026-11-15T20:14:58.120Z","rank":0.9167,"frequency":0.4167,"level":0.5,"hash":"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU","size":36120}',
  '{"url":"/news/new.html","change":"new","seq":162,"at":"2026-11-15T20:14:57.003Z","rank":0.3,"hash":"…","size":5120,"from":"/drafts/new.html"}',
  '{"url":"/drafts/new.html","change":"deleted","seq":161,"at":"2026-11-15T20:14:57.003Z","rank":0.3,"to":"/news/new.html"}',
  '{"end":true,"entries":3}',
];

function parse(lines: readonly string[], ending = '\n'): ReturnType<typeof parseReport> {
  return parseReport(Buffer.from(lines.join('\n') + ending), SITE);
}

function edited(line: number, more: Readonly<Record<string, unknown>>): string[] {
  return EXAMPLE.map((text, i) => (i === line ? JSON.stringify({ ...JSON.parse(text), ...more }) : text));
}

test('the example of the specification is parsed as described', () => {
  const part = parse(EXAMPLE);
  assert.ok(typeof part === 'object');
  assert.deepEqual(part.head, {
    since: 'k3f9x2.120',
    cursor: 'k3f9x2.163',
    more: false,
    isListing: false,
    pages: 10_000,
    atMs: Date.UTC(2026, 10, 15, 20, 15),
    lease: { by: 'server', isHeld: false, holder: '', untilMs: 0, token: '' },
  });
  assert.deepEqual(part.entries, [
    {
      path: '/news/',
      change: 'updated',
      seq: 163,
      digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    { path: '/news/new.html', change: 'new', seq: 162, digest: '' },
    { path: '/drafts/new.html', change: 'deleted', seq: 161, digest: '' },
  ]);
  assert.ok(typeof parse(EXAMPLE, '') === 'object', 'the last line may have no line end');
  assert.ok(typeof parse(edited(0, { unheard: [1] })) === 'object', 'unknown fields are ignored');
});

test('each fault of a report has its own name', () => {
  assert.equal(parse(['<h1>Hello</h1>']), 'no-report');
  assert.equal(parse(['[1]']), 'no-report');
  assert.equal(parse(['']), 'no-report');
  assert.equal(parse(edited(0, { 'orbweaver-report': 2 })), 'other-version');
  assert.equal(parse(edited(0, { site: 'http://www.example.org' })), 'other-site');
  assert.equal(parse(edited(0, { cursor: 7 })), 'bad-line');
  assert.equal(parse(edited(0, { cursor: 'a b' })), 'bad-line');
  assert.equal(parse(edited(0, { cursor: 'c'.repeat(6_001) })), 'bad-line');
  // A cursor in the middle of a listing, after a page with a long path.
  assert.equal(typeof parse(edited(0, { cursor: listingCursor('k3f9x2', 5, '/long'.repeat(800)) })), 'object');
  assert.equal(parse(edited(0, { pages: -1 })), 'bad-line');
  assert.equal(parse(edited(0, { listing: true })), 'bad-line', 'an entry of a listing is not a change');
  assert.equal(parse(edited(1, { change: 'page' })), 'bad-line');
  assert.equal(parse(edited(1, { seq: '1' })), 'bad-line');
  for (const url of ['http://www.example.org/x', '//evil.test/x', '/\\evil.test/x', 'x', '', null]) {
    assert.equal(parse(edited(1, { url })), 'bad-url', String(url));
  }
  assert.equal(parse(EXAMPLE.slice(0, 4)), 'cut-off');
  assert.equal(parse([...EXAMPLE.slice(0, 3), EXAMPLE[3]!.slice(0, 30)], ''), 'cut-off');
  assert.equal(parse(edited(4, { entries: 4 })), 'cut-off');
  assert.equal(parse([EXAMPLE[0]!, '{"url', ...EXAMPLE.slice(2)]), 'bad-line');
  assert.equal(parse([EXAMPLE[0]!, JSON.stringify({ x: 'y'.repeat(70_000) }), ...EXAMPLE.slice(1)]), 'bad-line');
  const many = Array.from({ length: 10_001 }, () => EXAMPLE[1]!);
  assert.equal(parse([EXAMPLE[0]!, ...many, '{"end":true,"entries":10001}']), 'too-large');
});

test('a randomly modified report is read or refused, and nothing is thrown', () => {
  const random = new SeededRandom(7);
  const bytes = Buffer.from(EXAMPLE.join('\n'));
  for (let round = 0; round < 3_000; round++) {
    const copy = Buffer.from(bytes);
    for (let n = random.below(6); n >= 0; n--) copy[random.below(copy.length)] = random.below(256);
    const part = parseReport(copy.subarray(0, random.below(3) === 0 ? random.below(copy.length) : copy.length), SITE);
    if (typeof part === 'string') continue;
    for (const { path } of part.entries) assert.ok(path.startsWith('/') && !path.startsWith('//'));
  }
});

test('a pointer counts only for its own scheme and authority', () => {
  assert.equal(placeOn(SITE, '/changes#now'), `${SITE}/changes`);
  assert.equal(placeOn(SITE, `${SITE}/changes?of=all`), `${SITE}/changes?of=all`);
  for (const pointer of [
    'http://www.example.org/x',
    'https://example.org/x',
    '//evil.test/',
    'https://www.example.org:8443/',
    '',
  ]) {
    assert.equal(placeOn(SITE, pointer), null, pointer);
  }
  const header = (value: string) => placeInHeaders(SITE, ['Content-Type', 'text/html', 'LINK', value]);
  assert.equal(header('</a,b>; rel=preload, </c>; rel="next orbweaver-report"; title="x"'), `${SITE}/c`);
  assert.equal(header('</c>; rel=orbweaver-report'), `${SITE}/c`);
  assert.equal(header('<https://evil.test/c>; rel=orbweaver-report'), null);
  assert.equal(header('</c>; rel=orbweaver-reports'), null);
  assert.equal(header('<'.repeat(8_000)), null);
});

test('a report with many slow parts is given up when it takes too long', async () => {
  const site = 'http://a.test';
  let parts = 0;
  const ask = async () => {
    const head = {
      'orbweaver-report': 1,
      site,
      since: null,
      cursor: `e.${++parts}`,
      more: true,
      listing: true,
      pages: 9,
    };
    const decoded = Buffer.from(`${JSON.stringify(head)}\n{"end":true,"entries":0}\n`);
    const answer = { status: 200, reason: null, redirectTo: null, decoded, header: () => '', release: () => {} };
    return answer as unknown as FetchOutcome;
  };
  const question = { url: `${site}/report`, site, since: null, isLate: () => parts === 3 };
  const reading = await readReport(ask, question, async () => {});
  assert.deepEqual([reading.kind === 'failed' && reading.fault, parts], ['slow', 3]);
});
