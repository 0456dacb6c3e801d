/** Tests which hosts of a plan can be claimed, with a fake store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlannedHosts } from '../../../src/crawl/refresh/planned-hosts.ts';
import type { HostLease, Store } from '../../../src/store/contract.ts';

const START_MS = 1_000_000;
const PATIENCE_MS = 30_000;
const NONE = new Map<number, unknown>();

function setUp(grants: (hostId: number) => boolean) {
  const asked: (readonly number[])[] = [];
  const store = {
    lease: async ({ hostIds }: { hostIds: readonly number[] }) => {
      asked.push(hostIds);
      const manners = { askedAtMs: 0, delayMs: null, blockedUntilMs: 0 };
      return hostIds.filter(grants).map((hostId) => ({ hostId, manners }) as HostLease);
    },
    release: async () => {},
  } as unknown as Store;
  const hosts = new PlannedHosts(store, { owner: 'me', leaseMs: 60_000 }, PATIENCE_MS);
  hosts.add([
    { id: 1, hostId: 7 },
    { id: 2, hostId: 8 },
  ]);
  return { hosts, asked };
}

test('a host that another process holds is tried again soon, and does not delay the others', async () => {
  let isFree = false;
  const { hosts } = setUp((hostId) => hostId === 8 || isFree);
  assert.deepEqual(
    (await hosts.lease(10, NONE, START_MS)).map(({ hostId }) => hostId),
    [8],
  );
  hosts.markDone(8, 2);
  assert.equal(hosts.nextAtMs, START_MS + 2_000);
  isFree = true;
  assert.deepEqual(await hosts.lease(10, NONE, START_MS + 1_999), []);
  assert.equal((await hosts.lease(10, NONE, START_MS + 2_000)).length, 1);
  assert.equal(hosts.left, 1);
});

test('a host that another process holds for longer than --patience is left out of the round', async () => {
  const { hosts, asked } = setUp(() => false);
  for (let atMs = START_MS; hosts.nextAtMs < Number.POSITIVE_INFINITY; atMs = hosts.nextAtMs) {
    await hosts.lease(10, NONE, atMs);
    assert.ok(atMs <= START_MS + PATIENCE_MS + 2_000);
  }
  assert.equal(asked.length, 1 + PATIENCE_MS / 2_000 + 1);
  assert.equal(hosts.left, 2);
});
