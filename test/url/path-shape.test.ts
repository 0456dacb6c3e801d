import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathShape, patternOf } from '../../src/url/path-shape.ts';

const HOST = 'http://a.test';

const SHAPES: readonly (readonly [path: string, shape: string])[] = [
  ['/', '/'],
  ['/products/', '/products/'],
  ['/products/123-blue-shirt.html', '/products/*.html'],
  ['/products/green-hat.html', '/products/*.html'],
  ['/2024/05/17/title', '/#/#/#/*'],
  ['/news/4711.html', '/news/#.html'],
  ['/list.php?page=3&sort=up', '/list.php?page&sort'],
  ['/list.php?page=4&sort=down', '/list.php?page&sort'],
  ['/item.php?id=1', '/item.php?id'],
  ['/files/report.PDF', '/files/*.pdf'],
  ['/a-long-title-of-a-section/x', '/*/*'],
  ['/caf%C3%A9/x', '/*/*'],
  ['/v1.2.3-of-a-thing', '/*'],
  ['/x?', '/*'],
  ['/x?=1', '/*'],
  ['/x#a?b=1', '/*'],
  ['/x?a=1#b=2', '/x?a'],
];

for (const [path, shape] of SHAPES) {
  test(`the shape of ${path} is ${shape}`, () => assert.equal(pathShape(HOST + path), shape));
}

test('a pattern is a 32-bit number made from the host and the shape', () => {
  const pattern = patternOf(`${HOST}/products/1-a.html`);
  assert.ok(Number.isInteger(pattern) && pattern >= 0 && pattern < 2 ** 32);
  assert.equal(patternOf(`${HOST}/products/2-b.html`), pattern);
  assert.notEqual(patternOf(`${HOST}/news/2-b.html`), pattern);
  assert.notEqual(patternOf('http://b.test/products/1-a.html'), pattern);
});

test('the shape of a URL is short, however long the URL is', () => {
  const deep = HOST + '/segment-of-a-path'.repeat(5_000);
  const wide = `${HOST}/?${'parameter-with-a-name=1&'.repeat(5_000)}`;
  const long = `${HOST}/${'1'.repeat(100_000)}.${'x'.repeat(100_000)}`;
  for (const url of [deep, wide, long, HOST]) assert.ok(pathShape(url).length < 400, pathShape(url).slice(0, 500));
});
