import assert from 'node:assert/strict';
import { test } from 'node:test';
import { robotsFor } from '../../src/robots/match.ts';
import { MAX_ROBOTS_BYTES, parseRobotsTxt } from '../../src/robots/parse-robots-txt.ts';
import { SeededRandom } from '../../testbed/random.ts';

const PRIVATE = 'User-agent: *\nDisallow: /private\n';

function isPrivate(text: string | Buffer): boolean {
  const rules = robotsFor(parseRobotsTxt(text), 'orbweaver');
  return !rules.allows('/private/x') && rules.allows('/public');
}

test('any line ending, byte order mark, spaces and comments', () => {
  const variants: (string | Buffer)[] = [
    PRIVATE,
    PRIVATE.replaceAll('\n', '\r\n'),
    PRIVATE.replaceAll('\n', '\r'),
    PRIVATE.replaceAll('\n', '\n\n\n'),
    `\ufeff${PRIVATE}`,
    Buffer.from(`\ufeff${PRIVATE}`),
    '  user-agent\t:\t*  # us\n\tDISALLOW  :  /private  \t# this',
    'User-agent: *#x\nDisallow:/private#y',
    'User-agent *\nDisallow /private',
    'useragent: *\ndissallow: /private',
    'User-agent: * (everyone)\nDisallow: /private',
    'User-agent: *\nan unknown line\n:\n::\nDisallow: /private',
  ];
  for (const text of variants) assert.ok(isPrivate(text), JSON.stringify(text.toString()));
});

test('lines that are not records are ignored', () => {
  assert.ok(!isPrivate('User-agent: *\nDisallow /private and more'));
  assert.ok(!isPrivate('User-agent: *\n#Disallow: /private'));
  assert.ok(!isPrivate('User-agent: *\nDisallow# : /private'));
  assert.ok(!isPrivate('<html><body>User-agent: *<br>Disallow: /private</body></html>'));
});

test('RFC 9309 2.2.2 an octet outside ASCII matches itself however rule and path spell it, and no other octet', () => {
  const spelled = (octet: number) => `%${octet.toString(16).padStart(2, '0')}`;
  for (let octet = 128; octet < 256; octet++) {
    for (const written of [String.fromCharCode(octet), spelled(octet), spelled(octet).toUpperCase()]) {
      const text = Buffer.from(`User-agent: *\nDisallow: /?q=${written}x*y`, 'latin1');
      const rules = robotsFor(parseRobotsTxt(text), 'orbweaver');
      for (const path of [spelled(octet), spelled(octet).toUpperCase()]) {
        assert.equal(rules.allows(`/?q=${path}xzy`), false, `${written} ${path}`);
        assert.equal(rules.allows(`/?q=${spelled(octet ^ 1)}xzy`), true, `${written} ${path}`);
      }
    }
  }
  // A file and a link in windows-1251: the crawler compares the bytes, whatever they mean.
  const russian = robotsFor(
    parseRobotsTxt(Buffer.from('User-agent: *\nDisallow: /?q=\xf2\xe5', 'latin1')),
    'orbweaver',
  );
  assert.equal(russian.allows('/?q=%F2%E5%F1%F2'), false);
  assert.equal(russian.allows('/?q=%D1%82%D0%B5'), true);
});

test('octets that are not UTF-8 are compared as octets', () => {
  const file = parseRobotsTxt(Buffer.from('User-agent: *\nDisallow: /caf\xe9\n\xff\xfe: \x00\n', 'latin1'));
  const rules = robotsFor(file, 'orbweaver');
  assert.equal(rules.allows('/caf%E9'), false);
  assert.equal(rules.allows('/caf%C3%A9'), true);
});

test('Crawl-delay belongs to the agents named before it and is bounded', () => {
  const text = `User-agent: slow
Crawl-delay: 10
User-agent: *
Disallow: /x
Crawl-delay: 0.5
User-agent: *
Crawl-delay: 2
User-agent: greedy
Crawl-delay: 99999999999999999999
Crawl-delay: never
Disallow: /y
User-agent: none
Crawl-delay: -1
Allow: /
`;
  const delayOf = (token: string) => robotsFor(parseRobotsTxt(text), token).crawlDelayMs;
  assert.equal(delayOf('slow'), 10_000);
  assert.equal(delayOf('orbweaver'), 2_000);
  assert.equal(delayOf('greedy'), 3_600_000);
  assert.equal(delayOf('none'), null);
  assert.equal(robotsFor(parseRobotsTxt(PRIVATE), 'slow').crawlDelayMs, null);
});

test('RFC 9309 2.5 only the first 500 KiB count, without an incomplete last line', () => {
  const filler = `#${'x'.repeat(98)}\n`.repeat(MAX_ROBOTS_BYTES / 100 - 1);
  const head = 'User-agent: *\nDisallow: /early\n';
  const text = head + filler;
  const room = MAX_ROBOTS_BYTES - text.length;
  const cut = `${'#'.repeat(room - 12)}\nDisallow: /late\n`;
  for (const whole of [text + cut, Buffer.from(text + cut)]) {
    const rules = robotsFor(parseRobotsTxt(whole), 'orbweaver');
    assert.equal(rules.allows('/early'), false);
    assert.equal(rules.allows('/'), true, '`Disallow: /` is half of `Disallow: /late`');
    assert.equal(rules.allows('/late'), true);
  }
});

test('50 MB of robots text are no more work than 500 KiB', () => {
  const huge = Buffer.alloc(50_000_000, 'User-agent: *\nDisallow: /private\n');
  assert.ok(isPrivate(huge));
  assert.ok(parseRobotsTxt(huge).groups.length <= MAX_ROBOTS_BYTES / 32 + 1);
});

test('a file of nothing but agents, delays or rules stays linear', () => {
  const agents = Array.from({ length: 20_000 }, (_, index) => `User-agent: bot${index}`).join('\n');
  const delays = 'Crawl-delay: 1\n'.repeat(15_000);
  const file = parseRobotsTxt(`${agents}\n${delays}Disallow: /x`);
  assert.equal(file.groups.length, 1);
  assert.equal(robotsFor(file, 'bot7').crawlDelayMs, 1_000);
});

test('the parser and the matcher never throw, whatever the bytes are', () => {
  const random = new SeededRandom(9309);
  const pieces = [
    'User-agent',
    'Disallow',
    'Allow',
    ':',
    ' ',
    '*',
    '$',
    '/',
    '%',
    '%4',
    'a',
    '#',
    '\n',
    '\r',
    '\xff',
    '\0',
  ];
  for (let round = 0; round < 5_000; round++) {
    let text = 'User-agent: *\n';
    for (let count = random.below(40); count > 0; count--) text += random.pick(pieces);
    const rules = robotsFor(parseRobotsTxt(Buffer.from(text, 'latin1')), '*');
    assert.equal(typeof rules.allows('/a/%4*$a%ff\ud800'), 'boolean');
    rules.allows('');
  }
});

test('the line with the watcher report belongs to no group, and the first one counts', () => {
  const file = parseRobotsTxt(
    'User-agent: a\nOrbweaver-Report: https://a.test/r%C3%A9\nDisallow: /x\norbweaver-report: https://a.test/two\n',
  );
  assert.equal(file.report, 'https://a.test/r%C3%A9');
  assert.deepEqual(file.groups, [{ agents: ['a'], rules: [{ allow: false, pattern: '/x' }], crawlDelays: [] }]);
  assert.equal(parseRobotsTxt('Orbweaver-Report:\nDisallow: /').report, '');
});
