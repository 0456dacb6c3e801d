import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reason } from '../../src/core/reasons.ts';
import { compileTraps, findSessionId, judgeRepeatedSegments, pathPattern } from '../../src/url/traps/judge-traps.ts';
import { SeededRandom } from '../../testbed/random.ts';

/** Plain versions of the rules, to compare with the single scan of `compileTraps`. */
function judgeUrlLength(url: string, maxUrlLength = 2_000): string | null {
  return url.length > maxUrlLength ? 'trap-url-length' : null;
}

function judgeDirectoryDepth(url: string, maxDirectories = 20): string | null {
  const directories = new URL(url).pathname.split('/').length - 2;
  return directories > maxDirectories ? 'trap-directory-depth' : null;
}

const HOST = 'http://example.com';
const isTrap = compileTraps({ maxUrlLength: 2_000, maxDirectories: 20 });

test('C8 paths that repeat themselves are stopped', () => {
  const trapped = [
    '/toys/computers/toys/computers/toys/computers',
    '/shop/toys/computers/toys/computers/toys/computers/page.html',
    '/en/en/en/',
    '/a/blog/blog/blog?x=1',
    '/1/x/aa/1/x/aa/1/x/aa',
    '/aa/b/aa/c/aa/d/aa/e/aa',
  ];
  for (const path of trapped) {
    assert.equal(judgeRepeatedSegments(HOST + path), 'trap-repeated-segments', path);
    assert.equal(isTrap(HOST + path), 'trap-repeated-segments', path);
  }
});

test('C8 normal paths are not stopped', () => {
  const honest = [
    '/',
    '',
    '/2024/2024-01/2024-01-02/',
    '/2024/2024/2024/',
    '/tiles/0/0/0.png',
    '/tiles/1/1/1',
    '/a/a/a/f',
    '/toys/computers/toys/computers',
    '/en/docs/en/guide/en',
    '/python/python/x/python/y/python',
    '/x?p=/aa/aa/aa/aa/aa/aa',
    '/x#!/aa/aa/aa/aa/aa/aa',
    '//////',
  ];
  for (const path of honest) {
    assert.equal(judgeRepeatedSegments(HOST + path), null, path);
    assert.equal(isTrap(HOST + path), null, path);
  }
});

test('C6 directories and characters are counted', () => {
  const deep = (directories: number) => `${HOST}/${Array.from({ length: directories }, (_, i) => `d${i}/`).join('')}p`;
  assert.equal(judgeDirectoryDepth(deep(20)), null);
  assert.equal(isTrap(deep(20)), null);
  assert.equal(judgeDirectoryDepth(deep(21)), 'trap-directory-depth');
  assert.equal(isTrap(deep(21)), 'trap-directory-depth');
  assert.equal(judgeDirectoryDepth(`${HOST}/?${'a/'.repeat(30)}`), null);
  assert.equal(compileTraps({ maxUrlLength: 2_000, maxDirectories: 2 })(`${HOST}/a/b/c/`), 'trap-directory-depth');
  const long = (length: number) => HOST.padEnd(length, '/x?');
  assert.equal(judgeUrlLength(long(2_000)), null);
  assert.equal(isTrap(long(2_001)), 'trap-url-length');
  assert.equal(judgeUrlLength(long(2_001)), 'trap-url-length');
});

test('the combined scan finds exactly the same as the single rules', () => {
  const random = new SeededRandom(8);
  const pieces = ['/', '/aa', '/bb', '/aa/bb', '/1', '/c', '/ab', '/ba', '?', '#!'];
  const counts = new Map<Reason | null, number>();
  for (let round = 0; round < 30_000; round++) {
    let url = `${HOST}/`;
    for (let count = random.below(26); count > 0; count--) url += random.pick(pieces);
    const expected = judgeUrlLength(url, 80) ?? judgeDirectoryDepth(url, 12) ?? judgeRepeatedSegments(url);
    const found = compileTraps({ maxUrlLength: 80, maxDirectories: 12 })(url);
    if (found !== expected) assert.equal(found, expected, url);
    counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  assert.equal(counts.size, 4, 'every answer has been met');
});

test('session ids are found, and the URL without them is returned', () => {
  const id = '0123456789abcdef0123456789ABCDEF';
  const cases: readonly (readonly [before: string, after: string])[] = [
    [`/a;jsessionid=${id}.node1?b=1`, '/a?b=1'],
    [`/a;JSESSIONID=${id};v=2/b`, '/a;v=2/b'],
    [`/a?PHPSESSID=${id}`, '/a'],
    [`/a?x=1&sid=${id}&y=2`, '/a?x=1&y=2'],
    [`/a?sessionid=${id}#!x`, '/a#!x'],
    ['/a?ASPSESSIONIDQABCDEFG=ABCDEFGHIJKLMNOPQRSTUVWX', '/a'],
    ['/a?CFID=12345&CFTOKEN=98765432&b', '/a?b'],
    ['/(S(lit3py55t21z5v55vlm25s55))/page.aspx', '/page.aspx'],
    ['/(S(lit3py55t21z5v55vlm25s55))', '/'],
  ];
  for (const [before, after] of cases) {
    assert.deepEqual(findSessionId(HOST + before), { reason: 'trap-session-id', instead: HOST + after }, before);
    assert.equal(findSessionId(HOST + after), null, after);
  }
});

test('a parameter that only looks like a session id is kept', () => {
  const honest = [
    '/a',
    '/a?sid=42',
    '/a?sid=introduction-to-economics',
    '/a?session=morning',
    '/a?sessionid=the-keynote-session',
    '/a?cfid=7',
    '/a;v=1',
    '/wiki/Word_(disambiguation)',
    '/..;jsessionid=1/b',
    '/a?q=jsessionid',
    '/a?PHPSESSID=',
  ];
  for (const path of honest) assert.equal(findSessionId(HOST + path), null, path);
});

test('URLs of an endless space share a pattern, and ordinary items have none', () => {
  const cases: readonly (readonly [path: string, pattern: string | null])[] = [
    ['/', null],
    ['/item/123', null],
    ['/item-12-of-34.html', null],
    ['/calendar/2024/05', '/calendar/#/#'],
    ['/calendar/1999/12', '/calendar/#/#'],
    ['/v2/item9x88/y', '/v#/item#x#/y'],
    ['/list?b=2&a=1&b=3', '/list?a&b'],
    ['/list?a=7', '/list?a'],
    ['/list7?f12=x&f3', '/list#?f#'],
    ['/list?', '/list?'],
    ['/a1/b2#!c?d', '/a#/b#'],
    ['/a?b#!c&d', '/a?b'],
  ];
  for (const [path, pattern] of cases) {
    assert.equal(pathPattern(HOST + path), pattern === null ? null : HOST + pattern, path);
  }
  assert.equal(pathPattern('http://h1:81/1/2'), 'http://h1:81/#/#', 'numbers of the host stay');
});
