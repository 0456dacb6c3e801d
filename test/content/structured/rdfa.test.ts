import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemsOf } from './read-page.ts';

test('RDFa Lite: vocab, typeof, property, resource and prefix', () => {
  const html = `<div vocab="http://schema.org/" prefix="x: http://x.example/" resource="#me" typeof="Person x:Cat">
    <span property="name">Ann</span><a property="url" href="/ann">home</a><img property="image" src="a.png">
    <time property="birthDate" datetime="1990-01-02">long ago</time><meta property="x:age" content="9">
    <div property="address" typeof="PostalAddress"><span property="addressLocality">Bern</span></div></div>`;
  assert.deepEqual(itemsOf(html), [
    {
      syntax: 'rdfa',
      types: ['Person', 'http://x.example/Cat'],
      id: 'https://example.com/dir/page#me',
      properties: {
        name: ['Ann'],
        url: ['https://example.com/ann'],
        image: ['https://example.com/dir/a.png'],
        birthDate: ['1990-01-02'],
        'http://x.example/age': ['9'],
        address: [{ syntax: 'rdfa', types: ['PostalAddress'], properties: { addressLocality: ['Bern'] } }],
      },
    },
  ]);
});

test('RDFa Core: about, rel, rev, href, content and datatype', () => {
  const html = `<p about="/book" typeof="schema:Book"><b property="schema:name" content="Title" datatype="xsd:string">T</b>
    <a rel="cc:license" href="/cc">l</a></p><div about="/ann" rel="schema:knows"><b about="/bob" property="schema:name">Bob</b></div>
    <i about="/dan" rev="schema:knows" resource="/eve"></i>`;
  const items = itemsOf(html);
  assert.deepEqual(items[0]?.properties, {
    name: ['Title'],
    'http://creativecommons.org/ns#license': ['https://example.com/cc'],
  });
  const bob = { syntax: 'rdfa', types: [], id: 'https://example.com/bob', properties: { name: ['Bob'] } };
  assert.deepEqual(items[1]?.properties, { knows: [bob] });
  assert.deepEqual(
    [items[2]?.id, items[2]?.properties],
    ['https://example.com/eve', { knows: ['https://example.com/dan'] }],
  );
});

test('things that refer to each other are read once', () => {
  const items = itemsOf(`<p about="#a" property="schema:knows" resource="#b"></p><p about="#b" rel="schema:knows"
    resource="#a"></p>`);
  assert.equal(items.length, 1);
});

test('properties of cards and link types of HTML are no RDFa', () => {
  const html = `<meta property="og:title" content="t"><div vocab="http://schema.org/"><a rel="nofollow noopener" href=x>y</a></div>`;
  assert.deepEqual(
    itemsOf(html).map(({ syntax }) => syntax),
    ['opengraph'],
  );
});

test('a thing without an address to which two things refer has an id', () => {
  const html = `<div vocab="http://schema.org/"><p resource="#a" typeof="Event"><b property="location" typeof="Place" resource="_:x">
    <i property="name">Hall</i></b></p><p resource="#b" typeof="Event"><a property="location" resource="_:x"></a></p></div>`;
  const [a, b] = itemsOf(html);
  assert.deepEqual(a?.properties.location, [
    { syntax: 'rdfa', types: ['Place'], id: '_:x', properties: { name: ['Hall'] } },
  ]);
  assert.deepEqual(b?.properties.location, [{ syntax: 'rdfa', types: [], id: '_:x', properties: {} }]);
});

test('HTML+RDFa 3.5: a thing has the statements of the patterns that it copies', () => {
  const html = `<div vocab="http://schema.org/"><p resource="#me" typeof="Person"><link property="rdfa:copy" href="#p">
    <b property="name">Ann</b></p><p resource="#p" typeof="rdfa:Pattern Artist"><link property="rdfa:copy" href="#q">
    <b property="jobTitle">Painter</b></p><p resource="#q" typeof="rdfa:Pattern"><link property="rdfa:copy" href="#p">
    <b property="email">a@b.example</b></p></div>`;
  const [ann, ...others] = itemsOf(html);
  assert.deepEqual(ann?.types, ['Person', 'Artist']);
  assert.deepEqual(ann?.properties, { email: ['a@b.example'], jobTitle: ['Painter'], name: ['Ann'] });
  assert.deepEqual(others, []);
});

test('a property that has no scheme before its colon is no address', () => {
  assert.deepEqual(itemsOf('<meta property="app-id=1,argument=x://y" content="z">'), []);
});
