/** Tests how often the store is asked. This decides how much a slow host costs the other hosts. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Clock, monotonicMs } from '../../src/core/clock.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import { hostsFound } from '../../src/crawl/commit-reports.ts';
import type { UnitThread } from '../../src/crawl/crew/unit-thread.ts';
import { Dispatcher, LEASE_MS } from '../../src/crawl/dispatcher.ts';
import type { ToUnit } from '../../src/crawl/unit/messages.ts';
import { FrontierWork } from '../../src/crawl/work.ts';
import type { ClaimedUrl, Store } from '../../src/store/contract.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { freshStore } from '../store/fresh-store.ts';
import { batchOf, found, NOW_MS, resultOf } from '../store/rows.ts';

const OWNER = 'first';
const SLOW_HOSTS = 20;
const BATCH = 100;

interface Desk {
  readonly dispatcher: Dispatcher;
  readonly store: Store;
  /** Every URL handed out, in order, by unit. */
  readonly out: ClaimedUrl[][];
  /** How often the store was asked for more URLs of a host. */
  asked: number;
  /** Called while the store is asked. */
  onAsk: () => void;
  nowMs: number;
}

/** Opens a dispatcher with units that take their URLs and never answer. */
async function openDesk(t: TestContext, urls: readonly string[], units: number, mostOut?: () => number): Promise<Desk> {
  const store = await freshStore(t, openSqliteStore, NOW_MS);
  await store.seed(
    urls.map((url) => found(url)),
    NOW_MS,
  );
  const clock: Clock = { now: () => desk.nowMs, after: () => () => {} };
  const silentUnit = (out: ClaimedUrl[]): UnitThread => {
    const post = (message: ToUnit): void => {
      if (message.type === 'lease') out.push(...message.lease.urls);
      else if (message.type === 'more') out.push(...message.urls);
    };
    return { name: 'silent', assigned: 0, post } as unknown as UnitThread;
  };
  const watched = {
    claim: (request) => store.claim(request),
    release: (...words) => store.release(...words),
    claimMore: (...words) => {
      desk.asked++;
      desk.onAsk();
      return store.claimMore(...words);
    },
  } satisfies Partial<Store> as unknown as Store;
  const out = Array.from({ length: units }, (): ClaimedUrl[] => []);
  const work = new FrontierWork(watched, OWNER, clock, { leaseMs: () => LEASE_MS, patienceMs: 0 });
  const dispatcher = new Dispatcher({
    ...{ store: watched, work, options: resolveOptions([]), owner: OWNER, clock },
    units: out.map(silentUnit),
    batch: BATCH,
    ...(mostOut && { mostOut }),
  });
  const desk: Desk = { dispatcher, store, out, asked: 0, onAsk: () => {}, nowMs: NOW_MS };
  await dispatcher.fill();
  for (const lease of dispatcher.live.values()) for (const share of lease.shares) share.wantsMore = true;
  return desk;
}

function slowHosts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `http://127.0.1.${i + 1}/`);
}

test('no more URLs of a host are out at once than the order allows, and more when it allows more', async (t) => {
  let most = 3;
  const urls = Array.from({ length: 20 }, (_, i) => `http://127.0.1.1/${i}`);
  const desk = await openDesk(t, urls, 1, () => most);
  const [lease] = [...desk.dispatcher.live.values()];
  const [share] = lease!.shares;
  await desk.dispatcher.fill();
  assert.equal(desk.out[0]!.length, 3);
  lease!.settle(share!.unit, desk.out[0]![0]!.id);
  await desk.dispatcher.fill();
  assert.equal(desk.out[0]!.length, 4);
  most = 6;
  share!.wantsMore = true;
  await desk.dispatcher.fill();
  assert.equal(lease!.out().size, 6);
});

test('the store is not queried for more URLs of an exhausted host in every turn', async (t) => {
  const desk = await openDesk(t, slowHosts(SLOW_HOSTS), 1);
  assert.equal(desk.out[0]!.length, SLOW_HOSTS);
  for (let turn = 0; turn < 10; turn++) await desk.dispatcher.fill();
  assert.equal(desk.asked, SLOW_HOSTS);
});

test('a new link to a slow host is handed out in the same turn', async (t) => {
  const desk = await openDesk(t, slowHosts(SLOW_HOSTS), 1);
  await desk.dispatcher.fill();
  desk.asked = 0;
  const [first, second] = [...desk.dispatcher.live.values()];
  const link = found(`${second!.host}/new`);
  const elsewhere = found(`${first!.host}/left-out`, { skip: 'excluded' });
  const batch = batchOf([resultOf(first!, desk.out[0]![0]!, { foundLinks: [link, elsewhere] })]);
  await desk.store.commit(batch);
  desk.dispatcher.expect(hostsFound(batch));
  await desk.dispatcher.fill();
  assert.equal(desk.asked, 1);
  assert.equal(desk.out[0]!.at(-1)!.url, `${second!.host}/new`);
});

test('a URL of a slow host that becomes due is noticed within a second', async (t) => {
  const desk = await openDesk(t, slowHosts(SLOW_HOSTS), 1);
  const [lease] = [...desk.dispatcher.live.values()];
  const again = resultOf(lease!, desk.out[0]![0]!, { state: 'waiting', failures: 1, dueAtMs: NOW_MS + 500 });
  await desk.store.seed([found(`${lease!.host}/slow`)], NOW_MS);
  await desk.dispatcher.fill();
  await desk.store.commit(batchOf([again]));
  lease!.settle(lease!.shares[0]!.unit, again.id);
  lease!.shares[0]!.wantsMore = true;
  await desk.dispatcher.fill();
  assert.equal(desk.out[0]!.at(-1)!.url, `${lease!.host}/slow`);
  desk.nowMs += 1_000;
  await desk.dispatcher.fill();
  assert.equal(desk.out[0]!.at(-1)!.id, again.id);
});

test('all units share a host without a delay, even beside many small hosts', async (t) => {
  const large = Array.from({ length: 3 * BATCH }, (_, i) => `http://127.0.0.1/${i}`);
  const desk = await openDesk(t, [...slowHosts(200), ...large], 2);
  for (const lease of desk.dispatcher.live.values()) lease.robots = { status: 404, body: '', fetchedAtMs: NOW_MS };
  await desk.dispatcher.fill();
  const shares = desk.out.map((urls) => urls.filter(({ url }) => url.startsWith('http://127.0.0.1/')).length);
  assert.deepEqual(shares.sort(), [BATCH, 2 * BATCH]);
});

test('lost hosts are dropped at once with all their URLs, and later results for them are ignored', async (t) => {
  const desk = await openDesk(t, slowHosts(3), 1);
  const [first, second, third] = [...desk.dispatcher.live.values()];
  const before = desk.out[0]!.length;
  assert.deepEqual(desk.dispatcher.lose([first!.hostId, 4_711], monotonicMs()), [first!.hostId]);
  assert.deepEqual([...desk.dispatcher.live.keys()], [second!.hostId, third!.hostId]);
  assert.equal(desk.dispatcher.out, 2);
  // The host is lost while the store is asked for more of its URLs.
  await desk.store.seed([found(`${second!.host}/more`)], NOW_MS);
  desk.dispatcher.expect(new Set([second!.host]));
  desk.onAsk = () => void desk.dispatcher.lose([second!.hostId], monotonicMs());
  await desk.dispatcher.fill();
  assert.equal(desk.out[0]!.length, before);
  assert.equal(desk.dispatcher.out, 1);
});

test('a loss from before a host was claimed again does not apply to the new lease', async (t) => {
  const desk = await openDesk(t, slowHosts(2), 1);
  const [first, second] = [...desk.dispatcher.live.values()];
  const asOfMs = monotonicMs();
  await desk.dispatcher.release([first!]);
  for (const { unit } of first!.shares) unit.assigned = 1;
  await desk.dispatcher.fill();
  const again = desk.dispatcher.live.get(first!.hostId)!;
  assert.notEqual(again, first);
  assert.deepEqual(desk.dispatcher.lose([first!.hostId, second!.hostId], asOfMs), [second!.hostId]);
  assert.deepEqual([...desk.dispatcher.live.keys()], [first!.hostId]);
  assert.deepEqual(desk.dispatcher.lose([first!.hostId], monotonicMs()), [first!.hostId]);
});

test('a host that is blocked is released until the block ends', async (t) => {
  const desk = await openDesk(t, [], 1);
  const blockedUntilMs = NOW_MS + 3_600_000;
  await desk.store.seed([found('http://127.0.1.1/')], NOW_MS);
  const request = { owner: 'dead', hosts: 1, urlsPerHost: 1, nowMs: NOW_MS, leaseMs: LEASE_MS };
  const [lease] = await desk.store.claim(request);
  const manners = { askedAtMs: NOW_MS, delayMs: 0, blockedUntilMs };
  await desk.store.commit({ ...batchOf([]), owner: 'dead', hosts: [{ hostId: lease!.hostId, manners }] });
  desk.nowMs += LEASE_MS;
  await desk.dispatcher.fill();
  assert.deepEqual(desk.out, [[]]);
  assert.equal(desk.dispatcher.live.size, 0);
  assert.equal(await desk.store.nextReadyAtMs(), blockedUntilMs);
});

test('W12 hosts of a dead unit count as requested just now, because their last request is unknown', async (t) => {
  const desk = await openDesk(t, slowHosts(2), 1);
  const [lease] = [...desk.dispatcher.live.values()];
  const manners = { askedAtMs: NOW_MS, delayMs: 3_000, blockedUntilMs: 0 };
  const hosts = [...desk.dispatcher.live.keys()].map((hostId) => ({ hostId, manners }));
  await desk.store.commit({ ...batchOf([]), hosts });
  desk.nowMs += 2_000;
  await desk.dispatcher.abandon(lease!.shares[0]!.unit);
  assert.equal(desk.dispatcher.live.size, 0);
  assert.equal(await desk.store.nextReadyAtMs(), NOW_MS + 2_000 + 3_000);
});
