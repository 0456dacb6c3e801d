import assert from 'node:assert/strict';
import { test } from 'node:test';
import { robotsFor } from '../../src/robots/match.ts';
import { parseRobotsTxt } from '../../src/robots/parse-robots-txt.ts';
import { compilePieceSearch, findPiece } from '../../src/robots/wildcard-rules.ts';
import { SeededRandom } from '../../testbed/random.ts';

/** The rule of the RFC in the simplest code: it tries every rule, by recursion over every way to match. */
function plainlyAllows(rules: readonly { allow: boolean; pattern: string }[], path: string): boolean {
  let best = { octets: 0, allow: true };
  for (const { allow, pattern } of rules) {
    if (!plainlyMatches(pattern, path)) continue;
    const octets = pattern.length;
    if (octets > best.octets || (octets === best.octets && allow)) best = { octets, allow };
  }
  return best.allow;
}

function plainlyMatches(pattern: string, path: string): boolean {
  if (pattern === '') return true;
  if (pattern === '$') return path === '';
  if (pattern[0] === '*') {
    return plainlyMatches(pattern.slice(1), path) || (path !== '' && plainlyMatches(pattern, path.slice(1)));
  }
  return path !== '' && pattern[0] === path[0] && plainlyMatches(pattern.slice(1), path.slice(1));
}

test('the matching rule is the same as in a plain implementation of the RFC', () => {
  const random = new SeededRandom(226);
  let refused = 0;
  for (let round = 0; round < 4_000; round++) {
    const rules = Array.from({ length: 1 + random.below(8) }, () => {
      let pattern = '/';
      for (let count = random.below(6); count > 0; count--) {
        // No adjacent stars: the program counts a run of stars as one star, the plain matcher counts each star.
        const letter = random.pick([...'aab/b*']);
        if (letter !== '*' || !pattern.endsWith('*')) pattern += letter;
      }
      if (random.below(4) === 0) pattern += '$';
      return { allow: random.below(2) === 0, pattern };
    });
    const text = rules.map(({ allow, pattern }) => `${allow ? 'Allow' : 'Disallow'}: ${pattern}`).join('\n');
    const robots = robotsFor(parseRobotsTxt(`User-agent: *\n${text}`), 'orbweaver');
    for (let asked = 0; asked < 10; asked++) {
      let path = '/';
      for (let count = random.below(7); count > 0; count--) path += random.pick([...'aab/b']);
      const expected = plainlyAllows(rules, path);
      if (!expected) refused++;
      assert.equal(robots.allows(path), expected, `${text} asked about ${path}`);
    }
  }
  assert.ok(refused > 4_000, 'both answers are met often');
});

test('thousands of prefixes give the longest one', () => {
  const lines: string[] = [];
  for (let index = 0; index < 12_000; index++) lines.push(`Disallow: /d${index}/`, `Allow: /d${index}/open/`);
  const robots = robotsFor(parseRobotsTxt(`User-agent: *\n${lines.join('\n')}`), 'orbweaver');
  for (let index = 0; index < 12_000; index += 7) {
    assert.equal(robots.allows(`/d${index}/x`), false);
    assert.equal(robots.allows(`/d${index}/open/x`), true);
    assert.equal(robots.allows(`/d${index}`), true);
  }
});

test('nested prefixes are walked up to the one that matches', () => {
  const lines = Array.from({ length: 900 }, (_, index) => `${index % 2 ? 'Allow' : 'Disallow'}: /${'a'.repeat(index)}`);
  const robots = robotsFor(parseRobotsTxt(`User-agent: *\n${lines.join('\n')}`), 'orbweaver');
  for (let length = 0; length < 900; length++) assert.equal(robots.allows(`/${'a'.repeat(length)}`), length % 2 === 1);
});

test('patterns that are built to explode are matched in linear time', () => {
  const path = `/${'a'.repeat(20_000)}`;
  const bombs = [
    `/${'*a'.repeat(10_000)}*b`,
    `/${'a*'.repeat(5_000)}b$`,
    `/${'*aa'.repeat(9_000)}b$`,
    `/*${'a'.repeat(10_000)}b`,
    `/*b${'a'.repeat(10_000)}`,
    `/*${'a'.repeat(5_000)}b${'a'.repeat(5_000)}`,
  ];
  const text = `User-agent: *\n${bombs.map((bomb) => `Disallow: ${bomb}`).join('\n')}`;
  const robots = robotsFor(parseRobotsTxt(text), 'orbweaver');
  // With exponential or even cubic time the test would not end in an acceptable time.
  assert.equal(robots.allows(path), true);
  assert.equal(robots.allows(`${path}b`), false);
});

test('long pieces are found where indexOf finds them', () => {
  const random = new SeededRandom(65);
  let found = 0;
  for (let round = 0; round < 3_000; round++) {
    const length = 65 + random.below(10);
    const unit = random.pick(['a', 'ab', 'aab', 'abaab']);
    const piece = unit.repeat(length).slice(0, length - 1) + random.pick(['a', 'b']);
    let path = '/';
    while (path.length < 200) path += random.pick([unit, unit.repeat(30), piece, 'b']);
    const from = random.below(80);
    const expected = path.indexOf(piece, from);
    if (expected !== -1) found++;
    assert.equal(findPiece(compilePieceSearch(piece), path, from), expected, `${piece} in ${path} from ${from}`);
  }
  assert.ok(found > 500 && found < 2_900, `${found} found`);
});
