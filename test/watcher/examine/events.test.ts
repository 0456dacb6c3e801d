import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examinePage } from '../../../src/watcher/examine/examine-page.ts';

function eventsOf(html: string) {
  return examinePage(Buffer.from(html), '/main.html', 'http://www.test.com').events;
}

/** Lines such as `events | sources | target | value`. */
function eventLines(html: string): string[] {
  return eventsOf(html).map(({ events, sources, target, value }) => `${events} | ${sources} | ${target} | ${value}`);
}

test('W4 an event has a source, a target and a value, as in the paper', () => {
  assert.deepEqual(eventsOf('<div id="next" onclick="text.innerHTML = Updateinfo()">Next</div><p id="text"></p>'), [
    { events: ['onclick'], sources: ['div#next'], target: 'text.innerHTML', value: 'Updateinfo()' },
  ]);
});

test('W5 two elements with the same event, target and value are one entry', () => {
  const html = `<div id="next" onclick="text.innerHTML = Updateinfo()"></div>
    <div id="previous" onclick="text.innerHTML=Updateinfo();"></div>`;
  assert.deepEqual(eventsOf(html), [
    { events: ['onclick'], sources: ['div#next', 'div#previous'], target: 'text.innerHTML', value: 'Updateinfo()' },
  ]);
});

test('W5 two events of one element with the same target and value are one entry', () => {
  const html = `<div id="next" onclick="text.innerHTML = Updateinfo()" onload="text.innerHTML = Updateinfo( )"></div>`;
  assert.deepEqual(eventsOf(html), [
    { events: ['onclick', 'onload'], sources: ['div#next'], target: 'text.innerHTML', value: 'Updateinfo()' },
  ]);
});

test('W5 the combined entry of the paper is found: {onclick, onload}, {button move, div next}', () => {
  const html = `<button id="move" onclick="document.getElementById('text').innerHTML = Updateinfo()"></button>
    <div id="next" onload="text.innerHTML = Updateinfo()"></div>`;
  assert.deepEqual(eventsOf(html), [
    {
      events: ['onclick', 'onload'],
      sources: ['button#move', 'div#next'],
      target: 'text.innerHTML',
      value: 'Updateinfo()',
    },
  ]);
});

test('W5 events with different targets or values are different entries', () => {
  const html = `<a id="a" onclick="x.innerHTML = f()"></a><a id="b" onclick="y.innerHTML = f()"></a><a id="c" onclick="x.innerHTML = f(1)"></a>`;
  assert.equal(eventsOf(html).length, 3);
});

test('W4 only the four event types are reported', () => {
  const html = '<p id=a onkeydown="f()" onmouseout="f()" onMouseOver="g()" ONDBLCLICK=h() onload=k() onclick=l()>';
  assert.deepEqual(eventLines(html), [
    'onmouseover | p#a |  | g()',
    'ondblclick | p#a |  | h()',
    'onload | p#a |  | k()',
    'onclick | p#a |  | l()',
  ]);
});

test('W4 handlers in attributes are found', () => {
  const cases: Record<string, string[]> = {
    '<body onload="init()">': ['onload | body |  | init()'],
    '<a href="javascript:go(2)">x</a>': ['onclick | a |  | go(2)'],
    '<a href=" JavaScript:go(%27a%27)">x</a>': ["onclick | a |  | go('a')"],
    '<a href="javascript:void(0)">x</a><a href="javascript:;" onclick="return false">y</a>': [],
    '<p onclick="">x<p onclick=";;">y<p onclick="// nothing">z': [],
    '<p id=x onclick="go( 1 ,\n  2 ) // on">': ['onclick | p#x |  | go(1, 2)'],
    '<p id=x onclick="return go(&quot;a&quot;, this); stop()">': ['onclick | p#x |  | go("a", this)'],
    '<p id=x onclick="event.preventDefault(); show()">': ['onclick | p#x |  | show()'],
    '<p id=x onclick="if (a == b) { list.items[3].textContent = `n` } else c()">': [
      'onclick | p#x | list.items[3].textContent | `n`',
    ],
    '<p id=x onclick="this.innerHTML = 1"><p class=y onclick="this.innerHTML = 1">': [
      'onclick | p#x | x.innerHTML | 1',
      'onclick | p.y | p.y.innerHTML | 1',
    ],
    '<p id=x onclick="location.href=\'/next.html\'"><p id=y onclick="window.location = u">': [
      "onclick | p#x | location.href | '/next.html'",
      'onclick | p#y | location | u',
    ],
    '<p id=x onclick="var a = 1, b = a; a.b.c = b, d()">': ['onclick | p#x | a.b.c | b'],
    '<p id=x onclick="box.style.display = none; box.innerHTML = f()">': ['onclick | p#x | box.innerHTML | f()'],
    '<p id=x onclick="i++">': ['onclick | p#x |  | i++'],
    '<p id=x onclick="a(); b()" onclick="c()">': ['onclick | p#x |  | a()'],
    '<p id=x onclick="document.querySelector(\'#t\').textContent = 1; y()">': ['onclick | p#x | t.textContent | 1'],
    '<p id=x onclick="document.querySelector(\'ul  li.t\').textContent = 1">': [
      'onclick | p#x | ul li.t.textContent | 1',
    ],
    '<p id=x onclick="document.all.t.innerText = 1">': ['onclick | p#x | t.innerText | 1'],
    '<p id=x onclick="$(\'#t\').html(load(3)).show()">': ['onclick | p#x | t.innerHTML | load(3)'],
    '<p id=x onclick="t.insertAdjacentHTML(\'beforeend\', more())">': ['onclick | p#x | t.innerHTML | more()'],
    '<p id=x onclick="var t = document.getElementById(\'text\'); t.innerHTML = get()">': [
      'onclick | p#x | text.innerHTML | get()',
    ],
  };
  for (const [html, expected] of Object.entries(cases)) assert.deepEqual(eventLines(html), expected, html);
});

test('elements are named by id, otherwise by class, otherwise by position', () => {
  const html = `<button onclick=a()><button class="x y" onclick=b()><b class="y"></b><button class="z y x" onclick=c()>
    <button class="y" onclick=d()><button onclick=e()><button id="1st" onclick=f()><my-box id="ö" onclick=g()><p id="a b" class="a:b" onclick=h()>`;
  assert.deepEqual(
    eventsOf(html).flatMap(({ sources }) => sources),
    [...['button', 'button.x', 'button.z', 'button.y:3', 'button:5', 'button:6', 'my-box#ö', 'p']],
  );
});

test('W4 the target comes from the called function of the page', () => {
  const script = `<script>
    function Updateinfo(page) { var r = new XMLHttpRequest(); r.onload = function () {
      document.getElementById("text").innerHTML = r.responseText; }; r.open("GET", "/p?" + page); r.send() }
    const show = id => { document.getElementById(id).textContent = 'x' };
  </script>`;
  const html = `<a id=n onclick="Updateinfo(2)"></a><a id=p onclick="Updateinfo(2)"></a><a id=q onclick="show('box')"></a>`;
  assert.deepEqual(eventLines(html + script), [
    'onclick | a#n,a#p | text.innerHTML | Updateinfo(2)',
    "onclick | a#q | box.textContent | show('box')",
  ]);
});

test('W4 a variable of a later script gives the element that a function sets', () => {
  const html = `<a id=n onclick="go()"></a><script>function go() { box.innerHTML = get() }</script><p id=text></p>
    <script>var box = document.getElementById('text')</script>`;
  assert.deepEqual(eventLines(html), ['onclick | a#n | text.innerHTML | go()']);
});

test('W4 handlers that a script adds are found', () => {
  const cases: Record<string, string[]> = {
    "document.getElementById('next').addEventListener('click', function (e) { text.innerHTML = Updateinfo() });": [
      'onclick | div#next | text.innerHTML | Updateinfo()',
    ],
    'document.querySelector(\'#next\').addEventListener("dblclick", () => text.innerHTML = Updateinfo(), false)': [
      'ondblclick | div#next | text.innerHTML | Updateinfo()',
    ],
    "window.addEventListener('load', init)": ['onload | window |  | init()'],
    "addEventListener('load', init); document.addEventListener('DOMContentLoaded', () => init())": [
      'onload | window,document |  | init()',
    ],
    'window.onload = function () { init(1) }; document.body.onclick = go;': [
      'onload | window |  | init(1)',
      'onclick | body |  | go()',
    ],
    "var b = document.getElementById('next'); b.onmouseover = e => { hint.textContent = 'x' }": [
      "onmouseover | div#next | hint.textContent | 'x'",
    ],
    "for (const b of document.querySelectorAll('.more')) b.addEventListener('click', () => load(b))": [
      'onclick | .more |  | load(b)',
    ],
    "document.querySelectorAll('.more').forEach(function (b) { b.onclick = load })": ['onclick | .more |  | load()'],
    "$('#next').click(function () { $('#text').load('/p2') })": ["onclick | div#next | text.innerHTML | '/p2'"],
    "$('#next').addClass('x').on('click.menu mouseover', go); $('#next').click()": [
      'onclick,onmouseover | div#next |  | go()',
    ],
    "$(document).on('click', '.row', function () { $('#text').html(a) })": ['onclick | .row | text.innerHTML | a'],
    'jQuery(document).ready(function ($) { init() }); $(function () { init() })': ['onload | document |  | init()'],
    "thing.addEventListener('click', go)": ['onclick |  |  | go()'],
    "x.addEventListener('keydown', go); x.onfocus = go; x.onclick == go; x.onclick = null": [],
    "// a.onclick = go\n/* b.onclick = go */ 'c.onclick = go'; `d.onclick = ${go}`; /e.onclick = go/.test(f)": [],
    'missing.onclick = go.bind(null, 3)': ['onclick |  |  | go.bind(null, 3)'],
    "document.getElementById('gone').onclick = go": ['onclick | #gone |  | go()'],
    "a = b / c; next.x = d / e\ndocument.getElementById('next').onclick = go": ['onclick | div#next |  | go()'],
    "s = '\\'' + \"unclosed\ndocument.getElementById('next').onclick = go": ['onclick | div#next |  | go()'],
    "t = `a ${b ? `c ${'}'}` : {d: 1}.d} e`; document.getElementById('next').onclick = go": [
      'onclick | div#next |  | go()',
    ],
    "if (/[/'\"]/.test(x)) y(); document.getElementById('next').onclick = go": ['onclick | div#next |  | go()'],
  };
  for (const [script, expected] of Object.entries(cases)) {
    assert.deepEqual(eventLines(`<div id=next></div><script>${script}</script>`), expected, script);
  }
});

test('only inline JavaScript is read', () => {
  const code = 'window.onload = init';
  for (const tag of [
    'script src=x.js',
    'script type="application/json"',
    'script type=text/template',
    'style',
    'textarea',
    'title',
  ])
    assert.deepEqual(eventLines(`<${tag}>${code}</${tag.split(' ', 1)}>`), [], tag);
  for (const type of [
    '',
    'text/javascript',
    'module',
    'application/x-javascript',
    ' TEXT/ECMASCRIPT ',
    'text/javascript; charset=utf-8',
  ])
    assert.equal(eventLines(`<script type="${type}">${code}</script>`).length, 1, type);
  assert.equal(eventLines(`<script>//<![CDATA[\n${code}\n//]]></script>`).length, 1);
  assert.equal(eventLines(`<script><!--\n${code}\n--></script>`).length, 1);
});

test('comments, SVG and text after a script are read as in a browser', () => {
  const html = `<!-- <p onclick="a()"> --><svg><title><p id=s onclick="b()"></title><script/></svg><script>x = "<p onclick='c()'>"</script><p id=e onclick="d()">`;
  assert.deepEqual(eventLines(html), ['onclick | p#s |  | b()', 'onclick | p#e |  | d()']);
});
