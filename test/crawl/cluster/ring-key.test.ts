import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ringKeyOf } from '../../../src/crawl/place/cluster-store.ts';

test('P2 hosts are assigned by name, or by address so that neighbours go to the same worker', async () => {
  const find = async (name: string) => (name.endsWith('.neighbours.test') ? '192.0.2.7' : null);
  const [left, right] = ['http://a.neighbours.test', 'https://b.neighbours.test:8443'];
  assert.deepEqual([await ringKeyOf(left, 'host', find), await ringKeyOf(right, 'host', find)], [left, right]);
  assert.deepEqual([await ringKeyOf(left, 'ip', find), await ringKeyOf(right, 'ip', find)], ['192.0.2.7', '192.0.2.7']);
});

test('a host without an address, or with a failing name server, is assigned by its name', async () => {
  assert.equal(await ringKeyOf('http://none.test', 'ip', async () => null), 'http://none.test');
  const fails = async () => {
    throw new Error('SERVFAIL');
  };
  assert.equal(await ringKeyOf('http://broken.test', 'ip', fails), 'http://broken.test');
});

test('a host that is an IP address is assigned by that address', async () => {
  assert.equal(await ringKeyOf('http://127.0.0.1:8080', 'ip'), '127.0.0.1');
  assert.equal(await ringKeyOf('http://[::1]:8080', 'ip'), '::1');
});
