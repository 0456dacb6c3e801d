import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CookieJar, parseSetCookie } from '../../../src/fetch/cookies/cookie-jar.ts';
import { ManualClock } from '../manual-clock.ts';

function jarWith(
  url: string,
  ...cookies: string[]
): { jar: CookieJar; clock: ManualClock; sent: (to: string) => string } {
  const clock = new ManualClock();
  const jar = new CookieJar(clock);
  jar.store(new URL(url), cookies);
  return { jar, clock, sent: (to) => jar.header(new URL(to)) };
}

test('a cookie without Domain is sent to its own host only', () => {
  const { sent } = jarWith('http://www.example.org/', 'a=1');
  assert.equal(sent('http://www.example.org/x'), 'a=1');
  assert.equal(sent('http://example.org/'), '');
  assert.equal(sent('http://sub.www.example.org/'), '');
});

test('a cookie with its own Domain is sent to subdomains', () => {
  const { sent } = jarWith('http://www.example.org/', 'a=1; Domain=.example.org');
  assert.equal(sent('http://shop.example.org/'), 'a=1');
  assert.equal(sent('http://example.org/'), 'a=1');
  assert.equal(sent('http://notexample.org/'), '');
});

test('a Domain that is foreign, a public suffix or part of an address is refused', () => {
  assert.equal(jarWith('http://a.example.org/', 'a=1; Domain=other.org').sent('http://other.org/'), '');
  assert.equal(jarWith('http://a.example.org/', 'a=1; Domain=b.a.example.org').sent('http://b.a.example.org/'), '');
  assert.equal(jarWith('http://shop.co.uk/', 'a=1; Domain=co.uk').sent('http://evil.co.uk/'), '');
  assert.equal(jarWith('http://me.github.io/', 'a=1; Domain=github.io').sent('http://you.github.io/'), '');
  assert.equal(jarWith('http://127.0.0.1/', 'a=1; Domain=0.0.1').sent('http://127.0.0.1/'), '');
  assert.equal(jarWith('http://127.0.0.1/', 'a=1').sent('http://127.0.0.1/'), 'a=1');
});

test('paths: the default, the match at a slash, longer ones first', () => {
  const { jar, sent } = jarWith('http://e.org/shop/list', 'a=1', 'b=2; Path=/', 'c=3; Path=/shop/list');
  assert.equal(sent('http://e.org/shop/list'), 'c=3; a=1; b=2');
  assert.equal(sent('http://e.org/shopping'), 'b=2');
  jar.store(new URL('http://e.org/shop/list'), ['a=9']);
  assert.equal(sent('http://e.org/shop/x'), 'a=9; b=2');
});

test('Secure cookies are neither set nor sent without TLS', () => {
  const { jar, sent } = jarWith('https://e.org/', 's=1; Secure');
  assert.equal(sent('https://e.org/'), 's=1');
  assert.equal(sent('http://e.org/'), '');
  jar.store(new URL('http://e.org/'), ['t=1; Secure']);
  assert.equal(sent('https://e.org/'), 's=1');
});

test('the rules for __Host- and __Secure- names are enforced', () => {
  const { sent } = jarWith('https://e.org/', '__Host-a=1; Secure', '__Secure-b=1', '__Host-c=1; Secure; Path=/');
  assert.equal(sent('https://e.org/'), '__Host-c=1');
});

test('Max-Age and Expires end a cookie, Max-Age first', () => {
  const { jar, clock, sent } = jarWith(
    'http://e.org/',
    'a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    'b=1',
  );
  assert.equal(sent('http://e.org/'), 'a=1; b=1');
  clock.advance(10_000);
  assert.equal(sent('http://e.org/'), 'b=1');
  jar.store(new URL('http://e.org/'), ['b=; Expires=Thu, 01-Jan-1970 00:00:00 GMT']);
  assert.equal(sent('http://e.org/'), '');
});

test('the number and size of cookies are limited', () => {
  const { jar, sent } = jarWith('http://e.org/', `big=${'x'.repeat(5_000)}`);
  assert.equal(sent('http://e.org/'), '');
  for (let i = 0; i < 200; i++) jar.store(new URL('http://e.org/'), [`c${i}=1`]);
  assert.equal(sent('http://e.org/').split('; ').length, 50);
  for (let i = 0; i < 50; i++) jar.store(new URL('http://e.org/'), [`d${i}=${'x'.repeat(1_000)}`]);
  assert.ok(sent('http://e.org/').length <= 8 * 1024);
});

test('an invalid cookie is ignored', () => {
  for (const header of ['', '=', 'novalue', '=1', ';;;', 'a\r\nb=1', 'a=\x01']) {
    assert.equal(parseSetCookie(header, 0), null, JSON.stringify(header));
  }
  assert.equal(parseSetCookie('a=b=c', 0)?.value, 'b=c');
});
