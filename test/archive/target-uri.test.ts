import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { exactUrl, targetUri } from '../../src/archive/target-uri.ts';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { archiveFolder, exchange, writerIn } from './exchange.ts';
import { readWithWarcio } from './independent-reader.ts';

/** URLs in normal form, and the same as URIs. JWAT 1.2.1 refuses each URL on the left that differs from its URI. */
const URIS: readonly (readonly [string, string])[] = [
  ['http://a.test/plain/path?x=1&y=%C3%A9;z=(a)', 'http://a.test/plain/path?x=1&y=%C3%A9;z=(a)'],
  ['http://a.test/a|b', 'http://a.test/a%7Cb'],
  ['http://a.test/[y]?x=[1]&z={2}', 'http://a.test/%5By%5D?x=%5B1%5D&z=%7B2%7D'],
  ['http://a.test/?q=|{}[]^`\\', 'http://a.test/?q=%7C%7B%7D%5B%5D%5E%60%5C'],
  ['http://a.test/h%', 'http://a.test/h%25'],
  ['http://a.test/g%zz%4?%', 'http://a.test/g%25zz%254?%25'],
  ['http://[::1]:8080/[x]', 'http://[::1]:8080/%5Bx%5D'],
  ['http://a.test/#!/x#y|z', 'http://a.test/#!/x%23y%7Cz'],
  ['http://xn--bcher-kva.test/%E6%97%A5', 'http://xn--bcher-kva.test/%E6%97%A5'],
  ['http://a.test/é日𝄞', 'http://a.test/%C3%A9%E6%97%A5%F0%9D%84%9E'],
  ['http://a{b}.test/', 'http://a%7Bb%7D.test/'],
];

test('a target URI has only the characters that RFC 3986 allows', () => {
  for (const [url, uri] of URIS) {
    assert.equal(targetUri(url), uri);
    assert.equal(targetUri(uri), uri, 'a URI stays as it is');
  }
});

test('records carry a valid target URI, and reading gives the exact URL back', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const urls = URIS.flat();
  const places = urls.map((url) => writer.append(exchange({ url })));
  await writer.close();
  for (const [i, place] of places.entries()) assert.equal((await readCapture(dir, place)).url, urls[i]);
  for (const { type, warc } of await readWithWarcio(join(dir, places[0]!.file))) {
    if (type === 'warcinfo') continue;
    assert.match(warc.get('warc-target-uri')!, /^http:\/\/(?:\[::1\])?[^[\]{}|\\^`"<> ]*$/);
  }
});

test('a field with the exact URL counts only beside its own target URI', () => {
  const target = 'http://a.test/a%7Cb';
  const fields = (exact: string) =>
    new Map(Object.entries({ 'warc-target-uri': target, 'orbweaver-target-uri': exact }));
  assert.equal(exactUrl(fields('http://a.test/a|b')), 'http://a.test/a|b');
  assert.equal(exactUrl(fields('http://other.test/')), target);
});
