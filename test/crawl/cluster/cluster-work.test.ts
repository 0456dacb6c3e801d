/** Tests which URLs a worker hands out and when it is done, with a fake frontier and a fake cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseGuard } from '../../../src/core/lease-expiry.ts';
import { ClusterWork, type ClusterWorkParts } from '../../../src/crawl/cluster/cluster-work.ts';
import { LeaseTaker } from '../../../src/crawl/cluster/lease-taker.ts';
import type { Membership } from '../../../src/crawl/cluster/membership.ts';
import { PageTickets } from '../../../src/crawl/cluster/page-tickets.ts';
import { SharedNotes } from '../../../src/crawl/cluster/shared-notes.ts';
import { ClusterClock } from '../../../src/crawl/unit/cluster-clock.ts';
import type { CommitBatch, CommitReceipt, HostLease, Store, UrlResult } from '../../../src/store/contract.ts';
import { FakeCluster } from './setup/fake-cluster.ts';

const LEASE: HostLease = {
  hostId: 5,
  host: 'http://h.example',
  manners: { askedAtMs: 0, delayMs: null, blockedUntilMs: 0 },
  robots: null,
  urls: [],
};

class Desk {
  localMs = 1_000;
  readonly cluster = new FakeCluster();
  readonly clock = new ClusterClock(undefined, () => this.localMs);
  readonly guard = new LeaseGuard(undefined, { monotonicMs: () => this.localMs, wallMs: () => this.localMs });
  readonly membership = {
    owner: 'here#1',
    expiries: 0,
    marginMs: 10_000,
    slots: new Uint8Array(2_048),
    others: [] as object[],
    wakeOthers: () => void this.seen.push('wake'),
  };
  readonly seen: string[] = [];
  leases: readonly HostLease[] = [LEASE];
  onClaim: () => void = () => {};
  nextAtMs: number | null = null;
  notes: Record<string, string> = {};
  hostDemand = { hosts: 10, isShort: false };
  watchers: { hostId: number; cursor: string | null }[] = [];
  readonly work: ClusterWork;

  constructor(limit = 0, stays = false) {
    const store = {
      release: async (owner: string, ids: readonly number[]) => void this.seen.push(`release ${ids} of ${owner}`),
      note: async (name: string) => this.notes[name] ?? null,
      lessons: async () => [],
      watchers: async () => this.watchers,
      counts: async () => ({ states: { fetched: this.cluster.pages, duplicate: 0 } }),
    } as unknown as Store;
    const frontier = {
      claim: async (hosts: number, _urls: number, _held: unknown, ring: { graceMs: number }) => {
        this.seen.push(`claim ${hosts}, grace ${ring.graceMs}`);
        this.onClaim();
        return this.leases;
      },
      more: async () => [{ id: 9 }],
      nextAtMs: async () => this.nextAtMs,
    };
    const notes = new SharedNotes(store, this.cluster, 1);
    notes.listen((seeds) => this.seen.push(`hear ${seeds}`));
    this.guard.extend(this.localMs, 50_000);
    const { clock, guard } = this;
    const membership = this.membership as unknown as Membership;
    this.work = new ClusterWork({
      store,
      cluster: this.cluster,
      membership,
      leases: new LeaseTaker({ store, membership, guard, clock, notes }),
      notes,
      clock,
      tickets: limit === 0 ? null : new PageTickets(this.cluster, 'here#1', limit),
      frontier: frontier as unknown as ClusterWorkParts['frontier'],
      hostDemand: () => this.hostDemand,
      stays,
    });
  }

  claim(): Promise<readonly HostLease[]> {
    return this.work.claim(10, 10, new Map());
  }
}

function receiptOf(discovered: number): CommitReceipt {
  return {
    states: [],
    linkIds: [],
    redirectIds: new Map(),
    discovered,
    retrying: 0,
    loggedAs: new Map(),
    uncountedLinks: 0,
    abandoned: new Map(),
    lessons: [],
    released: new Map(),
  };
}

test('notes that existed at the claim of a URL are read before the URL is handed out', async () => {
  const desk = new Desk();
  desk.onClaim = () => {
    desk.notes['moved-seeds'] = '["https://new.example/"]';
    desk.cluster.version = 2;
  };
  assert.deepEqual(await desk.claim(), [LEASE]);
  assert.deepEqual(desk.seen, ['claim 10, grace 0', 'hear https://new.example/']);
  desk.cluster.version = 3;
  await desk.work.more(5, 1, new Set());
  assert.equal(desk.seen.length, 3, 'and also before more of a host that is held');
});

test('W13 a claim is released if it took too long or if leases expired during it', async () => {
  for (const trouble of [
    (desk: Desk) => (desk.localMs += 10_001),
    (desk: Desk) => desk.membership.expiries++,
    (desk: Desk) => desk.guard.end(),
  ]) {
    const desk = new Desk();
    desk.onClaim = () => void trouble(desk);
    assert.deepEqual(await desk.claim(), []);
    assert.equal(desk.seen.at(-1), 'release 5 of here#1');
  }
});

test('W13 nothing is claimed while the leases have expired', async () => {
  const desk = new Desk();
  desk.guard.end();
  assert.deepEqual(await desk.claim(), []);
  assert.deepEqual(desk.seen, []);
});

test('W12 a worker claims hosts of others after a grace time: short if idle, none if it is alone', async () => {
  const desk = new Desk();
  desk.membership.others.push({});
  await desk.claim();
  await desk.work.prepare(7);
  await desk.claim();
  assert.deepEqual(desk.seen, ['claim 10, grace 250', 'claim 10, grace 2000']);
});

test('W12 a worker claims no more hosts than it can serve', async () => {
  const desk = new Desk();
  desk.hostDemand = { hosts: 3, isShort: true };
  desk.leases = [LEASE, { ...LEASE, hostId: 6 }, { ...LEASE, hostId: 7 }];
  await desk.claim();
  assert.deepEqual(desk.seen, ['claim 3, grace 0']);
  assert.equal(desk.work.hostsWanted, 0, 'it gets what it asks for');
  desk.hostDemand = { hosts: 0, isShort: false };
  await desk.claim();
  assert.equal(desk.seen.length, 1);
});

test('W12 a worker asks for hosts of others if it finds too few and has little to do', async () => {
  const desk = new Desk();
  desk.hostDemand = { hosts: 5, isShort: true };
  await desk.claim();
  assert.equal(desk.work.hostsWanted, 5);
  desk.hostDemand = { hosts: 5, isShort: false };
  assert.equal(desk.work.hostsWanted, 0);
});

test('W12 a worker does not claim hosts that it handed over for a second, and wakes the other workers', async () => {
  const desk = new Desk();
  desk.work.handedOver();
  assert.deepEqual(await desk.claim(), []);
  assert.deepEqual(desk.seen, ['wake']);
  desk.work.after({} as never, receiptOf(1));
  assert.deepEqual(await desk.claim(), [], 'also when something was found');
  desk.localMs += 1_000;
  assert.deepEqual(await desk.claim(), [LEASE]);
});

test('the store is not queried in every turn while it has no work, but at once after a discovery', async () => {
  const desk = new Desk();
  desk.leases = [];
  for (let turn = 0; turn < 10; turn++) await desk.claim();
  assert.equal(desk.seen.length, 1);
  desk.work.after({} as never, receiptOf(1));
  await desk.claim();
  assert.equal(desk.seen.length, 2);
  desk.localMs += 250;
  await desk.claim();
  assert.equal(desk.seen.length, 3);
});

test('P1 the work is done only when no URL waits and no worker holds a host', async () => {
  const desk = new Desk();
  assert.equal(await desk.work.nextAtMs(), null);
  desk.cluster.anyHeld = true;
  const nowMs = desk.clock.now();
  assert.equal(await desk.work.nextAtMs(), nowMs + 1_000);
  desk.cluster.anyHeld = false;
  desk.nextAtMs = nowMs + 300;
  assert.equal(await desk.work.nextAtMs(), nowMs + 300);
  desk.nextAtMs = nowMs + 20_000;
  assert.equal(await desk.work.nextAtMs(), nowMs + 1_000, 'others may find something sooner');
  desk.nextAtMs = nowMs - 5;
  assert.ok((await desk.work.nextAtMs())! > nowMs, 'what others are left for a while is not asked for without a pause');
  assert.ok((await new Desk(0, true).work.nextAtMs()) !== null, 'who stays waits for more');
});

test('P1 the work is not done if another worker takes the last host during the check', async () => {
  const desk = new Desk();
  const answers = [false, true];
  desk.cluster.isAnyHeld = async () => answers.shift()!;
  assert.notEqual(await desk.work.nextAtMs(), null);
});

test('--limit is reached when the copy has that many pages, not when other workers hold all tickets', async () => {
  const desk = new Desk(2);
  await desk.work.prepare(0);
  assert.equal(desk.work.allowance(1), 1);
  assert.equal(desk.work.isSpent, false);
  desk.cluster.drawn.set('other#2', 2);
  await desk.work.prepare(0);
  assert.equal(desk.work.allowance(0), 0);
  assert.equal(desk.work.isSpent, false);
  desk.nextAtMs = desk.clock.now() - 5;
  assert.equal(await desk.work.nextAtMs(), desk.clock.now() + 1_000, 'and they are not asked for all the time');
  desk.cluster.pages = 2;
  await desk.work.prepare(0);
  assert.equal(desk.work.isSpent, true);
});

test('W14 pages that a worker fetches from a led host are marked as unreported', async () => {
  const desk = new Desk();
  const results = [
    { id: 1, hostId: 5, state: 'fetched' },
    { id: 2, hostId: 5, state: 'waiting' },
    { id: 3, hostId: 6, state: 'fetched' },
  ] as UrlResult[];
  assert.deepEqual(desk.work.before({ results } as unknown as CommitBatch), {});
  desk.watchers = [
    { hostId: 5, cursor: 'e.1' },
    { hostId: 6, cursor: null },
  ];
  desk.cluster.version = 2;
  await desk.claim();
  const { marks } = desk.work.before({ results } as unknown as CommitBatch);
  assert.deepEqual(marks, [{ id: 1, hostId: 5, mark: 'untold' }]);
});
