/** Pages that are designed to be slow or to break the parser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CpuBudget } from '../../../src/core/cpu-budget.ts';
import { examinePage } from '../../../src/watcher/examine/examine-page.ts';
import { EVENT_NAMES } from '../../../src/watcher/records.ts';
import { SeededRandom } from '../../../testbed/random.ts';

const SITE = 'http://www.test.com';
const MIB = 1024 * 1024;

/** Each piece is repeated to fill a page. */
const SHAPES: Readonly<Record<string, readonly [before: string, piece: string]>> = {
  'open brackets': ['', '<'],
  'half tags': ['', '<a '],
  'unclosed quotes': ['', '<a href="'],
  'nested elements': ['', '<div>'],
  'nested forms': ['', '<form><input form=x>'],
  'form fields that name a form': ['<form id=x></form>', '<input form=x formaction=y>'],
  'one tag of many attributes': ['<a ', 'onclick=f() '],
  'many handlers': ['', '<p onclick="f(1)">'],
  'many ids': ['', '<p id=aaaaaaaaa onclick=a.b.c()>'],
  'many classes': ['', '<p class="a b c d e f g h i j k l" onclick=x()>'],
  'one class attribute': ['<p class="', 'a '],
  'unclosed comments': ['', '<!--'],
  'unclosed scripts': ['', '<script>'],
  'escaped scripts': ['', '<script><!--<script>'],
  'many scripts': ['', '<script>a.onclick=f</script>'],
  'doctype and CDATA': ['<svg>', '<![CDATA['],
  'many links': ['', '<a href=../a/b/c?d>'],
  'many bases': ['', '<base href=a/>'],
  zeros: ['', '\0'],
  references: ['', '<p onclick="&quot;&amp;&lt">'],
};

/** Each piece is repeated to fill an inline script. */
const SCRIPTS: Readonly<Record<string, readonly [before: string, piece: string]>> = {
  'open brackets': ['', '('],
  'mixed brackets': ['', '([{)]}'],
  chains: ['a', '.a'],
  calls: ['a', '.a()'],
  assignments: ['a.b', '=a.b'],
  arrows: ['a', '=a=>a'],
  'nested functions': ['', 'x.onclick=function(){'],
  'nested listeners': ['', "x.addEventListener('click',function(){"],
  'nested wrappers': ['', '$($('],
  'windows of windows': ['a=', 'self.'],
  'wrapped windows': ['a=', 'self.$('],
  'ready functions': ['', '$(function(){'],
  'unclosed regular expressions': ['', '=/['],
  slashes: ['', '/'],
  'unclosed templates': ['', '`${'],
  'unclosed strings': ['', '"'],
  'unclosed comments': ['', '/*'],
  lines: ['', 'a\n'],
  'functions of one name': ['', 'function f(a,b,c){x.innerHTML=a}f(1);'],
  variables: ['', "a=document.getElementById('b');a.onclick=f;"],
  loops: ['', 'document.querySelectorAll(a).forEach(a=>'],
};

function fill([before, piece]: readonly [string, string], bytes: number): string {
  return before + piece.repeat(Math.ceil(bytes / piece.length));
}

function check(html: string | Buffer): void {
  const { events, links, formTargets } = examinePage(Buffer.from(html as string), '/a.html', SITE);
  assert.ok(events.length <= 200 && links.length <= 10_000 && formTargets.length <= 100);
  assert.ok(Buffer.byteLength(JSON.stringify(events)) <= 32 * 1024);
  for (const event of events) {
    assert.ok(event.events.length > 0 && event.events.every((name) => EVENT_NAMES.includes(name)));
    assert.ok(event.value.length <= 200 && event.target.length <= 200, JSON.stringify(event));
    assert.ok(event.sources.length <= 50 && event.sources.every((source) => source !== '' && source.length <= 200));
  }
  for (const link of [...links, ...formTargets]) assert.ok(link.startsWith('/'));
}

/** Measures CPU time, because other processes on the machine hardly influence it. */
function cpuMs(work: () => void): number {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1_000;
}

/** Quadratic work is slow in every attempt; work that was slow by chance is faster in another attempt. */
const MOST_TIMES = 6;

/** Twice the input may take a little more than twice the time, never four times. */
function assertLinear(name: string, small: () => void, large: () => void): void {
  let [smallMs, largeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isLinear = (): boolean => largeMs < 60 || largeMs < 3.2 * smallMs;
  for (let times = 1; times <= MOST_TIMES && !(times > 2 && isLinear()); times++) {
    smallMs = Math.min(smallMs, cpuMs(small));
    largeMs = Math.min(largeMs, cpuMs(large));
  }
  assert.ok(isLinear(), `${name}: ${smallMs.toFixed()} ms, twice as much ${largeMs.toFixed()} ms`);
  assert.ok(largeMs < 3_000, `${name}: ${largeMs.toFixed()} ms`);
}

for (const [name, shape] of Object.entries(SHAPES)) {
  test(`a page of ${name} is read in linear time`, () => {
    const [small, large] = [fill(shape, MIB / 2), fill(shape, MIB)];
    assertLinear(
      name,
      () => check(small),
      () => check(large),
    );
  });
}

for (const [name, shape] of Object.entries(SCRIPTS)) {
  test(`a script of ${name} is read in linear time`, () => {
    const page = (bytes: number) => `<p onclick="f(1)">x<script>a.onclick=f;${fill(shape, bytes)}`;
    const [small, large] = [page(120_000), page(240_000)];
    assertLinear(
      name,
      () => check(small),
      () => check(large),
    );
  });
}

test('any content of 4 MB is read within seconds', () => {
  for (const shape of Object.values(SHAPES)) {
    const page = fill(shape, 4 * MIB);
    assert.ok(cpuMs(() => check(page)) < 5_000, shape[1]);
  }
});

test('random pages are read, and the same page gives the same result', () => {
  const random = new SeededRandom(20261115);
  const pieces = [
    ...Object.values(SHAPES).map(([, piece]) => piece),
    ...Object.values(SCRIPTS).map(([, piece]) => piece),
    ...[
      '<script>',
      '</script>',
      '-->',
      '</form>',
      '"',
      "'",
      '>',
      '=',
      ';',
      '\n',
      '{',
      '}',
      ')',
      ']',
      '`',
      ',',
      'this.innerHTML=1',
    ],
    ...[
      "$('#a').on('click',f)",
      'window.onload=()=>{',
      'a.b[1].submit()',
      '<input type=password>',
      '\ufffd',
      'é',
      '\ud800',
      '<svg>',
    ],
  ];
  for (let count = 0; count < 3_000; count++) {
    let html = '';
    for (let left = random.below(60); left > 0; left--) html += random.pick(pieces);
    check(html);
    const page = Buffer.from(html);
    assert.deepEqual(examinePage(page, '/a.html', SITE), examinePage(Buffer.from(page), '/a.html', SITE));
  }
});

test('random bytes are read without an error', () => {
  const random = new SeededRandom(4);
  for (let count = 0; count < 300; count++) {
    const bytes = Buffer.from(Array.from({ length: random.below(2_000) }, () => random.below(256)));
    check(Buffer.concat([Buffer.from('<html>'), bytes]));
    check(Buffer.concat([Buffer.from('<script>onload=f;'), bytes]));
  }
});

test('a script type of 400,000 spaces is read quickly', () => {
  const page = Buffer.from(`<script type="${' '.repeat(400_000)}x"></script><a href="/next">next</a>`);
  const started = process.threadCpuUsage();
  const { links } = examinePage(page, '/page.html', SITE);
  const { user, system } = process.threadCpuUsage(started);
  assert.deepEqual(links, ['/next']);
  // This took minutes of CPU time; now it takes some milliseconds.
  assert.ok(user + system < 5_000_000, `${(user + system) / 1_000} ms`);
});

test('a page that exceeds its CPU budget keeps its links and is marked as missing events', () => {
  const page = Buffer.from('<a href="/next" onclick="next.innerHTML = 1">next</a>');
  const whole = examinePage(page, '/page.html', SITE);
  assert.equal(whole.events.length, 1);
  assert.equal(whole.isCut, false);
  const cut = examinePage(page, '/page.html', SITE, undefined, new CpuBudget(0));
  assert.deepEqual(cut.links, ['/next']);
  assert.deepEqual(cut.events, []);
  assert.equal(cut.isCut, true);
});
