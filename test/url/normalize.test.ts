import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_NORMALIZE_RULES, TRACKING_PARAMETERS, UrlNormalizer } from '../../src/url/normalize.ts';

const normalizer = new UrlNormalizer(DEFAULT_NORMALIZE_RULES);

const CASES: readonly (readonly [rule: string, before: string, after: string | null])[] = [
  ['scheme and host in lower case', 'HTTP://EXAMPLE.Com/Path', 'http://example.com/Path'],
  ['default port dropped', 'http://example.com:80/', 'http://example.com/'],
  ['default port of https dropped', 'https://example.com:443/', 'https://example.com/'],
  ['other port kept', 'https://example.com:80/', 'https://example.com:80/'],
  ['empty port dropped', 'http://example.com:/', 'http://example.com/'],
  ['empty path', 'http://example.com', 'http://example.com/'],
  ['empty path before a query', 'http://example.com?a', 'http://example.com/?a'],
  ['dot segments', 'http://example.com/a/./b/../c', 'http://example.com/a/c'],
  ['encoded dot segments', 'http://example.com/a/%2e/b/%2E%2e/c', 'http://example.com/a/c'],
  ['more parents than directories', 'http://example.com/../../a', 'http://example.com/a'],
  ['empty segments kept', 'http://example.com//a//b', 'http://example.com//a//b'],
  ['backslashes are slashes', 'http:\\\\example.com\\a', 'http://example.com/a'],
  ['unreserved decoded', 'http://example.com/%7Euser/%41%2Dz', 'http://example.com/~user/A-z'],
  ['reserved stay encoded', 'http://example.com/a%2fb%3Fc%23', 'http://example.com/a%2Fb%3Fc%23'],
  ['hex in upper case', 'http://example.com/%c3%a9', 'http://example.com/%C3%A9'],
  ['non-ASCII encoded', 'http://example.com/é?é', 'http://example.com/%C3%A9?%C3%A9'],
  ['bare percent kept', 'http://example.com/100%', 'http://example.com/100%'],
  ['no triplet made by decoding', 'http://example.com/%%34%31', 'http://example.com/%%341'],
  ['no triplet made across a digit', 'http://example.com/%4%31', 'http://example.com/%4%31'],
  ['empty query dropped', 'http://example.com/a?', 'http://example.com/a'],
  ['question mark as query kept', 'http://example.com/a??', 'http://example.com/a??'],
  ['order of parameters kept', 'http://example.com/?b=2&a=1&', 'http://example.com/?b=2&a=1&'],
  ['user name dropped', 'http://user:secret@example.com/', 'http://example.com/'],
  ['trailing dot of the host dropped', 'http://example.com.:8080/', 'http://example.com:8080/'],
  ['trailing dots hide an address', 'http://0x7f000001../', 'http://127.0.0.1/'],
  ['nothing but dots', 'http://../', null],
  ['fragment dropped', 'http://example.com/a#b', 'http://example.com/a'],
  ['hashbang dropped by default', 'http://example.com/#!/a', 'http://example.com/'],
  ['spaces and controls around', ' \u0000\thttp://example.com/a\u001f \n', 'http://example.com/a'],
  ['tabs and newlines inside', 'ht\ntp://exam\tple.com/a\r\nb', 'http://example.com/ab'],
  ['international host', 'http://BÜCHER.example/', 'http://xn--bcher-kva.example/'],
  ['addresses in other clothes', 'http://0x7f.1/', 'http://127.0.0.1/'],
  ['IPv6', 'http://[::0001]:80/', 'http://[::1]/'],
  ['no host', 'http://', null],
  ['bad port', 'http://example.com:99999/a', null],
  ['bad host', 'http://exa mple.com/', null],
  ['relative text is no URL', '/a/b', null],
  ['empty text is no URL', '', null],
  ...['javascript:alert(1)', 'mailto:a@b.c', 'tel:+1', 'data:text/html,x', 'ftp://a.b/', 'blob:http://a/b'].map(
    (url) => ['other schemes', url, null] as const,
  ),
];

test('C3 E7 each rule of the normal form holds, and a normal form is its own normal form', () => {
  for (const [rule, before, after] of CASES) {
    assert.equal(normalizer.normalize(before), after, rule);
    if (after !== null) assert.equal(normalizer.normalize(after), after, `${rule}, again`);
  }
});

test('links of a page are resolved to normal form', () => {
  const resolve = normalizer.resolver('http://Example.com:80/dir/sub/page.html?q=1#top');
  const links: Record<string, string | null> = {
    '': 'http://example.com/dir/sub/page.html?q=1',
    '#there': 'http://example.com/dir/sub/page.html?q=1',
    '?q=2': 'http://example.com/dir/sub/page.html?q=2',
    '?': 'http://example.com/dir/sub/page.html',
    'b.html': 'http://example.com/dir/sub/b.html',
    './b.html': 'http://example.com/dir/sub/b.html',
    '../b.html#c': 'http://example.com/dir/b.html',
    '../../../../b': 'http://example.com/b',
    '..': 'http://example.com/dir/',
    'b/../c': 'http://example.com/dir/sub/c',
    '/b': 'http://example.com/b',
    '//other.org/b': 'http://other.org/b',
    'http:b': 'http://example.com/dir/sub/b',
    'https:b': 'https://b/',
    'b:c': null,
    './b:c': 'http://example.com/dir/sub/b:c',
    'JavaScript:void(0)': null,
    ' https://other.org ': 'https://other.org/',
    'http://[bad/': null,
  };
  for (const [href, url] of Object.entries(links)) assert.equal(resolve(href), url, JSON.stringify(href));
});

test('a page without a usable URL still resolves its absolute links', () => {
  const resolve = normalizer.resolver('about:blank');
  assert.equal(resolve('http://example.com'), 'http://example.com/');
  assert.equal(resolve('/a'), null);
});

test('hashbang fragments are kept only by rule', () => {
  const keeping = new UrlNormalizer({ ...DEFAULT_NORMALIZE_RULES, keepFragment: 'hashbang' });
  assert.equal(keeping.normalize('http://example.com/a#!/b%7e'), 'http://example.com/a#!/b~');
  assert.equal(keeping.normalize('http://example.com/a#b'), 'http://example.com/a');
  assert.equal(keeping.normalize('http://example.com/a#!'), 'http://example.com/a');
  assert.equal(keeping.resolver('http://example.com/a#!/b')('#!/c'), 'http://example.com/a#!/c');
  assert.equal(keeping.resolver('http://example.com/a#!/b')(''), 'http://example.com/a');
});

test('the query rules drop and sort', () => {
  const sorting = new UrlNormalizer({ ...DEFAULT_NORMALIZE_RULES, sortQuery: true });
  assert.equal(sorting.normalize('http://a/?b=2&a=2&&a=1&A=3'), 'http://a/?A=3&a=2&a=1&b=2');
  const dropping = new UrlNormalizer({ ...DEFAULT_NORMALIZE_RULES, dropParameters: TRACKING_PARAMETERS });
  assert.equal(dropping.normalize('http://a/?utm_source=x&gclid=1'), 'http://a/');
  assert.equal(dropping.normalize('http://a/?utm%5Fsource=x&id=1&fbclid&b'), 'http://a/?id=1&b');
  assert.equal(dropping.normalize('http://a/?utm=x&gclidx=1'), 'http://a/?utm=x&gclidx=1');
  assert.equal(dropping.resolver('http://a/?gclid=1')(''), 'http://a/');
});

test('a text too long for a URL is refused, and so is one that encoding makes too long', () => {
  assert.equal(normalizer.normalize(`http://a/${'a'.repeat(70_000)}`), null);
  assert.equal(normalizer.normalize(`http://a/${'é'.repeat(20_000)}`), null);
  assert.equal(normalizer.resolver(`http://a/${'b'.repeat(60_000)}/`)('c'.repeat(6_000)), null);
});

test('a host name that is too long for DNS is refused in every spelling', () => {
  const urls = new UrlNormalizer();
  const longest = `${'a'.repeat(60)}.`.repeat(4) + 'b'.repeat(9);
  const kept = `http://${longest}/x`;
  assert.equal(longest.length, 253);
  for (const written of [
    kept,
    kept.toUpperCase().replace('/X', '/x'),
    `http://${longest}./x`,
    `http://${longest}:80/x`,
  ]) {
    assert.equal(urls.normalize(written), kept);
  }
  const long = `http://${longest}b`;
  for (const written of [`${long}/x`, `${long}./x`, `${long}:81/x`, `${long.toUpperCase()}/x`, long, `${long}?x`]) {
    assert.equal(urls.normalize(written), null, written);
    assert.equal(urls.resolver('http://a.test/')(written), null, written);
  }
  assert.equal(urls.resolver('http://a.test/')(long.slice('http:'.length)), null);
});
