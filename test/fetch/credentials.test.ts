import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { FetchOptions } from '../../src/fetch/fetch-options.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import { originHeaders, withExtraHeaders } from '../../src/fetch/request-headers.ts';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';

let web: LocalWeb;
let other: LocalWeb;
before(async () => {
  web = await startWeb();
  other = await startWeb({ address: '127.0.0.2' });
  for (const one of [web, other]) one.on('/', reply('hello', { 'set-cookie': 'session=1; Path=/' }));
});
after(() => Promise.all([web.close(), other.close()]));

async function visit(options: Partial<FetchOptions>, ...urls: string[]): Promise<string[]> {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin, other.origin], ...options }, systemClock);
  const heads: string[] = [];
  for (const url of urls) heads.push((await fetcher.fetch(url)).requestHead);
  await fetcher.close();
  return heads;
}

const lastSeen = (one: LocalWeb) => one.ledger.entries.at(-1)!.headers;

test('basic auth is sent to its own host only and is not archived', async () => {
  const heads = await visit({ basicAuth: { [web.host]: 'me:s\u00e9cret' } }, web.url('/'), other.url('/'));
  assert.equal(lastSeen(web).authorization, `Basic ${Buffer.from('me:s\u00e9cret').toString('base64')}`);
  assert.equal(lastSeen(other).authorization, undefined);
  assert.ok(!heads.join('').toLowerCase().includes('authorization'));
  assert.ok(heads[0]!.endsWith('deflate\r\n'));
});

test('headers for a host are sent to that host only, headers for * to all hosts, and the exact host wins', async () => {
  const headers: FetchOptions['headers'] = {
    '*': { 'x-all': 'a', 'accept-language': 'en' },
    [web.host]: { 'X-Key': 'k', 'Accept-Language': 'eo' },
  };
  const heads = await visit({ headers }, web.url('/'), other.url('/'));
  assert.doesNotMatch(heads.join(''), /x-all|x-key|accept-language/i, 'the user may have given a key: not archived');
  assert.equal(lastSeen(web)['x-all'], 'a');
  assert.equal(lastSeen(web)['x-key'], 'k');
  assert.equal(lastSeen(web)['accept-language'], 'eo');
  assert.equal(lastSeen(other)['x-all'], 'a');
  assert.equal(lastSeen(other)['x-key'], undefined);
  assert.equal(lastSeen(other)['accept-language'], 'en');
});

test('a host is matched whole: no suffix, no other port, no other scheme', () => {
  const options = {
    userAgent: 'u',
    headers: { 'a.org': { x: '1' }, '*.b.org': { y: '1' }, 'https://c.org': { z: '1' } },
    basicAuth: {},
  };
  const names = (origin: string): string[] =>
    originHeaders(new URL(origin), options).filter((text, i) => i % 2 === 0 && text.length === 1);
  assert.deepEqual(names('http://a.org'), ['x']);
  assert.deepEqual(names('http://nota.org'), []);
  assert.deepEqual(names('http://a.org.evil.net'), []);
  assert.deepEqual(names('http://a.org:8080'), []);
  assert.deepEqual(names('http://www.b.org'), ['y']);
  assert.deepEqual(names('http://evilb.org'), []);
  assert.deepEqual(names('https://c.org'), ['z']);
  assert.deepEqual(names('http://c.org'), []);
});

const REFUSED: Readonly<Record<string, Partial<FetchOptions>>> = {
  'a line break in a value': { headers: { '*': { 'x-a': 'b\r\nx-c: d' } } },
  'a space in a name': { headers: { '*': { 'x a': 'b' } } },
  'a header of the connection': { headers: { '*': { Host: 'evil' } } },
  'a line break in the user agent': { userAgent: 'a\nb' },
  'auth for every host': { basicAuth: { '*': 'a:b' } },
  'a time-out of nothing': { totalTimeoutMs: 0 },
  'a proxy that is none': { proxy: 'socks9://x' },
};

for (const [what, options] of Object.entries(REFUSED)) {
  test(`${what} is refused when the fetcher is made`, () => {
    assert.throws(() => new Fetcher(options, systemClock), { code: 'ERR_BAD_OPTION' });
  });
}

test('headers of one request replace the default headers, and invalid headers are omitted', () => {
  const base = ['user-agent', 'u', 'accept', '*/*'];
  const merged = withExtraHeaders(base, { Accept: 'text/plain', 'if-none-match': '"a\nb"', 'If-Modified-Since': 'x' });
  assert.deepEqual(merged, ['user-agent', 'u', 'accept', 'text/plain', 'if-modified-since', 'x']);
});

test('a conditional request gets its 304', async () => {
  web.on('/cached', ({ request, response }) => {
    response.writeHead(request.headers['if-none-match'] === '"v1"' ? 304 : 200, { etag: '"v1"' }).end();
  });
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin] }, systemClock);
  const outcome = await fetcher.fetch(web.url('/cached'), { 'if-none-match': '"v1"' });
  assert.equal(outcome.status, 304);
  assert.equal(outcome.reason, null);
  await fetcher.close();
});

test('cookies are off by default and are sent back to their host only', async () => {
  await visit({}, web.url('/'), web.url('/'));
  assert.equal(lastSeen(web).cookie, undefined);
  await visit({ cookies: true }, web.url('/'), web.url('/'), other.url('/'));
  assert.equal(lastSeen(web).cookie, 'session=1');
  assert.equal(lastSeen(other).cookie, undefined);
});

test('cookies are sent and not archived', async () => {
  const heads = await visit({ cookies: true }, web.url('/'), web.url('/'));
  assert.equal(lastSeen(web).cookie, 'session=1');
  assert.doesNotMatch(heads.join(''), /cookie/i);
});
