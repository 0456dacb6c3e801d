import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, itemsOf } from './read-page.ts';

test('each element gives the value that the HTML standard defines', () => {
  const html = `<div itemscope itemtype="https://schema.org/Product http://other.example/T" itemid="/it">
    <meta itemprop=meta content="m"><img itemprop=img src=" a.png "><a itemprop=a href="../up">x</a>
    <object itemprop=object data=o></object><data itemprop=data value=42>forty-two</data><meter itemprop=meter value=3>
    </meter><time itemprop=time datetime=2020-01-02>yesterday</time><time itemprop=bare>2021</time>
    <span itemprop=content content="c">not this</span><p itemprop="one two">  some <b>bold</b>
    text<script>no()</script></p><img itemprop=none></div>`;
  assert.deepEqual(itemsOf(html), [
    {
      syntax: 'microdata',
      types: ['Product', 'http://other.example/T'],
      id: 'https://example.com/it',
      properties: {
        meta: ['m'],
        img: ['https://example.com/dir/a.png'],
        a: ['https://example.com/up'],
        object: ['https://example.com/dir/o'],
        data: ['42'],
        meter: ['3'],
        time: ['2020-01-02'],
        bare: ['2021'],
        content: ['c'],
        one: ['some bold text'],
        two: ['some bold text'],
        none: [''],
      },
    },
  ]);
});

test('addresses are relative to the base of the page', () => {
  const [item] = itemsOf('<base href="/other/"><div itemscope><a itemprop=url href=x>x</a></div>');
  assert.deepEqual(item?.properties, { url: ['https://example.com/other/x'] });
});

test('an item that two others refer to is a value of both', () => {
  const html = `<p itemscope itemref=brand></p><p itemscope itemref="brand missing"></p>
    <div id=brand itemprop=brand itemscope><b itemprop=name>B</b></div>`;
  const brand = { syntax: 'microdata', types: [], properties: { name: ['B'] } };
  assert.deepEqual(
    itemsOf(html).map((item) => item.properties),
    [{ brand: [brand] }, { brand: [brand] }],
  );
});

test('properties of nested items belong to these, and an orphan property is still an item', () => {
  const html = `<div itemscope><div itemprop=offer itemscope><b itemprop=price>1</b></div><b itemprop=name>N</b></div>
    <div itemprop=lost itemscope><b itemprop=name>L</b></div>`;
  const [first, second] = itemsOf(html);
  assert.deepEqual(first?.properties.name, ['N']);
  assert.equal(first?.properties.price, undefined);
  assert.deepEqual(second?.properties, { name: ['L'] });
});

test('cycles and exponential growth of itemref end', () => {
  const cycle = dataOf(
    '<p itemscope id=a itemref=b></p><p itemscope itemprop=p id=b itemref=c></p><p id=c itemprop=q itemscope itemref=b></p>',
  );
  assert.equal(cycle.items.length, 1);
  assert.equal(cycle.isCut, false);
  let html = '<p itemscope itemref="a0 b0"></p>';
  for (let at = 0; at < 60; at++) {
    for (const id of ['a', 'b']) html += `<p id=${id}${at} itemprop=p itemscope itemref="a${at + 1} b${at + 1}">x</p>`;
  }
  assert.deepEqual(dataOf(html).cutReasons, ['values']);
});

test('a long attribute that many items repeat costs little, and its copies are cut', () => {
  const long = 'a'.repeat(60_000);
  const names = Array.from({ length: 100_000 }, (_, at) => `n${at}`).join(' ');
  const html = `<base href="http://h.example/${long}/"><a id=x itemprop="${names}" href="${long}">x</a>
    ${'<p itemscope itemref=x></p>'.repeat(5_000)}<p vocab="http://schema.org/" property="${names}" content="${long}"></p>
    <div class=h-card><img class="${names.replaceAll('n', 'u-n-')}" src="${long}"></div>
    <meta property="${names.replaceAll('n', 'og:n')}" content="${long}">`;
  const data = dataOf(html);
  assert.deepEqual(data.cutReasons, ['characters', 'values']);
  assert.ok(JSON.stringify(data).length < 20_000_000);
});
