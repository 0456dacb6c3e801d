import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cdxjLine, surt } from '../../src/archive/cdxj.ts';
import { FETCHED_AT_MS } from './exchange.ts';

/** The keys that pywb's canonicalizer produces. */
const KEYS: readonly (readonly [string, string])[] = [
  ['http://example.com', 'com,example)/'],
  ['http://www.example.com/', 'com,example)/'],
  ['https://www2.example.com/Path/File.HTML', 'com,example)/path/file.html'],
  ['http://www.www.example.com/', 'com,example,www)/'],
  ['http://wwwx.example.com/', 'com,example,wwwx)/'],
  ['http://www.example.com:80/', 'com,example)/'],
  ['https://example.com:8443/a', 'com,example:8443)/a'],
  ['http://example.com:443/', 'com,example:443)/'],
  ['https://example.com:443/a/', 'com,example)/a'],
  ['http://user:pw@example.com/secret', 'com,example)/secret'],
  ['http://127.0.0.1:8080/a', '1,0,0,127:8080)/a'],
  ['http://[::1]:8080/x', '::1:8080)/x'],
  ['http://bücher.example/é', 'example,xn--bcher-kva)/%c3%a9'],
  ['http://EXAMPLE.com./x', 'com,example)/x'],
  ['http://example.com/#frag', 'com,example)/'],
  ['http://example.com/a//b///c/', 'com,example)/a/b/c'],
  ['http://example.com/a/./b/../c', 'com,example)/a/c'],
  ['http://example.com/..', 'com,example)/..'],
  ['http://example.com/%7Euser/%C3%A9', 'com,example)/~user/%c3%a9'],
  ['http://example.com/%257Euser', 'com,example)/~user'],
  ['http://example.com/%zz%41', 'com,example)/%25zza'],
  ['http://example.com/a%20b?q=%20x+y', 'com,example)/a%20b?q=%20x+y'],
  ['http://example.com/a%23b', 'com,example)/a%23b'],
  ['http://example.com/a%3Fb', 'com,example)/a?b'],
  ['http://example.com/x?', 'com,example)/x'],
  ['http://example.com/?b=2&a=1', 'com,example)/?a=1&b=2'],
  ['http://example.com/x?B=2&A=1&a', 'com,example)/x?a&a=1&b=2'],
  ['http://example.com/x?a=&a&a=1', 'com,example)/x?a&a=&a=1'],
  ['http://example.com/a?a.b=1&a=2&a-b=3', 'com,example)/a?a=2&a-b=3&a.b=1'],
  ['http://example.com/a?b=2&b=10&b=1', 'com,example)/a?b=1&b=10&b=2'],
  ['http://example.com/?a=1&&b=2', 'com,example)/?&a=1&b=2'],
  ['http://example.com/a?x=%26y&w=%3D', 'com,example)/a?w==&x=&y'],
  ['http://example.com/x?jsessionid=0123456789abcdef0123456789abcdef&a=1', 'com,example)/x?a=1'],
  ['http://example.com/x?PHPSESSID=0123456789abcdef0123456789abcdef', 'com,example)/x'],
  ['http://example.com/x?a=1&sid=0123456789abcdef0123456789abcdef&b=2', 'com,example)/x?a=1&b=2'],
  ['http://example.com/x?cfid=12&cftoken=34&b=2', 'com,example)/x?b=2'],
  ['http://example.com/x?ASPSESSIONIDABCDEFGH=abcdefghijklmnopqrstuvwx&z=1', 'com,example)/x?z=1'],
  ['http://example.com/(S(0123456789abcdefghijklmn))/page.aspx', 'com,example)/page.aspx'],
  ['http://example.com/(0123456789abcdefghijklmn)/page.aspx?x=1', 'com,example)/page.aspx?x=1'],
  ['urn:some:id', 'urn:some:id'],
];

test('sort keys are the same as those of pywb', () => {
  for (const [url, key] of KEYS) assert.equal(surt(url), key, url);
});

test('text that is not a web URL is its own key', () => {
  for (const text of ['', 'not a url', 'http://', 'http://[', 'mailto:a@example.com']) assert.equal(surt(text), text);
});

const CAPTURE = {
  url: 'http://www.example.com/A?b=2&a=1',
  fetchedAtMs: FETCHED_AT_MS,
  mime: 'text/html',
  status: 200,
  payloadDigest: 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
  file: 'orbweaver-20251115094640-u1-00001.warc.gz',
  offset: 545,
  length: 404,
  revisit: false,
};

const PLACE =
  '"digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", "length": "404", "offset": "545", ' +
  '"filename": "orbweaver-20251115094640-u1-00001.warc.gz"';
const START = 'com,example)/a?a=1&b=2 20251115094640 {"url": "http://www.example.com/A?b=2&a=1"';

/** The lines that cdxj-indexer 1.5.0 writes for such records. */
test('a CDXJ line is the line of cdxj-indexer: a digest with its name, and a status unless it is a 304', () => {
  assert.equal(cdxjLine(CAPTURE), `${START}, "mime": "text/html", "status": "200", ${PLACE}}`);
  const revisit = { ...CAPTURE, mime: '', revisit: true };
  assert.equal(cdxjLine(revisit), `${START}, "mime": "warc/revisit", "status": "200", ${PLACE}}`);
  assert.equal(cdxjLine({ ...revisit, status: 304 }), `${START}, "mime": "warc/revisit", ${PLACE}}`);
  assert.equal(cdxjLine({ ...CAPTURE, mime: '' }), `${START}, "status": "200", ${PLACE}}`);
  assert.equal(
    cdxjLine({ ...CAPTURE, mime: 'text/html charset=utf-8' }),
    `${START}, "mime": "text/html", "status": "200", ${PLACE}}`,
  );
  assert.match(
    cdxjLine({ ...CAPTURE, url: 'http://a.test/x|y?[1]' }),
    /^test,a\)\/x\|y\?\[1\] .*"http:\/\/a\.test\/x%7Cy\?%5B1%5D"/,
  );
});

test('a line is one line with two separators, whatever the URL', () => {
  const line = cdxjLine({ ...CAPTURE, url: 'http://example.com/a b\nc' });
  assert.match(line, /^[^ \n]+ \d{14} \{[^\n]+\}$/);
  assert.match(cdxjLine({ ...CAPTURE, url: 'no url\nat all' }), /^[^ \n]+ \d{14} \{[^\n]+\}$/);
});
