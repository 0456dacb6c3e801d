import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RobotsRules, robotsFor } from '../../src/robots/match.ts';
import { parseRobotsTxt } from '../../src/robots/parse-robots-txt.ts';

function rulesOf(text: string | Buffer, token = 'orbweaver'): RobotsRules {
  return robotsFor(parseRobotsTxt(text), token);
}

/** Asks the rules of one group for all crawlers about paths. */
function answers(rules: string, expected: Record<string, boolean>): void {
  const robots = rulesOf(`User-agent: *\n${rules}`);
  for (const [path, allowed] of Object.entries(expected)) {
    assert.equal(robots.allows(path), allowed, `${rules.replaceAll('\n', ' | ')}  asked about ${path}`);
  }
}

test('RFC 9309 5.1 simple example', () => {
  const text = `User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF
`;
  const paths = ['/', '/a.gif', '/example/page.html', '/example/allowed.gif', '/publications/x', '/publications/x.gif'];
  const expected: Record<string, boolean[]> = {
    anybot: [true, false, false, false, true, true],
    foobot: [false, false, true, true, false, false],
    barbot: [true, true, false, true, true, true],
    bazbot: [true, true, false, true, true, true],
    quxbot: [true, true, true, true, true, true],
  };
  for (const [token, allowed] of Object.entries(expected)) {
    assert.deepEqual(
      paths.map((path) => rulesOf(text, token).allows(path)),
      allowed,
      token,
    );
  }
});

test('RFC 9309 5.2 longest match', () => {
  const rules = rulesOf(
    'User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n',
    'foobot',
  );
  assert.equal(rules.allows('/example/page/'), true);
  assert.equal(rules.allows('/example/page/disallowed.gif'), false);
  assert.equal(rules.allows('/other'), true);
});

test('RFC 9309 2.2.1 groups of the same agent are merged, in any letter case', () => {
  const text = `user-agent: ExampleBot
disallow: /foo
disallow: /bar

User-agent: *
Disallow: /everyone

USER-AGENT: EXAMPLEBOT/2.1 (the old one)
DISALLOW: /baz
`;
  const rules = rulesOf(text, 'examplebot');
  assert.deepEqual(
    ['/foo', '/bar', '/baz', '/everyone'].map((path) => rules.allows(path)),
    [false, false, false, true],
  );
  assert.equal(rulesOf(text, 'ExampleBot').allows('/baz'), false);
  assert.equal(rulesOf(text, 'Example').allows('/foo'), true, 'a shorter token is another crawler');
  assert.equal(rulesOf(text, 'ExampleBotNews').allows('/foo'), true, 'a longer token is another crawler');
  assert.equal(rulesOf(text, 'Example').allows('/everyone'), false);
});

test('RFC 9309 2.2.1 without a group for us or for everyone all is allowed', () => {
  assert.equal(rulesOf('User-agent: other\nDisallow: /').allows('/a'), true);
  assert.equal(rulesOf('').allows('/a'), true);
  assert.equal(rulesOf('Disallow: /').allows('/a'), true, 'rules before any agent are nobody’s');
  assert.equal(rulesOf('User-agent: *\nDisallow: /', '').allows('/a'), false, 'a nameless crawler is everyone');
  assert.equal(rulesOf('User-agent:\nDisallow: /', '').allows('/a'), true, 'a nameless line is nobody');
});

test('RFC 9309 2.2.2 octets are compared as in the table', () => {
  answers('Disallow: /foo/bar?baz=quz', { '/foo/bar?baz=quz': false, '/foo/bar?baz=qu': true, '/foo/bar': true });
  answers('Disallow: /foo/bar?baz=https://foo.bar', {
    '/foo/bar?baz=https%3A%2F%2Ffoo.bar': false,
    '/foo/bar?baz=https://foo.bar': false,
  });
  for (const pattern of ['/foo/bar/ツ', '/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84']) {
    answers(`Disallow: ${pattern}`, { '/foo/bar/%E3%83%84': false, '/foo/bar/%e3%83%84': false, '/foo/bar/ツ': false });
  }
  answers('Disallow: /foo/bar/%62%61%7A', { '/foo/bar/baz': false, '/foo/bar/%62az': false, '/foo/bar/ba': true });
  answers('Disallow: /foo/bar/baz', { '/foo/bar/%62%61%7A': false });
  answers('Disallow: /a%2Fb', { '/a/b': true, '/a%2Fb': false, '/a%2fb': false });
  answers('Disallow: /a/b', { '/a%2Fb': true });
  answers('Disallow: /a b{c}', { '/a%20b%7Bc%7D': false });
  answers("Disallow: /?q='", { '/?q=%27x': false });
  answers('Disallow: /100%', { '/100%': false, '/100%25': false });
});

test('RFC 9309 2.2.2 the rule with the most octets decides, and between equal rules the one that allows', () => {
  answers('Disallow: /page\nAllow: /page', { '/page': true });
  answers('Allow: /page\nDisallow: /page', { '/page': true });
  answers('Allow: /p\nDisallow: /', { '/page': true, '/x': false });
  answers('Allow: /folder\nDisallow: /folder', { '/folder/page': true });
  answers('Allow: /page\nDisallow: /*.htm', { '/page.htm': false, '/page': true });
  answers('Allow: /$\nDisallow: /', { '/': true, '/page.htm': false });
  answers('Disallow: /ab*\nAllow: /abc', { '/abcd': true, '/abd': false });
  answers('Allow: /ab*\nDisallow: /abc', { '/abcd': true });
  answers('Disallow: /*a\nDisallow: /*b\nAllow: /*c', { '/abc': true, '/ab': false });
});

test('RFC 9309 2.2.2 robots.txt itself is always allowed, and empty rules have no effect', () => {
  answers('Disallow: /', { '/robots.txt': true, '/robots.txt?x': false, '/robots.txta': false });
  answers('Disallow:', { '/': true, '/a': true });
  answers('Disallow: /\nAllow:', { '/a': false });
});

test('RFC 9309 2.2.3 special characters', () => {
  answers('Disallow: /this/path/exactly$', { '/this/path/exactly': false, '/this/path/exactly/': true });
  answers('Disallow: /this/*/exactly', {
    '/this/path/exactly': false,
    '/this/exactly': true,
    '/this/a/b/exactly2': false,
  });
  answers('Disallow: /a # all of it', { '/a': false });
  answers('Disallow: /path/file-with-a-%2A.html', {
    '/path/file-with-a-*.html': false,
    '/path/file-with-a-b.html': true,
  });
  answers('Disallow: /path/foo-%24', { '/path/foo-$': false, '/path/foo-': true });
  answers('Disallow: /a$b', { '/a$b': false, '/a': true });
  answers('Disallow: /*.php$', { '/x.php': false, '/x.php?y': true, '/x.php5': true, '/.php': false });
  answers('Disallow: *', { '/': false, '/a': false });
  answers('Disallow: /a**b', { '/ab': false, '/axb': false, '/a': true });
  answers('Disallow: /ab*ab$', { '/ab': true, '/abab': false, '/abxab': false });
  answers('Disallow: /$', { '/': false, '/a': true });
  answers('Disallow: private', { '/private/x': false, '/x/private': true });
});

test('RFC 9309 2.2.4 other records do not interfere', () => {
  const text = `Sitemap: http://a/1.xml
User-agent: a
Sitemap: http://a/2.xml
Noindex: /x
User-agent: orbweaver
Host: example.com
Disallow: /x
Sitemap: http://a/é.xml
Sitemap: http://a/1.xml
Disallow: /y
`;
  const rules = rulesOf(text);
  assert.deepEqual(rules.sitemaps, ['http://a/1.xml', 'http://a/2.xml', 'http://a/é.xml']);
  assert.deepEqual([rules.allows('/x'), rules.allows('/y')], [false, false]);
  assert.equal(rulesOf(text, 'a').allows('/y'), false);
});
