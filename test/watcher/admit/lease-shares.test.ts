import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseShares } from '../../../src/watcher/admit/lease-shares.ts';

const LONGEST = 120_000;

/** A client that takes the lease whenever it may, for as long as it may, and never releases it. */
function heldBy(shares: LeaseShares, client: string, untilMs: number): { heldMs: number; longestMs: number } {
  let [heldMs, longestMs] = [0, 0];
  for (let nowMs = 0; nowMs < untilMs; ) {
    const permission = shares.ask(client, nowMs);
    if ('waitMs' in permission) {
      nowMs += Math.max(1_000, permission.waitMs);
      continue;
    }
    const forMs = Math.min(LONGEST, permission.mostMs);
    shares.gave(client, nowMs, nowMs + forMs);
    heldMs += forMs;
    longestMs = Math.max(longestMs, forMs);
    nowMs += forMs;
  }
  return { heldMs, longestMs };
}

test('an address that never releases the lease holds it for half of the time, one lease at a time', () => {
  const hourMs = 3_600_000;
  const { heldMs, longestMs } = heldBy(new LeaseShares({ longestMs: LONGEST, takesPerMinute: 30 }), 'evil', hourMs);
  assert.ok(heldMs <= hourMs / 2 + 2 * LONGEST, `${heldMs}`);
  assert.equal(longestMs, LONGEST);
});

test('an address that releases the lease in time never has to wait', () => {
  const shares = new LeaseShares({ longestMs: LONGEST, takesPerMinute: 30 });
  for (let nowMs = 0; nowMs < 3_600_000; nowMs += 5_000) {
    const permission = shares.ask('honest', nowMs);
    assert.deepEqual(permission, { mostMs: LONGEST }, `${nowMs}`);
    shares.gave('honest', nowMs, nowMs + LONGEST);
    shares.ended(nowMs + 1_000);
  }
});

test('takes are limited by a rate per address and a rate for all addresses', () => {
  const shares = new LeaseShares({ longestMs: LONGEST, takesPerMinute: 6 });
  const given = (client: string, nowMs: number) => 'mostMs' in shares.ask(client, nowMs);
  const first = Array.from({ length: 10 }, () => given('evil', 0));
  assert.equal(first.filter(Boolean).length, 6);
  assert.equal(given('honest', 0), true);
  assert.equal(given('evil', 10_000), true);
  let all = 0;
  for (let i = 0; i < 1_000; i++) if (given(`evil ${i}`, 10_000)) all++;
  assert.ok(all <= 150, `${all}`);
});

test('a lease that is renewed, or passes to another address, is counted once', () => {
  const shares = new LeaseShares({ longestMs: LONGEST, takesPerMinute: 30 });
  const left = (client: string, nowMs: number) => (shares.ask(client, nowMs) as { mostMs: number }).mostMs;
  shares.gave('a', 0, 20_000);
  shares.gave('a', 0, 30_000);
  assert.equal(left('a', 0), LONGEST - 30_000);
  shares.gave('b', 0, 10_000);
  assert.equal(left('a', 0), LONGEST, 'the unused time is restored');
});

test('the table of addresses has a maximum size', () => {
  const shares = new LeaseShares({ longestMs: LONGEST, takesPerMinute: 30 });
  for (let i = 0; i < 10_000; i++) shares.ask(`visitor ${i}`, i * 1_000);
  assert.ok(shares.clients <= 4_096);
});
