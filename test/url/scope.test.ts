import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrbweaverError } from '../../src/core/errors.ts';
import { authorityOf, hostnameOf, hostOf, pathOf } from '../../src/url/host.ts';
import { urlKey, urlKeyHex } from '../../src/url/key.ts';
import { compilePattern, compileScope, type Scope } from '../../src/url/scope.ts';

function judge(scope: Scope, seed: string, include: string[] = [], exclude: string[] = []) {
  return compileScope({ scope, seeds: [seed], include, exclude });
}

test('each scope includes exactly the URLs that its name promises', () => {
  const seed = 'http://www.example.co.uk/docs/start?x=/1/';
  const reaches: Record<Scope, readonly [inside: string[], outside: string[]]> = {
    page: [
      [seed, 'https://www.example.co.uk/docs/start?x=/1/'],
      ['http://www.example.co.uk/docs/start', 'http://www.example.co.uk/docs/'],
    ],
    prefix: [
      ['http://www.example.co.uk/docs/', 'https://www.example.co.uk/docs/a/b'],
      ['http://www.example.co.uk/docs', 'http://www.example.co.uk/', 'http://www.example.co.uk:81/docs/a'],
    ],
    host: [
      ['http://www.example.co.uk/', 'https://www.example.co.uk/a'],
      ['http://example.co.uk/', 'http://www.example.co.uk:8080/', 'http://www.example.co.uk.evil.org/'],
    ],
    domain: [
      ['http://example.co.uk/', 'https://a.b.example.co.uk:8443/'],
      ['http://other.co.uk/', 'http://notexample.co.uk/', 'http://example.com/'],
    ],
    any: [['http://example.org/', 'http://127.0.0.1/'], []],
  };
  for (const [scope, [inside, outside]] of Object.entries(reaches)) {
    const isOut = judge(scope as Scope, seed);
    assert.equal(isOut(seed), null, `${scope}: the seed`);
    for (const url of inside) assert.equal(isOut(url), null, `${scope}: ${url}`);
    for (const url of outside) assert.equal(isOut(url), 'out-of-scope', `${scope}: ${url}`);
  }
});

test('domains respect private suffixes, and a host without a domain stands for itself', () => {
  const cases: readonly (readonly [seed: string, url: string, inside: boolean])[] = [
    ['http://a.github.io/', 'http://b.github.io/', false],
    ['http://a.github.io/', 'http://c.a.github.io/', true],
    ['http://127.0.0.1:1/', 'http://127.0.0.1:2/', true],
    ['http://127.0.0.1/', 'http://1.0.0.1/', false],
    ['http://[::1]:8080/', 'http://[::1]/', true],
    ['http://[::1]/', 'http://[::2]/', false],
    ['http://localhost/', 'http://localhost:81/', true],
    ['http://github.io/', 'http://a.github.io/', false],
  ];
  for (const [seed, url, inside] of cases) {
    const isOut = judge('domain', seed);
    for (const again of [1, 2]) assert.equal(isOut(url) === null, inside, `${seed} → ${url}, time ${again}`);
  }
});

test('clearing the domain cache does not change an answer', () => {
  const isOut = judge('domain', 'http://example.com/');
  for (let index = 0; index < 25_000; index++) {
    if (isOut(`http://h${index}.example.com/`) !== null) assert.fail(`inside ${index}`);
    if (isOut(`http://example${index}.com/`) === null) assert.fail(`outside ${index}`);
  }
});

test('exclude beats include, and a seed is inside unless excluded', () => {
  const isOut = judge('host', 'http://a.org/', ['*/docs/*', '*.html'], ['*/private/*', '/\\.PDF$/i']);
  assert.equal(isOut('http://a.org/'), null);
  assert.equal(isOut('http://a.org/docs/x'), null);
  assert.equal(isOut('http://a.org/x.html'), null);
  assert.equal(isOut('http://a.org/x'), 'excluded');
  assert.equal(isOut('http://a.org/docs/private/x'), 'excluded');
  assert.equal(isOut('http://a.org/docs/x.pdf'), 'excluded');
  assert.equal(isOut('http://b.org/docs/x'), 'out-of-scope');
  assert.equal(judge('any', 'http://a.org/', [], ['http://a.org/'])('http://a.org/'), 'excluded');
  const twoSeeds = compileScope({
    scope: 'page',
    seeds: ['http://a.org/x/y', 'http://b.org/'],
    include: [],
    exclude: [],
  });
  assert.deepEqual(['http://a.org/x/y', 'http://b.org/', 'http://a.org/x/'].map(twoSeeds), [
    null,
    null,
    'out-of-scope',
  ]);
});

test('globs match the whole URL, and ? is an ordinary character', () => {
  const cases: readonly (readonly [pattern: string, url: string, matches: boolean])[] = [
    ['http://a/b', 'http://a/b', true],
    ['http://a/b', 'http://a/bc', false],
    ['http://a/*', 'http://a/', true],
    ['*?page=*', 'http://a/?page=2', true],
    ['*?page=*', 'http://a/xpage=2', false],
    ['http://**.html', 'http://a/b/c.html', true],
    ['*ab*ab', 'xab', false],
    ['*ab*ab', 'xabab', true],
    ['a*a', 'a', false],
    ['*', '', true],
    ['*.(x)', 'http://a/.(x)', true],
  ];
  for (const [pattern, url, matches] of cases) assert.equal(compilePattern(pattern)(url), matches, `${pattern} ${url}`);
});

test('a glob of many stars takes linear time', () => {
  const matches = compilePattern(`${'*a'.repeat(5_000)}*b`);
  assert.equal(matches('a'.repeat(60_000)), false);
  assert.equal(matches(`${'a'.repeat(60_000)}b`), true);
});

test('a bad pattern is a usage error', () => {
  for (const pattern of ['/(/', '/a/g', '/a/xyz', '']) {
    assert.throws(
      () => compilePattern(pattern),
      (error) => error instanceof OrbweaverError && error.code === 'ERR_BAD_OPTION',
      pattern,
    );
  }
  const matches = compilePattern('/^http:.*b$/');
  assert.deepEqual([matches('http://a/b'), matches('http://a/b'), matches('http://a/c')], [true, true, false]);
});

test('the parts of a normal form are found by slicing', () => {
  const url = 'https://[::1]:8080/a/b?c=/d#!e';
  assert.equal(hostOf(url), 'https://[::1]:8080');
  assert.equal(pathOf(url), '/a/b?c=/d');
  assert.equal(authorityOf(url), '[::1]:8080');
  assert.equal(hostnameOf(hostOf(url)), '[::1]');
  assert.equal(hostOf('http://a/'), 'http://a');
  assert.equal(pathOf('http://a/'), '/');
  assert.equal(hostnameOf('http://a'), 'a');
  assert.equal(hostnameOf('http://[::1]'), '[::1]');
  assert.equal(hostnameOf('https://example.com:81'), 'example.com');
});

test('M1 the key of a URL is the first 16 bytes of its SHA-256', () => {
  // SHA-256 of the empty text, from the standard.
  assert.equal(urlKey('').toString('hex'), 'e3b0c44298fc1c149afbf4c8996fb924');
  assert.equal(urlKey('http://example.com/').length, 16);
  assert.equal(urlKeyHex('http://a/'), urlKey('http://a/').toString('hex'));
  assert.notDeepEqual(urlKey('http://a/'), urlKey('http://b/'));
});

test('a regular expression is not run on a URL that is longer than any URL may be', () => {
  const matches = compilePattern('/x/', 20);
  assert.equal(matches('http://a.example/x'), true);
  assert.equal(matches('http://a.example/xxxxxxxxxx'), false);
});
