import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UrlIdCache } from '../../../src/store/postgres/discovery/url-id-cache.ts';
import { urlKeyHex } from '../../../src/url/key.ts';

test('the cache returns the id that was set last, or none', () => {
  const known = new UrlIdCache();
  assert.equal(known.get(1, urlKeyHex('http://a.test/')), undefined);
  const COUNT = 300_000;
  for (let n = 1; n <= COUNT; n++) known.set(n % 50, urlKeyHex(String(n)), n);
  let atHand = 0;
  for (let n = 1; n <= COUNT; n++) {
    const id = known.get(n % 50, urlKeyHex(String(n)));
    if (id === undefined) continue;
    assert.equal(id, n);
    atHand++;
  }
  assert.ok(atHand > COUNT / 3 && atHand < COUNT, `${atHand} of more than there is room for`);
});

test('the same key at another host, or a key with another last digit, is a different URL', () => {
  const known = new UrlIdCache();
  const key = urlKeyHex('http://a.test/');
  const near = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
  known.set(7, key, 3);
  assert.equal(known.get(7, key), 3);
  assert.equal(known.get(8, key), undefined);
  assert.equal(known.get(7, near), undefined);
  known.set(7, near, 4);
  assert.equal(known.get(7, near), 4);
  assert.equal(known.get(7, key), undefined, 'both URLs have the same place in the cache');
});
