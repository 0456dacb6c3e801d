/** M5: tests when a host is offered to other workers, and that all requests together never exceed the host's limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/core/clock.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import type { UnitThread } from '../../src/crawl/crew/unit-thread.ts';
import { Dispatcher } from '../../src/crawl/dispatcher.ts';
import { parallelOf } from '../../src/crawl/live-leases.ts';
import type { ToUnit } from '../../src/crawl/unit/messages.ts';
import type { Work } from '../../src/crawl/work.ts';
import type { ClaimedUrl, HostLease, HostShare, Store } from '../../src/store/contract.ts';
import { NOW_MS } from '../store/rows.ts';

const HOST_ID = 7;
const clock: Clock = { now: () => NOW_MS, after: () => () => {} };
const options = resolveOptions([]);

function urlsFrom(first: number, count: number): ClaimedUrl[] {
  return Array.from(
    { length: count },
    (_, i) => ({ id: first + i, url: `http://127.0.0.1/${first + i}` }) as ClaimedUrl,
  );
}

function desk() {
  const posted: ToUnit[] = [];
  const unit = { name: 'u', assigned: 0, post: (message: ToUnit) => posted.push(message) } as unknown as UnitThread;
  const lease: HostLease = {
    hostId: HOST_ID,
    host: 'http://127.0.0.1',
    manners: { askedAtMs: 0, delayMs: 0, blockedUntilMs: 0 },
    robots: { status: 404, body: '', fetchedAtMs: NOW_MS },
    urls: urlsFrom(1, 5),
  };
  const offers: number[] = [];
  const shares: (HostShare | undefined)[] = [];
  const released: number[] = [];
  let claims = [lease];
  const work = {
    claim: async () => claims.splice(0),
    more: async (_hostId, limit, _besides, share) => {
      shares.push(share);
      return share ? urlsFrom(99, Math.min(limit, 4)) : [];
    },
    prepare: async () => {},
    allowance: () => Number.POSITIVE_INFINITY,
    sharing: {
      crowded: async () => [HOST_ID],
      offer: async (_hostId, of) => {
        assert.equal(unit.assigned, 0, 'something of it is out');
        offers.push(of);
        return { ...lease, urls: [], share: { index: 0, of } };
      },
    },
  } satisfies Partial<Work> as unknown as Work;
  const store = {
    release: async (_owner: string, ids: readonly number[]) => void released.push(...ids),
  } as unknown as Store;
  claims = [lease];
  const dispatcher = new Dispatcher({ store, work, options, owner: 'a', clock, units: [unit], batch: 100 });
  const settleAll = (): void => {
    const live = dispatcher.live.get(HOST_ID)!;
    for (const id of [...live.out()]) live.settle(unit, id);
    for (const share of live.shares) share.wantsMore = true;
  };
  return { dispatcher, posted, offers, shares, released, settleAll };
}

test('M5 the shares of a host add up to its parallelism, and no share is empty', () => {
  for (let perHost = 2; perHost <= 20; perHost++) {
    for (let of = 1; of <= perHost; of++) {
      const parts = Array.from({ length: of }, (_, index) => parallelOf(perHost, { index, of }));
      assert.equal(
        parts.reduce((sum, part) => sum + part),
        perHost,
      );
      assert.ok(Math.min(...parts) >= 1);
    }
  }
});

test('M5 a host is offered when none of its URLs is out, and then gets only its own share', async () => {
  const { dispatcher, posted, offers, shares, settleAll } = desk();
  await dispatcher.fill();
  await dispatcher.shareWith(0);
  assert.equal(dispatcher.live.get(HOST_ID)!.offered, 1, 'nobody is idle');
  await dispatcher.shareWith(2);
  await dispatcher.fill();
  assert.deepEqual([offers, shares], [[], []], 'it has URLs out, and gets no more');
  settleAll();
  await dispatcher.fill();
  assert.deepEqual(offers, [3]);
  assert.deepEqual(shares, [{ index: 0, of: 3 }]);
  const kinds = posted.map(({ type }) => type);
  assert.deepEqual(kinds, ['lease', 'drop', 'lease']);
  const last = posted.at(-1) as { parallel: number };
  assert.ok(last.parallel <= parallelOf(options.perHost, { index: 0, of: 3 }));
});

test('M5 a block that another worker noticed reaches the units, and a delay ends the sharing', async () => {
  const { dispatcher, posted, settleAll, released } = desk();
  await dispatcher.fill();
  await dispatcher.shareWith(1);
  settleAll();
  await dispatcher.fill();
  assert.deepEqual(released, []);
  const untilMs = NOW_MS + 90_000;
  const hear = (delayMs: number) =>
    dispatcher.learnShared(new Map([[HOST_ID, { askedAtMs: NOW_MS, delayMs, blockedUntilMs: untilMs }]]));
  hear(0);
  assert.deepEqual(posted.at(-1), { type: 'block', hostId: HOST_ID, untilMs });
  const before = posted.length;
  hear(0);
  assert.equal(posted.length, before, 'it is told once');
  hear(2_000);
  assert.deepEqual(posted.at(-1), { type: 'block', hostId: HOST_ID, untilMs });
  settleAll();
  await dispatcher.fill();
  assert.deepEqual(released, [HOST_ID]);
});
