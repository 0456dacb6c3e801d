/**
 * Tests the requests that the controller itself sends to a host that other workers may take over: over a real
 * site, with leases that the test lets expire.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { monotonicMs, systemClock } from '../../../src/core/clock.ts';
import { LeaseGuard } from '../../../src/core/lease-expiry.ts';
import { HostHolds } from '../../../src/crawl/cluster/drop-lost-hosts.ts';
import { type ProcessRole, SoleProcess } from '../../../src/crawl/process-role.ts';
import { ClusterClock } from '../../../src/crawl/unit/cluster-clock.ts';
import { HostHold } from '../../../src/crawl/watchers/host-hold.ts';
import { HostSession, type HostSessionSetup } from '../../../src/crawl/watchers/host-session.ts';
import { WatchReader } from '../../../src/crawl/watchers/watch-reader.ts';
import type { WatchedHost } from '../../../src/crawl/watchers/watched-host.ts';
import type { Store } from '../../../src/store/contract.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startWatchedSite, type WatchedSite } from '../../../testbed/web/watched-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';
import { sessionSetup } from './session-setup.ts';

const LEASE_MS = 60_000;

interface ClusterWorker extends WatchedSite {
  readonly store: Store;
  readonly guard: LeaseGuard;
  readonly holds: HostHolds;
  readonly setup: HostSessionSetup;
  readonly hostId: number;
}

/** A worker in a cluster whose membership the test controls. */
async function amongOthers(t: TestContext): Promise<ClusterWorker> {
  const site = await startWatchedSite(t, { pages: 5 });
  const dir = dataFolder(t);
  const seeds = [site.site.web.url('/')];
  await crawlHere(dir, seeds, { patience: '0s' });
  site.site.forget();
  site.watcher.queries.length = 0;
  const store = openSqliteStore(dir, Date.now());
  const [guard, holds] = [new LeaseGuard(), new HostHolds()];
  guard.extend(monotonicMs(), LEASE_MS);
  const { take, mayCommit, isAtWork, hostIsCovered } = new SoleProcess(store, systemClock);
  const hold: ProcessRole['hold'] = (hostId, onLoss) => holds.add(hostId, onLoss);
  const role = { owner: 'here#1', leaseMs: LEASE_MS, guard, hold, take, mayCommit, isAtWork, hostIsCovered };
  const shared = { time: new ClusterClock().memory, leases: guard.memory };
  const setup = sessionSetup(store, role, seeds, { clock: { ...systemClock }, shared });
  t.after(async () => {
    await setup.fetcher.close();
    await store.close();
  });
  const { id } = (await store.host(site.site.web.origin))!;
  return { ...site, store, guard, holds, setup, hostId: id };
}

async function openSession({ hostId, setup }: ClusterWorker): Promise<HostSession> {
  const session = await HostSession.open(hostId, setup, new AbortController().signal);
  assert.ok(typeof session !== 'string', `${session}`);
  return session;
}

test('a host that another worker holds gets no request', async (t) => {
  const desk = await amongOthers(t);
  const nowMs = Date.now();
  await desk.store.lease({ owner: 'other#2', hostIds: [desk.hostId], nowMs, leaseMs: LEASE_MS });
  assert.equal(await HostSession.open(desk.hostId, desk.setup, new AbortController().signal), 'another-worker');
  assert.equal(await HostHold.take(desk.hostId, desk.setup), null);
  assert.deepEqual([desk.holds.hostIds, desk.watcher.queries], [[], []]);
});

test('W13 a host that is lost during a request gets no more requests, and the response is not stored', async (t) => {
  const desk = await amongOthers(t);
  const { watcher, holds, store, hostId } = desk;
  const [before] = await store.watchers();
  watcher.partSize = 1;
  // After the second part, a heartbeat says that another worker has the host.
  watcher.onAsk = () => {
    if (watcher.queries.length !== 2) return;
    holds.lose([hostId], monotonicMs());
    void store.release('here#1', [hostId], Date.now());
    void store.lease({ owner: 'other#2', hostIds: [hostId], nowMs: Date.now(), leaseMs: LEASE_MS });
  };
  const [host] = await new WatchReader(desk.setup).readAll([{ ...before!, cursor: null }], 'refresh');
  assert.deepEqual([host!.stance, host!.heldBy], ['held', 'another worker of this crawl']);
  assert.equal(watcher.queries.length, 2, 'neither the rest of the report nor its lease was requested');
  assert.deepEqual(await store.watchers(), [before]);
  assert.deepEqual(await store.marks(hostId, 0, 9), []);
  const noted = JSON.parse((await store.note(`watcher-lease ${desk.site.web.origin}`))!);
  assert.equal(noted.token, watcher.held!.token, 'the stored lease of the first part does not lock us out');
  assert.deepEqual(holds.hostIds, []);
});

test('W14 a host that was released and taken again is not lost because of an old heartbeat', async (t) => {
  const desk = await amongOthers(t);
  const { watcher, holds, hostId } = desk;
  const { reader, host } = await read(desk);
  // The heartbeat was sent while the report was read, and its response arrives while the lease is given back.
  const sentAtMs = monotonicMs();
  watcher.onAsk = () => holds.lose([hostId], sentAtMs);
  await reader.release(host);
  assert.equal(watcher.held, null);
  assert.deepEqual(holds.hostIds, []);
});

/** Reads a report and the lease that comes with it. */
async function read(desk: ClusterWorker): Promise<{ reader: WatchReader; host: WatchedHost }> {
  const [before] = await desk.store.watchers();
  const reader = new WatchReader(desk.setup);
  const [host] = await reader.readAll([{ ...before!, cursor: null }], 'refresh');
  assert.ok(desk.watcher.held !== null, 'the watcher gave its lease');
  return { reader, host: host! };
}

test('W7 the lease is also released if another worker briefly holds the host', async (t) => {
  const desk = await amongOthers(t);
  const { store, hostId } = desk;
  const { reader, host } = await read(desk);
  await store.lease({ owner: 'other#2', hostIds: [hostId], nowMs: Date.now(), leaseMs: LEASE_MS });
  const lease = store.lease.bind(store);
  let refused = 0;
  store.lease = async (request) => {
    const leases = await lease(request);
    if (leases.length === 0) refused++;
    await store.release('other#2', [hostId], Date.now());
    return leases;
  };
  await reader.releaseAll([host], false);
  assert.deepEqual([refused, desk.watcher.held], [1, null]);
});

test('W7 a hurried end does not wait for a host that another worker holds', async (t) => {
  const desk = await amongOthers(t);
  const { reader, host } = await read(desk);
  await desk.store.lease({ owner: 'other#2', hostIds: [desk.hostId], nowMs: Date.now(), leaseMs: LEASE_MS });
  desk.setup.clock.after = () => assert.fail('it waits');
  await reader.releaseAll([host], true);
  assert.notEqual(desk.watcher.held, null);
});

test('W7 a worker that was declared dead does not release a lease that another worker took over', async (t) => {
  const desk = await amongOthers(t);
  const { store, site, watcher } = desk;
  const { reader, host } = await read(desk);
  const name = `watcher-lease ${site.web.origin}`;
  const theirs = JSON.stringify({ ...JSON.parse((await store.note(name))!), owner: 'other#2' });
  await store.setNote(name, theirs);
  await reader.release(host);
  assert.notEqual(watcher.held, null);
  assert.equal(await store.note(name), theirs);
});

test('W7 the lease of a first attempt is released after a second attempt that could not send a request', async (t) => {
  const desk = await amongOthers(t);
  const { store, hostId, watcher } = desk;
  await read(desk);
  const [record] = await store.watchers();
  await store.lease({ owner: 'other#2', hostIds: [hostId], nowMs: Date.now(), leaseMs: LEASE_MS });
  const later = new WatchReader(desk.setup);
  const [again] = await later.readAll([record!], 'refresh');
  assert.deepEqual([again!.stance, again!.heldBy], ['held', 'another worker of this crawl']);
  await store.release('other#2', [hostId], Date.now());
  await later.releaseAll([again!], false);
  assert.equal(watcher.held, null);
});

test('W13 no request is sent from the moment at which the lease may have expired', async (t) => {
  const desk = await amongOthers(t);
  const { guard, site, watcher } = desk;
  const session = await openSession(desk);
  assert.deepEqual(desk.holds.hostIds, [desk.hostId]);
  const url = site.web.url('/.well-known/orbweaver-report');
  assert.equal(typeof (await session.ask(url)), 'object');
  guard.end();
  assert.equal(await session.ask(url), 'busy');
  assert.equal(await session.isOurs(), false);
  assert.equal(watcher.queries.length, 1);
  await session.close();
  assert.deepEqual(desk.holds.hostIds, []);
});

test('W13 a response that is still arriving when the lease expires is not awaited', { timeout: 20_000 }, async (t) => {
  const desk = await amongOthers(t);
  const { site, holds, hostId } = desk;
  const session = await openSession(desk);
  site.web.on('/slow', () => holds.lose([hostId], monotonicMs()));
  const answer = await session.ask(site.web.url('/slow'));
  assert.ok(typeof answer !== 'string' && answer.status === 0, 'the server never answers');
  await session.close();
});
