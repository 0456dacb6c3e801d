/**
 * Pages that are designed to be slow or to break the code: the time grows linearly
 * with the size of a page, and nothing throws.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { volatileRegions } from '../../../src/change/noise/learned/volatile-regions.ts';
import { NoiseBook } from '../../../src/change/noise/noise-rules.ts';
import { ignoreNoise } from '../../../src/change/noise/remove-noise.ts';
import { randomNumbers } from '../random-text.ts';
import { noiseIn, outlineOf } from './compare-versions.ts';

const rules = new NoiseBook({ ignore: { '*': ['div div > div .x', 'p.never > b'] } }).rulesFor('a.example');

const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  'advertisements in advertisements': (size) => `${'<div class="ad">'.repeat(size)}<h1>x</h1>`,
  'many advertisements beside each other': (size) => '<div class="ad">a</div>'.repeat(size),
  'a line of ages': (size) => `<p>${'<b>3 days ago</b> '.repeat(size)}</p>`,
  'a line of counters': (size) => `<p>${'<i>12</i> views · '.repeat(size)}</p>`,
  'a long class': (size) => `<p class="${'ad '.repeat(size)}">x</p>`,
  'a long id': (size) => `<p id="${'a:r1:-'.repeat(size)}">x</p>`,
  'many attributes': (size) =>
    `<p ${Array.from({ length: size }, (_, at) => `z${(at * 7_919) % size}="1"`).join(' ')}>x</p>`,
  'many ids': (size) => Array.from({ length: size }, (_, at) => `<p id=":r${at}:">x</p>`).join(''),
  'a script of keys': (size) => `<script>${'csrf:"a",token:\''.repeat(size)}</script>`,
  'a script of open quotes': (size) => `<script>${'nonce="'.repeat(size)}</script>`,
  'a script of names': (size) => `<script>csrf ${'a_'.repeat(size)}</script>`,
  spaces: (size) => `<p>${' '.repeat(size)}x${' \n'.repeat(size)}</p>`,
  digits: (size) => `<p>${'1,'.repeat(size)}</p><p>${'1'.repeat(150)} ${' 1'.repeat(5)}</p>`,
  'digits that nearly are a time': (size) => `<p>Page generated at ${'1:'.repeat(60)}</p>`.repeat(size / 100),
  'a long URL': (size) => `<a href="/x?${'sid=a&'.repeat(size)}">x</a>`,
  'many texts and comments': (size) => `<p>${'a <!-- -->'.repeat(size)}</p>`,
};

function msOf(html: string): number {
  const outline = outlineOf(html);
  ignoreNoise(outline, rules);
  const started = process.cpuUsage();
  ignoreNoise(outline, rules);
  noiseIn(outline, outline, rules);
  volatileRegions([outline, outline, outline, outline], rules);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

for (const [what, make] of Object.entries(HOSTILE)) {
  test(`time grows with the size of ${what}`, () => {
    const small = msOf(make(1_000));
    const large = msOf(make(8_000));
    // The large page has eight times the size; a quadratic pass would take 64 times as long. The constant
    // allows for clocks and garbage collection.
    assert.ok(large < 20 * small + 150, `${small.toFixed(1)} ms, then ${large.toFixed(1)} ms`);
  });
}

/** Pages of three and six megabytes. If a rule is off, the parts that the rule would leave out are processed. */
const LARGE: Readonly<Record<string, (bytes: number, version: number) => string>> = {
  'one input with values': (bytes, version) => `<input ${'value=a '.repeat(bytes / 8)}>${version}`,
  'one meta element with contents': (bytes, version) => `<meta ${'content=a '.repeat(bytes / 10)}>${version}`,
  'one link with targets': (bytes, version) => `<link ${'href=ab '.repeat(bytes / 8)}>${version}`,
  'frames of analytics in each other': (bytes, version) =>
    `${'<video src=//google-analytics.com/x>'.repeat(500)}${'<b>x</b>'.repeat(bytes / 8)}${version}`,
  'numbers behind a long text': (bytes, version) =>
    `<div>${'1 '.repeat(bytes / 4)}${Array.from({ length: bytes / 24 }, (_, at) => `<b>${at + version}</b>`).join('')}`,
  'elements in one with an endless name': (bytes, version) =>
    `<x${'y'.repeat(bytes / 2)}>${Array.from({ length: bytes / 24 }, (_, at) => `<i>${at + version}</i>`).join('')}`,
};
const withoutAnalytics = new NoiseBook({ off: ['analytics', 'advertisement'] }).rulesFor('a.example');

function msOfLarge(versions: readonly string[]): number {
  const outlines = versions.map(outlineOf);
  const started = process.cpuUsage();
  noiseIn(outlines[0]!, outlines[1]!, rules);
  noiseIn(outlines[0]!, outlines[1]!, withoutAnalytics);
  volatileRegions(outlines, rules);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

for (const [what, make] of Object.entries(LARGE)) {
  test(`megabytes of ${what} take no longer than their size`, () => {
    const sized = (bytes: number) => msOfLarge([1, 2, 3, 4].map((version) => make(bytes, version)));
    const small = sized(1_500_000);
    const large = sized(3_000_000);
    // Eight passes in all. The large page has twice the size; a quadratic pass
    // would take four times as long, and minutes.
    assert.ok(large < 3 * small + 1_500, `${small.toFixed(0)} ms, then ${large.toFixed(0)} ms`);
    assert.ok(large < 8 * 2_000, `${large.toFixed(0)} ms`);
  });
}

test('the first of several attributes with one name counts, and no change of the others is lost', () => {
  const page = (attributes: string) => ignoreNoise(outlineOf(`<input type=hidden name=token ${attributes}>`), rules);
  const token = ['9f86d081884c7d659a2feaa0c55ad015', '60303ae22b998861bce3b28f33eec1be'];
  assert.deepEqual(page(`value=${token[0]} value=a`), page(`value=${token[1]} value=a`));
  assert.notDeepEqual(page(`value=a value=${token[0]}`), page(`value=a value=${token[1]}`));
  assert.notDeepEqual(page('value=a value=b'), page('value=a'));
});

test('random markup never throws, and removing noise twice gives the same as once', () => {
  const random = randomNumbers(5);
  const pieces = [
    '<div class="ad">',
    '</div>',
    '<p>',
    '3 days ago',
    '12 views',
    '<b>',
    '</i>',
    '<!-- x',
    '-->',
    '<script>',
    '</script>',
    '"',
    "'",
    '<a href="#:r1:">',
    ' ',
    '\n',
    '©',
    '2026',
    '<footer>',
    '<td>',
    '<time datetime="2026-01-01T10:00">',
    '3h',
    'Posted by',
    '·',
    '<input type=hidden name=csrf value=1>',
    '<',
    '>',
    '&copy;',
    '\u0000',
    '\ud800',
    '<svg>',
    '<pre>',
    '\\',
  ];
  for (let round = 0; round < 300; round++) {
    let html = '';
    while (random() < 0.97) html += pieces[Math.floor(random() * pieces.length)];
    const once = ignoreNoise(outlineOf(html), rules);
    assert.deepEqual(ignoreNoise(once, rules), once, html);
    for (const [at, { parent }] of once.nodes.entries()) {
      assert.ok(parent < at && (parent < 0 || once.nodes[parent]!.kind === 'element'), html);
    }
  }
});
