/** Tests which pages are versions of one page (C7), and how many words two pages are found to differ in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sketchOf } from '../../src/content/fingerprints/fingerprints.ts';
import { type ComparedPage, compare } from '../../src/store/rules/canonical-rule.ts';
import { wordDifference } from '../../src/store/rules/word-difference.ts';
import { SeededRandom } from '../../testbed/random.ts';
import { countsOf, wordsOf } from '../content/words-of.ts';

const random = new SeededRandom(3);

/** Words that occur in no other text of this test. */
function newWords(count: number): string {
  return Array.from({ length: count }, () => `w${random.below(2 ** 40).toString(36)}`).join(' ');
}

const MENU = newWords(80);
const LONG_MENU = newWords(700);

/** A page of which these words are own text. `all` has the template, too. */
function page(own: string, all: string, title = 'Tangent'): ComparedPage {
  const sketch = own === '' ? null : sketchOf(wordsOf(own));
  return {
    bytes: 1,
    digest: Buffer.from(`${title}/${own}/${all}`),
    noindex: false,
    title,
    sketch,
    wordCounts: countsOf(all),
  };
}

test('the difference of two pages is exact while few words differ', () => {
  const common = newWords(2_000);
  for (const [added, missing] of [
    [0, 0],
    [3, 0],
    [0, 5],
  ] as const) {
    const found = wordDifference(countsOf(`${newWords(added)} ${common}`), countsOf(`${common} ${newWords(missing)}`));
    assert.deepEqual(found, { added, missing });
  }
});

test('the difference of two pages is never larger than it is, and a replaced word is not overlooked', () => {
  const common = newWords(500);
  for (let words = 1; words <= 200; words++) {
    const found = wordDifference(countsOf(`${newWords(words)} ${common}`), countsOf(`${common} ${newWords(words)}`));
    assert.ok(found.added > 0 && found.added <= words, `${found.added} of ${words} words`);
    assert.ok(found.missing > 0 && found.missing <= words, `${found.missing} of ${words} words`);
  }
});

test('a word that is repeated many times differs from another such word', () => {
  const found = wordDifference(countsOf('tangent '.repeat(66)), countsOf('secant '.repeat(66)));
  assert.deepEqual(found, { added: 66, missing: 66 });
});

test('C7 a page is a version of a page with the same words, although one came before its template was known', () => {
  const own = newWords(20);
  const all = `${MENU} ${own}`;
  assert.equal(compare(page(own, all), page(all, all, 'Tangent (print)')), 'alike');
  assert.equal(compare(page('', all), page(own, all)), 'alike');
});

test('C7 pages of one template and title that differ in one short text are no versions', () => {
  for (const words of [1, 2, 8, 40]) {
    const [one, other] = [newWords(words), newWords(words)];
    assert.notEqual(compare(page(one, `${MENU} ${one}`), page(other, `${MENU} ${other}`)), 'alike', `${words} words`);
    assert.notEqual(compare(page('', `${MENU} ${one}`), page('', `${MENU} ${other}`)), 'alike', `${words} words`);
  }
});

test('C7 a page may add a greeting to its canonical page, but no text', () => {
  const own = newWords(20);
  const target = page(own, own);
  assert.equal(compare(page('', `${own} ${newWords(15)}`), target), 'alike');
  assert.equal(compare(page('', `${own} ${newWords(40)}`), target), 'too-little-text');
});

test('C7 a page without a long template is a version if the own texts agree', () => {
  const own = newWords(60);
  const target = page(own, `${LONG_MENU} ${own}`);
  assert.equal(compare(page(own, own), target), 'alike');
  assert.equal(compare(page(own, own, 'Tangent (to print)'), target), 'alike');
  assert.equal(compare(page(newWords(60), own), target), 'target-unlike');
});

test('C7 pages with another title are versions only if hardly a word is new', () => {
  const own = newWords(1_000);
  const target = page(own, own, 'Blue shoe');
  const few = `${own} ${newWords(8)}`;
  const many = `${own} ${newWords(30)}`;
  assert.equal(compare(page(few, few, 'Red shoe'), target), 'alike');
  assert.equal(compare(page(many, many, 'Red shoe'), target), 'target-unlike');
  assert.equal(compare(page(many, many, 'Blue shoe'), target), 'alike');
});

test('C7 a title is another title if it continues within a word', () => {
  const target = page('', MENU, 'Syntax: select');
  assert.equal(compare(page('', MENU, 'Syntax: select (print)'), target), 'alike');
  assert.equal(compare(page('', MENU, 'Syntax: select-list'), target), 'too-little-text');
  assert.equal(compare(page('', MENU, ''), target), 'too-little-text');
});

test('C7 pages of an earlier version are compared by their own texts', () => {
  const own = newWords(100);
  const old = { ...page(own, own), wordCounts: null };
  assert.equal(compare(page(own, `${MENU} ${own}`, 'Other'), old), 'alike');
  assert.equal(compare(page('', own), old), 'too-little-text');
});
