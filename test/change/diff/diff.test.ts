import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffTexts } from '../../../src/change/diff/diff.ts';
import { hunksOf, piecesOf } from '../../../src/change/diff/hunks.ts';
import { countWords } from '../../../src/change/diff/tokens.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { applyHunks, randomEdit, randomText } from './edited-texts.ts';

/** Both texts in full, with removed and added parts in brackets. */
function marked(old: string, young: string): string {
  const marks = { same: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const;
  return diffTexts(old, young)
    .regions.flatMap(({ pieces }) => pieces)
    .map(({ kind, text }) => marks[kind][0] + text + marks[kind][1])
    .join('');
}

test('the hunks of a diff turn the old text into the new one, for any edit and any number of context lines', () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const random = new SeededRandom(seed);
    const old = randomText(random, random.below(60));
    const young = seed % 10 === 0 ? randomText(random, random.below(60)) : randomEdit(random, old);
    const diff = diffTexts(old, young);
    for (const context of [0, 1, 3, Number.POSITIVE_INFINITY]) {
      assert.equal(applyHunks(old, hunksOf(diff, context)), young, `seed ${seed}, context ${context}`);
    }
    const kinds = diff.regions.map(({ kind }) => kind);
    assert.ok(!kinds.some((kind, i) => kind === kinds[i + 1]), `seed ${seed}: same and changed in turn`);
    assert.equal(kinds.includes('changed'), old !== young, `seed ${seed}`);
  }
});

test('common text is not reported as changed: no diff is longer than the shortest edit of lines', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new SeededRandom(seed);
    const lines = Array.from({ length: 12 }, () => `${random.pick(['x', 'y', 'z', 'w'])}\n`);
    const edited = lines.filter(() => random.below(4) > 0);
    const { linesAdded, linesRemoved } = diffTexts(lines.join(''), edited.join(''));
    assert.deepEqual([linesAdded, linesRemoved], [0, lines.length - edited.length], `seed ${seed}`);
  }
});

test('only the changed word is marked, not the whole paragraph', () => {
  assert.equal(marked('a quick fox\n', 'a slow fox\n'), 'a [-quick-]{+slow+} fox\n');
  assert.equal(marked('Only $1,299.00 today.', 'Only $1,199.00 today.'), 'Only $[-1,299.00-]{+1,199.00+} today.');
  assert.equal(marked("I don't know", 'I do know'), "I [-don't-]{+do+} know");
  assert.equal(marked('東京は晴れです。', '東京は雨です。'), '東京は[-晴れ-]{+雨+}です。');
  assert.equal(marked('foo bar', 'bar'), '[-foo -]bar');
  assert.equal(marked('one end', 'one more end'), 'one {+more +}end');
});

test('an edit is placed where people expect it', () => {
  assert.equal(marked('It rains. It pours.', 'It rains. It snows. It pours.'), 'It rains. {+It snows. +}It pours.');
  const list = (...items: string[]) => items.map((item) => `<li>\n  ${item}\n</li>\n`).join('');
  assert.equal(
    marked(list('one', 'two'), list('one', 'new', 'two')),
    `<li>\n  one\n</li>\n{+<li>\n  new\n</li>\n+}<li>\n  two\n</li>\n`,
  );
  assert.equal(
    marked('x\n\nf {\n  1\n}\n', 'x\n\nf {\n  0\n}\n\nf {\n  1\n}\n'),
    'x\n\n{+f {\n  0\n}\n\n+}f {\n  1\n}\n',
  );
});

test('a new sentence is one change, although it shares words with the old one', () => {
  assert.equal(
    marked('The council met to discuss the budget of the town.\n', 'A fire of unknown origin broke out in the mill.\n'),
    '[-The council met to discuss the budget of the town-]{+A fire of unknown origin broke out in the mill+}.\n',
  );
  assert.equal(
    marked('Call the office before nine.', 'Call her before nine.'),
    'Call [-the office-]{+her+} before nine.',
  );
  const stays = 'so many words in a row are no accident';
  const [old, young] = [
    'alpha beta gamma delta epsilon zeta eta theta',
    'uno due tre quattro cinque sei sette otto nove',
  ];
  assert.equal(
    marked(`${old} ${stays} ${old}`, `${young} ${stays} ${young}`),
    `[-${old}-]{+${young}+} ${stays} [-${old}-]{+${young}+}`,
  );
});

test('line breaks and white space are part of the text', () => {
  assert.equal(marked('a  b', 'a b'), 'a[-  -]{+ +}b');
  assert.equal(marked('x\ny\n', 'x y\n'), 'x[-\n-]{+ +}y\n');
  assert.equal(marked('a\nb', 'a\nb\nc'), 'a\nb{+\nc+}');
  assert.equal(marked('a\r\n', 'a\n'), 'a[-\r-]\n');
  assert.equal(marked('', 'x'), '{+x+}');
  assert.equal(marked('x', ''), '[-x-]');
  assert.equal(marked('', ''), '');
});

test('when lines move, the longer part counts as unchanged', () => {
  assert.equal(marked('a\nb\nc\nd\n', 'b\nc\nd\na\n'), '[-a\n-]b\nc\nd\n{+a\n+}');
});

test('words and lines are counted', () => {
  const { wordsAdded, wordsRemoved, linesAdded, linesRemoved } = diffTexts(
    'kept\nIt cost 1,000.50 euros, then.\nold line\n',
    "kept\nIt cost 99 euros, then.\nIt's a new, new line\n",
  );
  assert.deepEqual(
    { wordsAdded, wordsRemoved, linesAdded, linesRemoved },
    {
      wordsAdded: 5,
      wordsRemoved: 2,
      linesAdded: 2,
      linesRemoved: 2,
    },
  );
  assert.equal(countWords("it's 1,000.50 — 東京, don’t …"), 5);
});

test('hunks contain the lines around a change, and nearby hunks are merged', () => {
  const old = Array.from({ length: 30 }, (_, i) => `line ${i + 1}\n`);
  const young = [...old];
  young[9] = 'ten\n';
  young[13] = 'fourteen\n';
  young.splice(25, 1);
  const diff = diffTexts(old.join(''), young.join(''));
  const places = (context: number) =>
    hunksOf(diff, context).map(({ oldLine, oldLines, newLine, newLines }) => [oldLine, oldLines, newLine, newLines]);
  assert.deepEqual(places(0), [
    [10, 1, 10, 1],
    [14, 1, 14, 1],
    [26, 1, 26, 0],
  ]);
  assert.deepEqual(places(1), [
    [9, 3, 9, 3],
    [13, 3, 13, 3],
    [25, 3, 25, 2],
  ]);
  assert.deepEqual(places(2), [
    [8, 9, 8, 9],
    [24, 5, 24, 4],
  ]);
  assert.deepEqual(places(100), [[1, 30, 1, 29]]);
  assert.equal(
    piecesOf(hunksOf(diff, 1)[2]!)
      .map(({ kind, text }) => `${kind} ${text}`)
      .join(''),
    'same line 25\nremoved line 26\nsame line 27\n',
  );
  assert.deepEqual(hunksOf(diffTexts('a', 'a'), 3), []);
});
