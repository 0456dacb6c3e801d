import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NormalizeRules, UrlNormalizer } from '../../src/url/normalize.ts';
import { compileQueryRules } from '../../src/url/query-parameters.ts';
import { type FormRules, standardForm } from '../../src/url/standard-form.ts';
import { SeededRandom } from '../../testbed/random.ts';

const BASES = [
  'http://example.com/',
  'http://Example.com:80/a/b/c.html?q=1&utm_x=2#top',
  'https://example.com./a//b//',
  'http://127.0.0.1:8080/%7euser/100%/x',
  'http://user@[::1]:8080/a/../b/.hidden/?',
  'http://example.com/%/%4?%',
  'https://bücher.example/ä/ö#!/x',
];
const SCHEMES = ['http://', 'https://', '//', 'HTTP://', 'http:/', 'http:', 'https:\\\\', 'ftp://', 'mailto:', 'a:'];
const AUTHORITIES = [
  'example.com',
  'example.com',
  'WWW.Example.ORG',
  'example.com:80',
  'example.com:443',
  'example.com:8080',
  'example.com:',
  'example.com:99999',
  'example.com.',
  '0x7f..',
  '1.2.3',
  'foo.1',
  'a..b',
  '.',
  '-a-',
  'xn--bcher-kva.de',
  'xn--a',
  'a-b.example.co.uk',
  'a--b.com',
  'a-.com',
  'a.-b.com',
  '9gag.com',
  'example.0x1',
  'example.9a',
  'a_b.c',
  'u:p@h',
  '[::1]',
  '',
  'h:1:2',
  ':80',
];
const PIECES = [
  ...'abcxyzABZ0149-_~.!$&()*+,;=@:/?#',
  ...'\'"%\\ \t\n<>[]{}|^`é€\u{1f600}\u0000\u007f\ud800',
  ...['/', '/', '/', '//', './', '../', '..', '.', '/.', '/..', '/../', '..;', '.html', 'index', 'page'],
  ...['%7E', '%7e', '%2F', '%2f', '%2E', '%2e%2E', '%41', '%C3%A9', '%c3', '%', '%%', '%4', '%25', '%zz', '%3', '%20'],
  ...['?', '?a=1', '&b=2', '&&', '#', '#!', '#!/x', '?utm_a=1', '&utm_b', '&a=0', '=', 'http://', 'http:', 'data:'],
];
const ORDINARY = [...'abcdefghij0123456789-_.', '/', '/', '/a', 'b/', '../', '?x=', '&y=', '.html', '%C3%A9', '#a'];

function randomHref(random: SeededRandom): string {
  const kind = random.below(10);
  let href = '';
  if (kind < 3) href = random.pick(SCHEMES) + random.pick(AUTHORITIES);
  if (kind === 3) href = random.pick(['http://example.com', 'http://127.0.0.1:8080', 'https://example.com']);
  if (kind === 5) href = `http://${randomHostname(random)}/`;
  if (kind === 4) href = random.pick(['../', '../../', './', '/', '?', '#', '//', ' ']);
  // Half of the URLs are nearly ordinary, so that the fast paths are taken and left at every point.
  const pieces = random.below(2) === 0 ? ORDINARY : PIECES;
  for (let count = random.below(10); count > 0; count--) {
    href += random.below(12) === 0 ? random.pick(PIECES) : random.pick(pieces);
  }
  return href;
}

function randomHostname(random: SeededRandom): string {
  let hostname = '';
  for (let count = 1 + random.below(8); count > 0; count--) hostname += random.pick([...'abcxn019--..', 'xn--', 'com']);
  return hostname;
}

const RULES: readonly NormalizeRules[] = [
  { sortQuery: false, dropParameters: [], keepFragment: 'never' },
  { sortQuery: true, dropParameters: ['utm_*'], keepFragment: 'hashbang' },
];

for (const [seed, rules] of RULES.entries()) {
  test(`the fast paths give the same normal form as the standard, and it is stable: rules ${seed}`, () => {
    const random = new SeededRandom(seed + 1);
    const normalizer = new UrlNormalizer(rules);
    const formRules: FormRules = {
      keepHashbang: rules.keepFragment === 'hashbang',
      rewriteQuery: compileQueryRules(rules.sortQuery, rules.dropParameters),
    };
    const resolvers = BASES.map((base) => normalizer.resolver(base));
    let urls = 0;
    for (let round = 0; round < 125_000; round++) {
      const index = random.below(BASES.length);
      const href = randomHref(random);
      const expected = standardForm(href, BASES[index], formRules);
      const about = () => `${JSON.stringify(href)} on ${BASES[index]}`;
      const resolved = resolvers[index]!(href);
      if (resolved !== expected) assert.equal(resolved, expected, about());
      const absolute = normalizer.normalize(href);
      if (absolute !== standardForm(href, undefined, formRules)) assert.fail(`absolute ${about()}: ${absolute}`);
      if (expected === null) continue;
      urls++;
      if (normalizer.normalize(expected) !== expected) assert.fail(`not stable: ${expected} of ${about()}`);
      if (standardForm(expected, undefined, formRules) !== expected) assert.fail(`not standard: ${expected}`);
    }
    assert.ok(urls > 60_000, `only ${urls} were URLs at all`);
  });
}
