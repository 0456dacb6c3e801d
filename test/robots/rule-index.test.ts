import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_SHELF_BYTES, robotsFor, shelfBytes } from '../../src/robots/match.ts';
import { parseRobotsTxt, type RobotsRule } from '../../src/robots/parse-robots-txt.ts';
import { PieceAutomaton } from '../../src/robots/piece-automaton.ts';
import { PiecePlaces } from '../../src/robots/piece-places.ts';
import { MAX_INDEXED_PATH } from '../../src/robots/rule-index.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { FORMS, hostileForm } from './hostile-forms.ts';
import { plainMatcher } from './plain-matcher.ts';

function randomPattern(random: SeededRandom, letters: string): string {
  let pattern = random.below(3) === 0 ? '' : '/';
  for (let count = random.below(12); count > 0; count--) pattern += random.pick([...letters, '*', '*']);
  return random.below(5) === 0 ? `${pattern}$` : pattern;
}

function randomText(random: SeededRandom, letters: string, maxLength: number): string {
  let text = '/';
  for (let count = random.below(maxLength); count > 0; count--) text += random.pick([...letters]);
  return text;
}

test('an index of random rules gives the same answers as checking the rules one by one', () => {
  const random = new SeededRandom(9_309);
  const asked = { allowed: 0, refused: 0 };
  for (let round = 0; round < 250; round++) {
    const letters = random.pick(['ab', 'abc/', 'aAbB', 'ab%2F', "a$*'|", 'a?/:%3A', '\xe4\xf6%E4', 'abcdefghijklmnop']);
    const rules: RobotsRule[] = Array.from({ length: 40 + random.below(200) }, () => ({
      // Half of the sets mostly allow, so that a single strong rule causes a refusal.
      allow: random.below(round % 2 === 0 ? 2 : 6) === 0,
      pattern: randomPattern(random, letters),
    }));
    const robots = asRobots(rules);
    const plain = plainMatcher(rules);
    for (let count = 0; count < 30; count++) {
      const path = randomText(random, letters.replace(/\*/g, ''), random.pick([4, 20, 120]));
      const answer = robots.allows(path);
      assert.equal(answer, plain(path), `${JSON.stringify(rules)} asked about ${path}`);
      asked[answer ? 'allowed' : 'refused']++;
    }
  }
  assert.ok(asked.allowed > 500 && asked.refused > 500, JSON.stringify(asked));
});

function asRobots(rules: readonly RobotsRule[]) {
  return robotsFor({ groups: [{ agents: ['*'], rules, crawlDelays: [] }], sitemaps: [], report: '' }, 'orbweaver');
}

for (const name of Object.keys(FORMS)) {
  test(`hostile form, small: ${name}`, () => {
    const form = hostileForm(name, { fileBytes: 12_000, pathChars: 300, seed: 4 });
    const file = parseRobotsTxt(form.robots);
    const robots = robotsFor(file, 'orbweaver');
    const plain = plainMatcher(file.groups.flatMap(({ agents, rules }) => (agents.includes('*') ? rules : [])));
    for (let index = 0; index < 12; index++) {
      const path = form.path(index);
      // A prefix of the path can end inside a piece, and it changes which piece is the last one.
      for (const length of [path.length, path.length - 1, (path.length * 2) / 3, 40, 7])
        assert.equal(robots.allows(path.slice(0, length)), plain(path.slice(0, length)), path.slice(0, length));
    }
  });
}

test('steps over pairs of frequent pieces give the same answers as single steps', () => {
  const random = new SeededRandom(77);
  // Enough rules for tables (512 uses of a piece) and for tables of pairs (1,024 uses), with rare pieces in between.
  const rules: RobotsRule[] = Array.from({ length: 120 }, (_, index) => {
    let pattern = '/';
    for (let count = 30 + random.below(60); count > 0; count--)
      pattern += random.below(40) === 0 ? `*x${index % 7}` : `*${random.pick([...'abc', 'aab'])}`;
    return { allow: random.below(2) === 0, pattern: random.below(6) === 0 ? `${pattern}$` : pattern };
  });
  const robots = asRobots(rules);
  const plain = plainMatcher(rules);
  const answers = new Set<string>();
  for (let index = 0; index < 300; index++) {
    let path = '/';
    while (path.length < 60 + (index % 5) * 100)
      path += random.below(12) === 0 ? `x${random.below(8)}` : random.pick([...'abc']);
    assert.equal(robots.allows(path), plain(path), path);
    answers.add(`${robots.allows(path)}`);
  }
  assert.equal(answers.size, 2);
});

test('the automaton and its places find every piece at every place', () => {
  const random = new SeededRandom(5);
  for (let round = 0; round < 60; round++) {
    const letters = random.pick(['ab', 'a', 'abcdef']);
    const pieces = new Set<string>();
    // Pieces that are suffixes of each other, more of them than a list has room for.
    for (let count = 1 + random.below(60); count > 0; count--)
      pieces.add(randomText(random, letters, random.pick([2, 6, 40])).slice(1) || 'a');
    const sorted = [...pieces].sort();
    const automaton = new PieceAutomaton(sorted);
    const places = new PiecePlaces();
    for (let texts = 0; texts < 4; texts++) {
      const text = randomText(random, letters, 400);
      places.read(automaton, text);
      for (const [number, piece] of sorted.entries()) {
        for (let from = 0; from <= text.length; from += 1 + random.below(9)) {
          const found = text.indexOf(piece, from);
          const expected = found === -1 ? places.nowhere : found + piece.length;
          assert.equal(places.next(number, from), expected, `${piece} in ${text} from ${from}`);
        }
      }
    }
  }
});

test('a path that is too long for the index gets the same answer', () => {
  const rules: RobotsRule[] = Array.from({ length: 200 }, (_, index) => ({ allow: false, pattern: `/*a${index}*z` }));
  const robots = asRobots(rules);
  const long = `/${'b'.repeat(MAX_INDEXED_PATH)}`;
  assert.equal(robots.allows(`${long}a17`), true);
  assert.equal(robots.allows(`${long}a17z`), false);
});

test('compiled rules of many hostile files stay within the memory limit, and the answers stay correct', () => {
  const files = Array.from({ length: 14 }, (_, index) => {
    let text = 'User-agent: *\n';
    for (let rule = 0; text.length < 500_000; rule++) text += `Disallow: /*i${index}-${rule}${'x'.repeat(60)}*end\n`;
    return robotsFor(parseRobotsTxt(text), 'orbweaver');
  });
  let most = 0;
  for (let round = 0; round < 2; round++) {
    for (const [index, robots] of files.entries()) {
      assert.equal(robots.allows(`/i${index}-17${'x'.repeat(60)}/end`), false);
      assert.equal(robots.allows(`/i${index + 100}-17${'x'.repeat(60)}/end`), true);
      most = Math.max(most, shelfBytes());
    }
  }
  assert.ok(most <= MAX_SHELF_BYTES, `${most} bytes`);
  assert.ok(most > MAX_SHELF_BYTES / 2, 'the limit was reached');
});
