import assert from 'node:assert/strict';
import { test } from 'node:test';
import { volatileRegions } from '../../../../src/change/noise/learned/volatile-regions.ts';
import { DEFAULT_NOISE_RULES } from '../../../../src/change/noise/noise-rules.ts';
import { randomNumbers } from '../../random-text.ts';
import { explained, isChanged, outlineOf } from '../compare-versions.ts';
import { Draw } from '../page-maker.ts';

const page = (body: string) =>
  `<html><head><title>T</title></head><body><main><h1>Head</h1><p>Some prose.</p>${body}</main></body></html>`;

/** Returns the rules that are learned when `make` fills the same place of six versions. */
function learned(make: (draw: Draw, visit: number) => string, versions = 6) {
  const draw = new Draw(randomNumbers(99));
  const pages = Array.from({ length: versions }, (_, visit) => page(make(draw, visit)));
  return volatileRegions(pages.map(outlineOf));
}

const VOLATILE: Readonly<Record<string, (draw: Draw, visit: number) => string>> = {
  number: (draw) => `<div id="hits">Hits so far: <b>${draw.number(1, 9_999)}</b></div>`,
  clock: (_, visit) => `<div class="clock">Server time <span>1${visit}:03:2${visit}</span></div>`,
  identifier: (draw) => `<p>Reference <span>${draw.uuid()}</span></p>`,
  token: (draw) => `<div data-widget-state="${draw.letters(32)}">x</div>`,
  rotation: (_, visit) =>
    `<div class="promo-slot"><a href="/a${visit % 3}"><img src="/${visit % 3}.png" alt=""></a> Look at ${['boots', 'hats', 'gloves'][visit % 3]}</div>`,
};

for (const [kind, make] of Object.entries(VOLATILE)) {
  test(`W17 ${kind}: what is another at every visit is learned, ignored and named`, () => {
    const regions = learned(make);
    assert.deepEqual(
      regions.map((region) => region.kind),
      [kind],
    );
    const rules = { ...DEFAULT_NOISE_RULES, learned: JSON.parse(JSON.stringify(regions)) };
    const draw = new Draw(randomNumbers(7));
    const [before, after] = [page(make(draw, 3)), page(make(draw, 4))];
    assert.equal(isChanged(before, after), true, 'it is a change to who has not learned');
    assert.equal(isChanged(before, after, rules), false);
    assert.deepEqual(explained(before, after, rules), ['learned']);
    assert.equal(isChanged(before, after.replace('prose', 'verse'), rules), true, 'the rest still counts');
  });
}

const FOLLOWED: Readonly<Record<string, (draw: Draw, visit: number) => string>> = {
  price: (draw) => `<div class="hits">Price <b>$${draw.number(10, 99)}</b></div>`,
  'price in two elements': (draw) => `<div class="views"><i>€</i><b>${draw.number(10, 99)}</b></div>`,
  stock: (draw) => `<div>Users say: in stock <b>${draw.number(1, 99)}</b></div>`,
  temperature: (draw) => `<div class="temp"><b>${draw.number(1, 30)}</b></div>`,
  'a number without a name': (draw) => `<div class="value"><b>${draw.number(1, 30)}</b></div>`,
  'a decimal': (draw) => `<div class="views"><b>${draw.number(1, 30)}.${draw.number(10, 99)}</b></div>`,
  'a table cell': (draw) => `<table><tr><td>Views</td><td>${draw.number(1, 999)}</td></tr></table>`,
  heading: (draw) => `<h2>Hits <b>${draw.number(1, 9_999)}</b></h2>`,
  date: (_, visit) => `<p>Now <b>1${visit} May 2026</b></p>`,
  departure: (_, visit) => `<p class="clock">Next train now at <b>1${visit}:03</b></p>`,
  'a time of day without a name': (_, visit) => `<p><b>1${visit}:03</b></p>`,
  prose: (draw) => `<p class="promo">The minister ${draw.letters(20, 'abcdef')} said so.</p>`,
  'prose that returns': (_, visit) => `<p>${['The gate is open.', 'The gate is closed.'][visit % 2]}</p>`,
  'stock that returns': (_, visit) => `<p class="availability">${['In stock', 'Sold out'][visit % 2]}</p>`,
  'a list of links': (_, visit) => `<ul class="teaser"><li><a href="/${visit % 2}">${visit % 2}</a></li></ul>`,
  'a promotion with a price': (_, visit) => `<div class="promo">Boots ${['$20', '$25'][visit % 2]}</div>`,
  'a promotion with a date': (_, visit) => `<div class="promo">${['Sale on 3 May', 'Sale on 4 May'][visit % 2]}</div>`,
  'a promotion with a heading': (_, visit) => `<div class="promo"><h3>${['Boots', 'Hats'][visit % 2]}</h3></div>`,
  'a promotion that never returns': (_, visit) => `<div class="promo">Promotion ${'abcdefgh'[visit]}</div>`,
  'a commit': (draw) => `<p>Commit <span>${draw.letters(40)}</span></p>`,
  code: (draw) => `<code>${draw.letters(40)}</code>`,
  'a link': (draw) => `<a href="/x/${draw.letters(20)}">x</a>`,
  'a picture': (draw) => `<img src="/x/${draw.letters(20)}.jpg" alt="">`,
  'a date in data': (draw) => `<div data-published="${draw.number(1_600_000_000, 1_700_000_000)}">x</div>`,
  'a number that stood still once': (_, visit) =>
    `<div id="hits">Hits so far: <b>${visit === 3 ? 102 : 100 + visit}</b></div>`,
  'a number among changing words': (_, visit) =>
    `<div class="hits">${'abcdefgh'[visit]} hits <b>${100 + visit}</b></div>`,
};

test('P14 content that readers follow is never learned as noise, however often it changes', () => {
  for (const [what, make] of Object.entries(FOLLOWED)) assert.deepEqual(learned(make), [], what);
});

test('three versions are too few to learn from', () => {
  assert.equal(learned(VOLATILE.number!, 3).length, 0);
  assert.equal(learned(VOLATILE.number!, 4).length, 1);
});

test('P14 content in a learned region is noise only if it is of the learned kind', () => {
  const rulesOf = (kind: string) => ({ ...DEFAULT_NOISE_RULES, learned: learned(VOLATILE[kind]!) });
  const number = (value: string, words = 'Hits so far:') => page(`<div id="hits">${words} <b>${value}</b></div>`);
  assert.equal(isChanged(number('5'), number('6'), rulesOf('number')), false);
  assert.equal(isChanged(number('5'), number('closed'), rulesOf('number')), true);
  assert.equal(isChanged(number('5'), number('$6'), rulesOf('number')), true);
  // Another element took the place: both versions have other words around the number.
  assert.equal(isChanged(number('5', 'Seats left:'), number('6', 'Seats left:'), rulesOf('number')), true);
  const slot = (name: string, picture: number) =>
    page(`<div class="promo-slot"><a href="/a${picture}"><img src="/${picture}.png" alt=""></a> Look at ${name}</div>`);
  assert.equal(isChanged(slot('boots', 0), slot('gloves', 2), rulesOf('rotation')), false);
  assert.equal(isChanged(slot('boots', 0), slot('scarves', 3), rulesOf('rotation')), true, 'not seen before');
});
