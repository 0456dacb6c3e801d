/** Pages made to be slow or to break something: time grows with the size of a page, and nothing throws. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ignoreNoise, noiseIn } from '../../../src/change/noise/noise.ts';
import { NoiseBook } from '../../../src/change/noise/noise-rules.ts';
import { volatileRegions } from '../../../src/change/noise/volatile-regions.ts';
import { randomNumbers } from '../random-text.ts';
import { outlineOf } from './compare-versions.ts';

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
    // Eight times the size; a quadratic pass would take sixty-four times as long. The constant is for clocks and collections.
    assert.ok(large < 20 * small + 150, `${small.toFixed(1)} ms, then ${large.toFixed(1)} ms`);
  });
}

test('random markup never throws, and ignoring twice is ignoring once', () => {
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
