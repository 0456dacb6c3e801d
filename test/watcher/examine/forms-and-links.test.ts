import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examinePage } from '../../../src/watcher/examine/examine-page.ts';

const SITE = 'http://www.test.com';
function examine(html: string, url = '/docs/main.html') {
  return examinePage(Buffer.from(html), url, SITE);
}
const sources = (html: string) => examine(html).events.flatMap((event) => event.sources);

test('W6 events in a form that a person fills in are left out, wherever its fields are', () => {
  for (const field of [
    ...[
      '<input>',
      '<input type=text>',
      '<input type=PASSWORD>',
      '<input type=search>',
      '<input type=date>',
      '<input type=file>',
    ],
    ...['<textarea></textarea>', '<select></select>', '<div contenteditable></div>', '<input type=nonsense>'],
  ]) {
    const html = `<form><b id=a onclick="go()"></b>${field}</form><b id=b onclick="go()"></b>`;
    assert.deepEqual(sources(html), ['b#b'], field);
    assert.deepEqual(
      sources(`<form id=f><b id=a onclick="go()"></b></form>${field.replace(/<(\w+)/, '<$1 form=f')}`),
      [],
      field,
    );
  }
  for (const field of [
    '<input type=hidden>',
    '<input type=submit>',
    '<input type=checkbox>',
    '<input type=radio>',
    '<input readonly>',
    '<button>',
  ])
    assert.deepEqual(sources(`<form><b id=a onclick="go()"></b>${field}</form>`), ['b#a'], field);
});

test('W6 handlers on fields, on elements of such a form and handlers that submit it are left out', () => {
  const form = '<form id=f name=g action=/q><input name=x><b id=in></b></form>';
  assert.deepEqual(sources('<input id=a onclick="go()"><select id=s onclick="go()"></select>'), []);
  assert.deepEqual(sources(`${form}<script>document.getElementById('in').onclick = go</script>`), []);
  assert.deepEqual(sources(`<a id=a onclick="document.getElementById('f').submit()"></a>${form}`), []);
  assert.deepEqual(sources(`<a id=a onclick="document.g.submit()"></a>${form}`), []);
  assert.deepEqual(sources(`<a id=a onclick="document.forms['g'].submit()"></a>${form}`), []);
  assert.deepEqual(
    sources(`<a id=a onclick="send()"></a>${form}<script>function send() { $('#f').submit() }</script>`),
    [],
  );
  const other = '<form id=h><input type=hidden name=p></form>';
  assert.deepEqual(sources(`<a id=a onclick="document.getElementById('h').submit()"></a>${form}${other}`), ['a#a']);
});

test('W6 the targets of forms that a person fills in are found', () => {
  const { formTargets } = examine(`<a href="/linked.html">x</a>
    <form action="result.html"><input></form><form action="/linked.html"><input></form>
    <form action="/"><input type=search></form><form><input></form><form action=""><input></form>
    <form action="main.html"><input></form><form action="http://other.com/x"><input></form>
    <form action="/next"><button></form><form action="/a"><textarea></textarea><button formaction="/b?c=d">`);
  assert.deepEqual(formTargets, ['/docs/result.html', '/a', '/b?c=d']);
});

test('W6 a page with little besides a log-in needs a person; a page with a log-in beside its content does not', () => {
  const form = '<form action=/session><input name=user><input type=password></form>';
  assert.equal(examine(`<h1>Log in</h1>${form}<a href=/forgot.html>Forgotten?</a>`).isLogIn, true);
  assert.equal(examine(`${form}<p>${'All the news of the day. '.repeat(100)}`).isLogIn, false);
  const links = Array.from({ length: 30 }, (_, index) => `<a href="${index}.html">${index}</a>`).join('');
  assert.equal(examine(form + links).isLogIn, false);
  assert.equal(examine('<form><input type=search></form>').isLogIn, false);
});

test('links to this site are listed once, in normal form', () => {
  const html = `<a href="b.html#x">1</a><a href="../%7eme/">2</a><a href="//www.test.com/c?d=1&amp;e=2">3</a><a href="https://www.test.com/no">4</a>
    <area href=/area.html><iframe src="/frame.html"></iframe><link rel="stylesheet" href="/s.css"><link rel=next href=/2.html>
    <a href="mailto:a@b.c">5</a><a href="b.html">again</a><a>none</a><a href="http://www.test.com:80/port">6</a>`;
  assert.deepEqual(examine(html).links, [
    '/docs/b.html',
    '/~me/',
    '/c?d=1&e=2',
    '/area.html',
    '/frame.html',
    '/2.html',
    '/port',
  ]);
  assert.deepEqual(examine('<a href=x.html><base href="/base/"><base href="/no/">').links, ['/base/x.html']);
  assert.deepEqual(examinePage(Buffer.from('<a href=x>'), `${SITE}/y/`, SITE).links, ['/y/x']);
});

test('the numbers of links and events are limited', () => {
  let html = '';
  for (let index = 0; index < 100_000; index++) html += `<a href=${index} onclick="f${index}()">`;
  const { links, events } = examine(html);
  assert.equal(links.length, 10_000);
  assert.ok(events.length > 100 && events.length <= 200, `${events.length}`);
  const same = examine('<b onclick="f()">'.repeat(100_000)).events;
  assert.equal(same.length, 1);
  assert.ok(same[0]!.sources.length <= 50);
  const long = examine(
    Array.from({ length: 100 }, (_, index) => `<b onclick="f(${index}, '${'é'.repeat(1_000)}')">`).join(''),
  ).events;
  assert.ok(long.length > 10 && Buffer.byteLength(JSON.stringify(long)) <= 17_000);
  for (const { value } of long) assert.ok(value.length <= 200 && value.endsWith('…'));
});

test('content that is not HTML gives no result', () => {
  const html = '<html><a href=/x onclick="f()">';
  for (const url of ['/a.txt', '/a.PDF', '/feed.xml', '/a.json', '/a.svg', '/a.txt?x=.html'])
    assert.deepEqual(examine(html, url).links, [], url);
  for (const url of ['/', '/a', '/a.html', '/main.asp', '/v1.2', '/a.php?b=.txt'])
    assert.deepEqual(examine(html, url).links, ['/x'], url);
  assert.deepEqual(examine('just text <a href=/x>', '/a').links, []);
  assert.deepEqual(examine('just text <a href=/x>', '/a.html').links, ['/x']);
  assert.deepEqual(examine('<?xml version="1.0"?><html xmlns="x"><a href="/x"/></html>', '/a').links, ['/x']);
  assert.deepEqual(examine('<rss><a href=/x></rss>', '/a.html').links, []);
});

test('the charset comes from the declaration in the page', () => {
  const utf16 = Buffer.from('\ufeff<a id=é onclick="f()">', 'utf16le');
  assert.deepEqual(examinePage(utf16, '/a.html', SITE).events[0]!.sources, ['a#é']);
  const latin = Buffer.from('<meta charset=iso-8859-1><a id=\xe9 onclick="f()">', 'latin1');
  assert.deepEqual(examinePage(latin, '/a.html', SITE).events[0]!.sources, ['a#é']);
});
