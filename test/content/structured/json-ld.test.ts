import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, itemsOf, scriptOf } from './read-page.ts';

const NAMED = { syntax: 'json-ld', types: ['Article'], properties: { name: ['A "b" c'] } };

const LENIENT = {
  'strict JSON': '{"@type":"Article","name":"A \\"b\\" c"}',
  'comments of scripts': '// one\n{/* two */"@type":"Article", // three\n"name":"A \\"b\\" c"}',
  'a CDATA wrapper': '//<![CDATA[\n{"@type":"Article","name":"A \\"b\\" c"}\n//]]>',
  'a CDATA wrapper on one line': '<![CDATA[{"@type":"Article","name":"A \\"b\\" c"}]]>',
  'an HTML comment as a wrapper': '<!-- {"@type":"Article","name":"A \\"b\\" c"} -->',
  'an HTML comment before it': '<!-- written by a plugin -->{"@type":"Article","name":"A \\"b\\" c"}',
  'trailing commas': '{"@type":["Article",],"name":"A \\"b\\" c",}',
  'missing commas': '{"@type":"Article"\n"name":"A \\"b\\" c"}',
  'single quotes': "{'@type':'Article','name':'A \"b\" c'}",
  'names without quotes': '{"@type":"Article",name:"A \\"b\\" c"}',
  'quotes that are not escaped': '{"@type":"Article","name":"A "b" c"}',
  'a byte order mark': '\ufeff{"@type":"Article","name":"A \\"b\\" c"}',
  'escaped quotes of HTML':
    '{&quot;@type&quot;:&quot;Article&quot;,&quot;name&quot;:&quot;A \\&quot;b\\&quot; c&quot;}',
  'a semicolon and an assignment': 'var data = {"@type":"Article","name":"A \\"b\\" c"};',
  'a text that ends too early': '{"@type":"Article","name":"A \\"b\\" c"',
  'full names': '{"@context":"x","@type":"https://schema.org/Article","schema:name":"A \\"b\\" c"}',
  'a value without a text': '{"@type":"Article","x": ,"name":"A \\"b\\" c","y":null}',
  'texts with a language': '{"@type":"Article","name":{"@value":"A \\"b\\" c","@language":"en"}}',
};

for (const [what, json] of Object.entries(LENIENT)) {
  test(`JSON-LD is read with ${what}`, () => {
    assert.deepEqual(itemsOf(scriptOf(json)), [NAMED]);
  });
}

test('raw line ends and control characters stay in the text', () => {
  const [item] = itemsOf(scriptOf('{"name":"a\nb\tc\u0001d"}'));
  assert.deepEqual(item?.properties, { name: ['a\nb\tc\u0001d'] });
});

test('graphs, arrays and several values after each other are separate items', () => {
  const json = '{"@graph":[{"@type":"A"},{"@type":"B"}]}[{"@type":"C"}] {"@type":"D"},{"@type":"E"}';
  const types = itemsOf(scriptOf(json)).map((item) => item.types[0]);
  assert.deepEqual(types, ['A', 'B', 'C', 'D', 'E']);
});

test('numbers keep their digits, and ids become absolute', () => {
  const [item] = itemsOf(
    scriptOf('{"@id":"#it","price":19.90,"gtin":12345678901234567890,"ok":true,"of":{"@id":"/x"}}'),
  );
  assert.deepEqual(item, {
    syntax: 'json-ld',
    types: [],
    id: 'https://example.com/dir/page#it',
    properties: {
      price: ['19.90'],
      gtin: ['12345678901234567890'],
      ok: ['true'],
      of: [{ syntax: 'json-ld', types: [], id: 'https://example.com/x', properties: {} }],
    },
  });
});

test('the type of the script may have parameters, and other scripts are no data', () => {
  const html = '<script type="Application/LD+JSON; charset=utf-8">{"@type":"A"}</script><script>{"@type":"B"}</script>';
  assert.deepEqual(
    itemsOf(html).map((item) => item.types),
    [['A']],
  );
});

test('a property may be called __proto__', () => {
  const [item] = itemsOf(scriptOf('{"@type":"A","__proto__":"x","constructor":"y"}'));
  assert.equal(Object.entries(item!.properties).length, 2);
});

test('a hundred thousand nested levels and blocks are cut with a reason', () => {
  assert.deepEqual(dataOf(scriptOf('{"a":'.repeat(100_000))).cutReasons, ['depth']);
  assert.deepEqual(dataOf(scriptOf('['.repeat(100_000))).cutReasons, ['depth']);
  const { isCut, cutReasons, items } = dataOf(scriptOf('{"a":1}').repeat(20_000));
  assert.deepEqual([isCut, cutReasons, items.length], [true, ['blocks'], 10_000]);
});
