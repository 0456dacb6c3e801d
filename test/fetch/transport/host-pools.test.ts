import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostPools } from '../../../src/fetch/transport/host-pools.ts';
import type { Transport } from '../../../src/fetch/transport/transport.ts';

/** Pools whose transports only record the calls that they get. */
function pools(maxHosts: number): { pools: HostPools; closed: string[]; destroyed: string[] } {
  const closed: string[] = [];
  const destroyed: string[] = [];
  const createTransport = (origin: string): Transport =>
    ({
      close: async () => closed.push(origin),
      destroy: async () => destroyed.push(origin),
    }) as unknown as Transport;
  return { pools: new HostPools({ maxHosts, createTransport }), closed, destroyed };
}

test('the number of pools stays limited while hosts change', () => {
  const { pools: hosts, closed } = pools(100);
  for (let i = 0; i < 10_000; i++) hosts.release(hosts.acquire(`http://h${i}`));
  assert.equal(hosts.size, 100);
  assert.equal(closed.length, 9_900);
});

test('the least recently used host is closed first', () => {
  const { pools: hosts, closed } = pools(2);
  hosts.release(hosts.acquire('a'));
  hosts.release(hosts.acquire('b'));
  hosts.release(hosts.acquire('a'));
  hosts.release(hosts.acquire('c'));
  assert.deepEqual(closed, ['b']);
});

test('a host with requests under way is not closed', () => {
  const { pools: hosts, closed } = pools(2);
  hosts.acquire('a');
  hosts.acquire('b');
  hosts.acquire('c');
  assert.deepEqual(closed, []);
  assert.equal(hosts.size, 3);
});

test('a closed host is opened again when it is needed', () => {
  const { pools: hosts, closed } = pools(2);
  const first = hosts.acquire('a');
  hosts.close('a');
  hosts.close('unknown');
  assert.notEqual(hosts.acquire('a'), first);
  assert.deepEqual(closed, ['a']);
});

test('destroy closes all hosts', async () => {
  const { pools: hosts, destroyed } = pools(5);
  hosts.acquire('a');
  hosts.acquire('b');
  await hosts.destroy();
  assert.deepEqual(destroyed, ['a', 'b']);
  assert.equal(hosts.size, 0);
});
