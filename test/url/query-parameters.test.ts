import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlKeyHex } from '../../src/url/key.ts';
import { isSpotChecked, parameterNames, parameterSpace, withoutParameters } from '../../src/url/query-parameters.ts';

const SITE = 'http://a.test';

test('the names of a query are returned once each, or none if there are too many', () => {
  const names = (query: string) => parameterNames(`${SITE}/x${query}`);
  assert.deepEqual(names(''), []);
  assert.deepEqual(names('?a=1&b=2&a=3&c'), ['a', 'b', 'c']);
  assert.deepEqual(names('?a=1?b=2#!c=3&d=4'), ['a']);
  assert.deepEqual(names('#!/x?a=1'), [], 'a question mark in a fragment begins no query');
  assert.deepEqual(names('?&&=1'), []);
  assert.deepEqual(names(`?${'n'.repeat(65)}=1&a=1`), []);
  const many = Array.from({ length: 9 }, (_, i) => `p${i}=1`);
  assert.deepEqual(names(`?${many.slice(0, 8).join('&')}`).length, 8);
  assert.deepEqual(names(`?${many.join('&')}`), []);
});

test('all occurrences of the parameters are removed, and the rest of the URL stays unchanged', () => {
  const without = (rest: string, ...names: string[]) =>
    withoutParameters(`${SITE}/x${rest}`, new Set(names)).slice(`${SITE}/x`.length);
  assert.equal(without('?a=1&b=2&a=3', 'a'), '?b=2');
  assert.equal(without('?a=1&b=2', 'b', 'a'), '');
  assert.equal(without('?a=1#!k', 'a'), '#!k');
  assert.equal(without('?ab=1&a', 'a'), '?ab=1');
  assert.equal(without('?a=1', 'c'), '?a=1');
  assert.equal(without('', 'a'), '');
  assert.equal(without('#!/y?a=1', 'a'), '#!/y?a=1');
});

test('a lesson applies to paths of one shape: numbers and titles are equal, program names are not', () => {
  const shape = (path: string) => parameterSpace(SITE + path);
  assert.equal(shape('/item/17?a=1'), '/item/*');
  assert.equal(shape('/item/red-shoe'), shape('/item/blue-shirt'));
  assert.equal(shape('/item/red-shoe.html'), '/item/*.html');
  assert.equal(shape('/wiki/Caf%C3%A9'), '/wiki/*');
  assert.equal(shape('/list-items.php'), '/list-items.php');
  assert.notEqual(shape('/list-items.php'), shape('/view-item.php'));
  assert.equal(shape('/page12.php'), '/page*.php');
  assert.equal(shape(`/${'x'.repeat(30)}/news/`), '/*/news/');
  assert.equal(shape('?a=1'), '');
  assert.equal(shape(`/${'a/'.repeat(200)}`), null);
});

test('about one of sixteen URLs gets a spot check, always the same ones', () => {
  const audited = Array.from({ length: 4_000 }, (_, i) => isSpotChecked(urlKeyHex(`${SITE}/item?ref=${i}`)));
  const share = audited.filter(Boolean).length / audited.length;
  assert.ok(share > 1 / 24 && share < 1 / 10, `${share}`);
  assert.equal(isSpotChecked('0fffffffffffffff'), true);
  assert.equal(isSpotChecked('f000000000000000'), false);
});
