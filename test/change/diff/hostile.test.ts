/**
 * Texts that are designed to be expensive. The answer must be right and the work
 * bounded; the work is counted, not timed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countChangedWords, MAX_COMPARED } from '../../../src/change/diff/changed-words.ts';
import { diffTexts } from '../../../src/change/diff/diff.ts';
import { hunksOf } from '../../../src/change/diff/hunks.ts';
import { StepBudget, shortestEdit } from '../../../src/change/diff/myers.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { applyHunks } from './edited-texts.ts';

function assertRight(old: string, young: string): void {
  const hunks = hunksOf(diffTexts(old, young), 2);
  assert.ok(applyHunks(old, hunks) === young, 'the hunks do not make the new text');
}

const random = new SeededRandom(7);
const letters = (count: number, kinds: number, gap: string) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + random.below(kinds))).join(gap);

test('long texts with nothing, everything and hardly anything in common', () => {
  assertRight(letters(40_000, 2, '\n'), letters(40_000, 2, '\n'));
  assertRight(letters(40_000, 2, ' '), letters(40_000, 2, ' '));
  assertRight('x '.repeat(50_000), 'y '.repeat(50_000));
  assertRight('a\n'.repeat(50_000), 'a\n'.repeat(49_000));
  assertRight('a '.repeat(50_000), `b ${'a '.repeat(49_000)}b`);
  assertRight('x'.repeat(1_000_000), `${'x'.repeat(1_000_000)}y`);
  assertRight('('.repeat(100_000), '()'.repeat(50_000));
  assertRight(' '.repeat(200_000), '\t'.repeat(200_000));
  assertRight('\n'.repeat(100_000), '\n \n'.repeat(40_000));
});

test('a text that is too long for a word diff is compared by its common beginning and end', () => {
  const long = 'word '.repeat(300_000);
  const marked = (old: string, young: string) =>
    diffTexts(old, young).regions.flatMap(({ pieces }) => pieces.map(({ kind, text }) => [kind, text.length]));
  assert.deepEqual(marked(`${long}one ${long}`, `${long}two ${long}`), [
    ['same', long.length],
    ['removed', 3],
    ['added', 3],
    ['same', long.length + 1],
  ]);
  const other = 'else '.repeat(300_000);
  assert.deepEqual(marked(`The same ${long}`, `The same ${other}`), [
    ['same', 'The same '.length],
    ['removed', long.length - 1],
    ['added', other.length - 1],
    ['same', 1],
  ]);
  const spider = '🕷'.repeat(600_000);
  // The first sign differs from the spider in the second half of its surrogate pair, the other sign in the first half.
  for (const sign of ['\u{1f578}', '\u{1f177}']) {
    const { regions } = diffTexts(`${spider}🕷${spider}`, `${spider}${sign}${spider}`);
    assert.deepEqual(
      regions[0]!.pieces.map(({ kind, text }) => [kind, text.isWellFormed()]),
      [
        ['same', true],
        ['removed', true],
        ['added', true],
        ['same', true],
      ],
    );
  }
  assertRight(`${spider}🕷`, `${spider}🕸${spider}`);
  assertRight('x'.repeat(1_500_000), 'x'.repeat(1_499_000));
  assertRight(`a${' '.repeat(2_000_000)}b`, `a${' '.repeat(1_000_000)}b`);
});

test('a large edit is found by anchors if the shortest edit costs too much', () => {
  const words = (from: number, count: number) => Array.from({ length: count }, (_, i) => `w${from + i}`).join(' ');
  const old = `${words(0, 3_000)} middle ${words(10_000, 3_000)}`;
  const young = `${words(20_000, 3_000)} in the middle stays ${words(10_000, 3_000)} ${words(40_000, 3_000)}`;
  const { wordsAdded, wordsRemoved } = diffTexts(old, young);
  assert.deepEqual([wordsAdded, wordsRemoved], [6_003, 3_000]);
  assertRight(old, young);
});

test('a budget counts exactly the steps of the Myers algorithm', () => {
  const a = Int32Array.from({ length: 100_000 }, () => random.below(3));
  const b = Int32Array.from({ length: 100_000 }, () => random.below(3));
  const range = { aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length };
  const budget = new StepBudget();
  const allowed = budget.left;
  let calls = 0;
  while (budget.left > 0 && ++calls < 100) assert.equal(shortestEdit(a, b, range, budget), null);
  assert.ok(calls < 100, 'the budget is never used up');
  // The budget is checked after each round. A round takes no more steps than there are diagonals and tokens.
  assert.ok(budget.left > -300_000, `${allowed - budget.left} steps of ${allowed}`);
});

test('changed words of a very long text are counted around its differences, up to a limit', () => {
  const long = 'word and '.repeat(MAX_COMPARED / 4);
  const count = (before: string, after: string) => {
    const words = countChangedWords({ title: '', text: before }, { title: '', text: after })!;
    return [words.wordsAdded, words.wordsRemoved];
  };
  assert.deepEqual(count(`${long}old end. ${long}`, `${long}older end and more. ${long}`), [4, 2]);
  assert.deepEqual(count(long, `${long}more`), [1, 0]);
  const [added, removed] = count('a b '.repeat(MAX_COMPARED), 'c d '.repeat(MAX_COMPARED));
  assert.deepEqual([added, removed], [MAX_COMPARED / 2, MAX_COMPARED / 2]);
  // The same number for a command that has the whole difference.
  const whole = diffTexts(long, `${long}more`);
  const versions = [long, `${long}more`].map((text) => ({ title: '', text }));
  assert.deepEqual(countChangedWords(versions[0]!, versions[1]!, whole), { wordsAdded: 1, wordsRemoved: 0 });
});
