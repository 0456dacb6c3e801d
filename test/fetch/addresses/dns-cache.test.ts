import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DnsCache } from '../../../src/fetch/addresses/dns-cache.ts';
import { ManualClock } from '../manual-clock.ts';

const TWO = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
];

function counting(answer: () => Promise<{ address: string; family: number }[]>) {
  const asked: string[] = [];
  const resolve = (name: string) => {
    asked.push(name);
    return answer();
  };
  return { asked, resolve };
}

test('W12 a name is resolved once within its time to live, and again afterwards', async () => {
  const clock = new ManualClock();
  const { asked, resolve } = counting(async () => TWO);
  const cache = new DnsCache(clock, { resolve, positiveTtlMs: 1_000 });
  assert.deepEqual(await cache.addresses('Example.org'), TWO);
  clock.advance(999);
  await cache.addresses('example.ORG');
  assert.deepEqual(asked, ['example.org']);
  clock.advance(1);
  await cache.addresses('example.org');
  assert.equal(asked.length, 2);
});

test('simultaneous look-ups share one query', async () => {
  const { asked, resolve } = counting(async () => TWO);
  const cache = new DnsCache(new ManualClock(), { resolve });
  await Promise.all(Array.from({ length: 50 }, () => cache.addresses('example.org')));
  assert.equal(asked.length, 1);
});

test('failures are cached, too, for a shorter time', async () => {
  const clock = new ManualClock();
  const { asked, resolve } = counting(() => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })));
  const cache = new DnsCache(clock, { resolve, negativeTtlMs: 30_000 });
  await assert.rejects(cache.addresses('gone.test'), { code: 'ENOTFOUND' });
  await assert.rejects(cache.addresses('gone.test'), { code: 'ENOTFOUND' });
  assert.equal(asked.length, 1);
  clock.advance(30_000);
  await assert.rejects(cache.addresses('gone.test'), { code: 'ENOTFOUND' });
  assert.equal(asked.length, 2);
});

test('a look-up without an address is a failure', async () => {
  const cache = new DnsCache(new ManualClock(), { resolve: async () => [] });
  await assert.rejects(cache.addresses('empty.test'), { code: 'ENOTFOUND' });
});

test('after a failed connection another address comes first', async () => {
  const cache = new DnsCache(new ManualClock(), { resolve: async () => TWO });
  await cache.addresses('example.org');
  cache.rotate('example.org');
  cache.rotate('unknown.test');
  assert.deepEqual(await cache.addresses('example.org'), TWO.toReversed());
});

test('the cache is limited and drops the oldest entries', async () => {
  const { asked, resolve } = counting(async () => TWO);
  const cache = new DnsCache(new ManualClock(), { resolve, maxEntries: 3 });
  for (const name of ['a', 'b', 'c', 'd']) await cache.addresses(name);
  assert.equal(cache.size, 3);
  await cache.addresses('d');
  assert.equal(asked.length, 4);
  await cache.addresses('a');
  assert.equal(asked.length, 5);
});

test('an address resolves to itself', async () => {
  const { asked, resolve } = counting(async () => TWO);
  const cache = new DnsCache(new ManualClock(), { resolve });
  assert.deepEqual(await cache.addresses('192.0.2.7'), [{ address: '192.0.2.7', family: 4 }]);
  assert.equal(asked.length, 0);
});
