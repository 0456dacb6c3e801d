import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NoiseBook } from '../../../src/change/noise/noise-rules.ts';
import { selectNodes } from '../../../src/change/noise/selectors/select-nodes.ts';
import { parseSelector } from '../../../src/change/noise/selectors/selector.ts';
import { explained, isChanged, outlineOf } from './compare-versions.ts';

const HTML = `<html><body><div id="a" class="x y"><p class="x" lang="en">1</p><section><p data-k="v w">2</p></section></div>
  <p class="yx">3</p><ul><li><p>4</p></li></ul></body></html>`;

/** The texts directly below the elements that the selector matches. */
function meant(selector: string): string {
  const outline = outlineOf(HTML);
  const selected = selectNodes(outline, [parseSelector(selector)]);
  return outline.nodes
    .filter(({ kind, parent, text }) => kind === 'text' && text.trim() !== '' && selected[parent] === 1)
    .map(({ text }) => text)
    .join('');
}

test('selectors have their CSS meaning', () => {
  assert.equal(meant('p'), '1234');
  assert.equal(meant('P'), '1234');
  assert.equal(meant('.x'), '1');
  assert.equal(meant('.yx'), '3');
  assert.equal(meant('#a p'), '12');
  assert.equal(meant('#a > p'), '1');
  assert.equal(meant('#a>p'), '1');
  assert.equal(meant('div.x.y p'), '12');
  assert.equal(meant('[lang]'), '1');
  assert.equal(meant('p[data-k="v w"]'), '2');
  assert.equal(meant("[data-k='v w']"), '2');
  assert.equal(meant('[lang=en]'), '1');
  assert.equal(meant('[lang=de]'), '');
  assert.equal(meant('body > div section > p, li p'), '24');
  assert.equal(meant('body > p'), '3');
  assert.equal(meant('body div > section p'), '2');
  assert.equal(meant('ul > p'), '');
  assert.equal(meant('*[lang]'), '1');
});

test('a path matches although it cannot continue from the nearest candidate', () => {
  // The inner `.a` has no direct child `.b` that contains `.c`; the outer `.a` has one.
  const outline = outlineOf('<div class="a"><div class="b"><div class="a"><div class="c">x</div></div></div></div>');
  const selected = selectNodes(outline, [parseSelector('.a > .b .c')]);
  assert.equal(outline.nodes.filter((_, at) => selected[at] === 1).length, 1);
});

test('unknown syntax is refused with its position', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /ends where a tag/],
    ['p,', /ends where a tag/],
    ['p >', /ends where a tag/],
    ['p:first-child', /has ":" at character 2.*use tag/],
    ['p + p', /has "\+" at character 3/],
    ['p ~ p', /has "~" at character 3/],
    ['[a^=b]', /has "\^" at character 3/],
    ['[a=b', /has a "\[" without a "\]"/],
    ['[a=]', /has no value after "a="/],
    ['.', /needs the name of a class at character 2/],
    ['#', /needs the name of an id/],
    ['.1a', /needs the name of a class/],
    ['*', /would match every element/],
    ['p >> p', /has ">" at character 4/],
    ['p { }', /has "\{" at character 3/],
    ['a '.repeat(20), /has more than 16 steps/],
    ['a'.repeat(2_000), /longer than 1000 characters/],
  ];
  for (const [text, message] of refused) assert.throws(() => parseSelector(text), message, text);
});

test('selectors apply to their host only, and the report names them', () => {
  const book = new NoiseBook({
    ignore: { 'shop.example': ['.clock'], '*.news.example': ['#ticker > b'], '*': ['.any'] },
  });
  const page = (clock: number, ticker: number, any: number) =>
    `<html><body><p class="clock">${clock}</p><p id="ticker">t<b>${ticker}</b></p><p class="any">${any}</p></body></html>`;
  const shop = book.rulesFor('SHOP.example');
  assert.equal(isChanged(page(1, 1, 1), page(2, 1, 2), shop), false);
  assert.equal(isChanged(page(1, 1, 1), page(1, 2, 1), shop), true);
  assert.deepEqual(explained(page(1, 1, 1), page(2, 1, 2), shop), ['selector']);
  for (const host of ['news.example', 'a.b.news.example']) {
    assert.equal(isChanged(page(1, 1, 1), page(1, 2, 1), book.rulesFor(host)), false, host);
    assert.equal(isChanged(page(1, 1, 1), page(2, 1, 1), book.rulesFor(host)), true, host);
  }
  assert.equal(isChanged(page(1, 1, 1), page(1, 2, 1), book.rulesFor('fakenews.example')), true);
});

test('selected elements may appear and disappear without a change', () => {
  const rules = new NoiseBook({ ignore: { '*': ['.promo'] } }).rulesFor('a.example');
  assert.equal(isChanged('<p>x</p><div class="promo"><p>now</p></div><p>y</p>', '<p>x</p><p>y</p>', rules), false);
});

test('a rule that is switched off ignores nothing', () => {
  const rules = new NoiseBook({ off: ['counter', 'comment'] }).rulesFor('a.example');
  assert.equal(isChanged('<p>12 views</p>', '<p>13 views</p>', rules), true);
  assert.equal(isChanged('<p>x<!--1--></p>', '<p>x<!--2--></p>', rules), true);
  assert.equal(isChanged('<p>3 days ago</p>', '<p>4 days ago</p>', rules), false);
});

test('invalid settings are refused', () => {
  assert.throws(() => new NoiseBook({ off: ['counters'] }), /no noise rule "counters"; did you mean counter\?/);
  assert.throws(() => new NoiseBook({ ignore: { 'https://a.example/': ['p'] } }), /not a host name/);
  assert.throws(() => new NoiseBook({ ignore: { 'a.example': ['p:hover'] } }), /selector "p:hover"/);
});
