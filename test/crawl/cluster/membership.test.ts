/** Tests when leases count as valid and which news a worker receives, with both clocks set by hand. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LeaseGuard } from '../../../src/core/lease-expiry.ts';
import { type Member, Membership } from '../../../src/crawl/cluster/membership.ts';
import { Ring } from '../../../src/crawl/cluster/ring.ts';
import { ClusterClock } from '../../../src/crawl/unit/cluster-clock.ts';
import { SLOTS } from '../../../src/url/host.ts';
import { FakeCluster } from './setup/fake-cluster.ts';

const LEASE_MS = 60_000;
/** One sixth of the lease is kept as a safety margin. */
const GOOD_MS = 50_000;

class Stand {
  localMs = 10_000;
  readonly cluster = new FakeCluster();
  readonly guard = new LeaseGuard(undefined, { monotonicMs: () => this.localMs, wallMs: () => this.localMs });
  readonly clock = new ClusterClock(undefined, () => this.localMs);
  readonly heard: string[] = [];
  hosts: number[] = [];
  isWhole = true;
  onLose: (asOfMs: number) => Promise<void> = async () => {};
  membership!: Membership;

  pass(ms: number): void {
    this.localMs += ms;
    this.cluster.serverMs += ms;
  }

  readonly member: Member = {
    held: () => ({ hostIds: this.hosts, isWhole: this.isWhole }),
    news: () => ({}) as never,
    lose: async (ids, asOfMs) => {
      if (ids === null || ids.length > 0) this.heard.push(`lose ${ids ?? 'all'}`);
      await this.onLose(asOfMs);
      this.hosts = this.hosts.filter((id) => ids !== null && !ids.includes(id));
    },
    renewed: () => this.heard.push('renewed'),
    handOver: (ids) => {
      if (ids.length > 0) this.heard.push(`hand over ${ids}`);
    },
    free: async (ids) => void this.heard.push(`free ${ids}`),
    updateNotes: async (version) => void this.heard.push(`notes ${version}`),
    drain: () => this.heard.push('drain'),
    wake: () => {},
  };
}

async function stand(t: TestContext, names: readonly string[] = []): Promise<Stand> {
  const place = new Stand();
  const { cluster, clock, guard } = place;
  const worker = { name: 'here', machine: 'm', pid: 1, archiveDir: '' };
  const parts = { cluster, clock, guard, leaseMs: LEASE_MS, localMs: () => place.localMs };
  place.membership = await Membership.join(worker, parts);
  cluster.names.push(...names);
  t.after(() => place.membership.stop());
  // Heartbeats happen only when the test sends them.
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  place.membership.begin(place.member);
  await settled();
  place.heard.length = 0;
  cluster.woken = 0;
  return place;
}

/** Resolves when all started work that waits for nothing has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('W13 leases are valid for less than the lease time, counted from the sending of the heartbeat', async (t) => {
  const place = await stand(t);
  place.pass(20_000);
  place.cluster.onBeat = () => place.pass(4_000);
  await place.membership.sendHeartbeat();
  assert.equal(place.guard.remainingMs(), GOOD_MS - 4_000);
  place.pass(GOOD_MS - 4_000);
  assert.equal(place.guard.isGood(), false);
});

test('W13 all units drop lost hosts before any lease is valid again', async (t) => {
  const place = await stand(t);
  place.hosts = [1, 2, 3];
  place.cluster.lost = [2];
  place.pass(GOOD_MS);
  const goodWhileLosing: boolean[] = [];
  place.onLose = async () => {
    await settled();
    goodWhileLosing.push(place.guard.isGood());
  };
  await place.membership.sendHeartbeat();
  assert.deepEqual(goodWhileLosing, [false]);
  assert.deepEqual(place.heard, ['lose 2', 'renewed', 'notes 1']);
  assert.deepEqual(place.hosts, [1, 3]);
  assert.equal(place.guard.isGood(), true);
});

test('a heartbeat that reports lost hosts refers to the hosts that were held when it was sent', async (t) => {
  const place = await stand(t);
  place.hosts = [1];
  place.cluster.lost = [1];
  const sentAtMs = place.localMs;
  const asOf: number[] = [];
  place.onLose = async (ms) => void asOf.push(ms);
  place.cluster.onBeat = () => place.pass(300);
  await place.membership.sendHeartbeat();
  assert.deepEqual(asOf, [sentAtMs]);
  // A worker that was taken for dead has lost every host that it took before it learned this.
  place.cluster.life++;
  await place.membership.sendHeartbeat();
  assert.deepEqual(asOf, [sentAtMs, sentAtMs + 600]);
});

test('W12 a worker that was considered dead has lost all hosts, even those that it claimed meanwhile', async (t) => {
  const place = await stand(t);
  place.hosts = [1];
  place.cluster.life++;
  const { expiries } = place.membership;
  await place.membership.sendHeartbeat();
  assert.equal(place.heard[0], 'lose all');
  assert.equal(place.membership.expiries, expiries + 1);
});

test('W13 only one of many heartbeats of a resumed worker drops its hosts, and later claims stay', async (t) => {
  const place = await stand(t);
  place.hosts = [1];
  place.pass(GOOD_MS);
  place.cluster.life++;
  const answers = [0, 1, 2].map(() => Promise.withResolvers<void>());
  let sent = 0;
  place.cluster.onBeat = () => answers[sent++]!.promise;
  const beats = answers.map(() => place.membership.sendHeartbeat());
  answers[0]!.resolve();
  await beats[0];
  assert.equal(place.guard.isGood(), true);
  place.hosts = [1, 2];
  for (const { resolve } of answers) resolve();
  await Promise.all(beats);
  assert.deepEqual(
    place.heard.filter((word) => word.startsWith('lose')),
    ['lose all'],
  );
  assert.deepEqual(place.hosts, [1, 2]);
});

test('a late response to a heartbeat from before the worker was considered dead changes nothing', async (t) => {
  const place = await stand(t);
  place.cluster.lost = [1];
  const late = Promise.withResolvers<void>();
  place.cluster.onBeat = () => late.promise;
  place.hosts = [1];
  const early = place.membership.sendHeartbeat();
  place.cluster.onBeat = () => {};
  place.cluster.life = 2;
  await place.membership.sendHeartbeat();
  place.cluster.life = 1;
  place.hosts = [1];
  late.resolve();
  await early;
  assert.deepEqual(place.hosts, [1]);
});

test('W13 a heartbeat without losses waits until all units have dropped earlier lost hosts', async (t) => {
  const place = await stand(t);
  place.hosts = [1];
  place.cluster.lost = [1];
  place.pass(GOOD_MS);
  const heard = Promise.withResolvers<void>();
  place.onLose = () => heard.promise;
  const first = place.membership.sendHeartbeat();
  await settled();
  place.cluster.lost = [];
  const second = place.membership.sendHeartbeat();
  await settled();
  assert.equal(place.guard.isGood(), false);
  heard.resolve();
  await Promise.all([first, second]);
  assert.equal(place.guard.isGood(), true);
});

test('all callers that wait for valid leases continue with the next heartbeat', async (t) => {
  const place = await stand(t);
  place.pass(GOOD_MS);
  const waiting = [1, 2, 3].map(() => place.membership.whenValid());
  await settled();
  await place.membership.sendHeartbeat();
  await Promise.all(waiting);
  place.pass(GOOD_MS);
  const again = place.membership.whenValid();
  await place.membership.sendHeartbeat();
  await again;
});

test('units are told that leases are valid even if the controller did not notice the expiry', async (t) => {
  const place = await stand(t);
  place.hosts = [1];
  place.cluster.lost = [1];
  place.pass(GOOD_MS - 10);
  place.onLose = async () => place.pass(10);
  await place.membership.sendHeartbeat();
  assert.ok(place.guard.isGood());
  assert.ok(place.heard.includes('renewed'));
});

test('failed heartbeats end nothing: leases expire, and are valid again after a successful one', async (t) => {
  const place = await stand(t);
  place.cluster.isCut = true;
  for (let i = 0; i < 4; i++) {
    place.pass(LEASE_MS / 4);
    await place.membership.sendHeartbeat();
  }
  assert.equal(place.guard.isGood(), false);
  assert.equal(place.membership.trouble, 'no way there');
  place.cluster.isCut = false;
  await place.membership.sendHeartbeat();
  assert.equal(place.guard.isGood(), true);
  assert.equal(place.membership.trouble, null);
  assert.ok(place.heard.includes('renewed'));
});

test('a heartbeat that hangs does not block the next ones, and its late response undoes nothing', async (t) => {
  const place = await stand(t);
  const late = Promise.withResolvers<void>();
  place.cluster.onBeat = () => late.promise;
  const hanging = place.membership.sendHeartbeat();
  place.cluster.onBeat = () => {};
  place.pass(30_000);
  await place.membership.sendHeartbeat();
  assert.equal(place.guard.remainingMs(), GOOD_MS);
  late.resolve();
  await hanging;
  assert.equal(place.guard.remainingMs(), GOOD_MS);
});

test('the worker uses the server clock, even if the local clock differs by an hour', async (t) => {
  const place = await stand(t);
  place.cluster.serverMs += 3_600_000;
  await place.membership.sendHeartbeat();
  assert.ok(Math.abs(place.clock.now() - place.cluster.serverMs) < 2);
});

test('hosts of a claim whose response was lost are released, hosts of a claim in progress are not', async (t) => {
  const place = await stand(t);
  place.hosts = [1];
  place.cluster.strays = [7];
  await place.membership.sendHeartbeat();
  assert.ok(!place.heard.includes('free 7'), 'once may be a claim that is being answered');
  place.isWhole = false;
  await place.membership.sendHeartbeat();
  place.isWhole = true;
  await place.membership.sendHeartbeat();
  assert.ok(!place.heard.includes('free 7'), 'nor across a claim');
  await place.membership.sendHeartbeat();
  assert.ok(place.heard.includes('free 7'));
});

test('P2 the slots of a worker are its share of the ring of all live workers', async (t) => {
  const place = await stand(t, ['there', 'yonder']);
  const ones = (): number =>
    place.membership.slots.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
  assert.ok(Math.abs(ones() - 16_384 / 3) < 600, `${ones()}`);
  place.cluster.names = ['here'];
  await place.membership.sendHeartbeat();
  assert.equal(ones(), 16_384);
});

test('a worker drains only once, and wakes only idle workers and not too often', async (t) => {
  const place = await stand(t, ['there']);
  place.cluster.isAskedToDrain = true;
  await place.membership.sendHeartbeat();
  await place.membership.sendHeartbeat();
  assert.deepEqual(
    place.heard.filter((word) => word === 'drain'),
    ['drain'],
  );
  place.membership.wakeOthers();
  assert.equal(place.cluster.woken, 0);
  place.cluster.idleOthers = true;
  await place.membership.sendHeartbeat();
  place.membership.wakeOthers();
  place.membership.wakeOthers();
  assert.equal(place.cluster.woken, 1);
  place.pass(1_000);
  place.membership.wakeOthers();
  assert.equal(place.cluster.woken, 2);
});

test('a leaving worker stops all requests before other workers learn that its hosts are free', async (t) => {
  const place = await stand(t);
  const leaving = place.membership.leave();
  assert.equal(place.guard.isGood(), false);
  await leaving;
  assert.deepEqual(place.cluster.left, ['here#1']);
});

test('a heartbeat that is answered after the worker left makes no lease valid again', async (t) => {
  const place = await stand(t);
  const late = Promise.withResolvers<void>();
  place.cluster.onBeat = () => late.promise;
  const beat = place.membership.sendHeartbeat();
  await place.membership.leave();
  late.resolve();
  await beat;
  assert.equal(place.guard.isGood(), false);
  assert.deepEqual(place.heard, []);
});

test('W13 a worker that was frozen commits nothing before it knows its lost hosts', async (t) => {
  const place = await stand(t);
  place.hosts = [1];
  let mayCommit = false;
  await place.membership.whenValid();
  place.pass(GOOD_MS);
  const waiting = place.membership.whenValid().then(() => {
    mayCommit = true;
  });
  place.cluster.life++;
  place.onLose = async () => {
    await settled();
    assert.equal(mayCommit, false);
  };
  await place.membership.sendHeartbeat();
  await waiting;
  assert.equal(place.heard[0], 'lose all');
});

test('P2 W12 a worker with too few hosts gets its own first, then others; nobody falls below the mean', async (t) => {
  const place = await stand(t, ['there']);
  const ring = new Ring(['here', 'there']);
  const slots = { here: slotFor(ring, 'here'), there: slotFor(ring, 'there') };
  const handedOver = async (hostsWanted: number, liveHosts: number): Promise<string[]> => {
    place.heard.length = 0;
    Object.assign(place.cluster, { hostsWanted, liveHosts });
    await place.membership.sendHeartbeat();
    return place.heard.filter((word) => word.startsWith('hand'));
  };
  // By the ring, every third host belongs to the other worker. A worker cannot hand over a shared host.
  place.hosts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  place.cluster.slotOf = (id) => (id === 9 ? null : id % 3 === 0 ? slots.there : slots.here);
  assert.deepEqual(await handedOver(0, 0), [], 'it has enough');
  assert.deepEqual(await handedOver(1, 0), ['hand over 3']);
  assert.deepEqual(await handedOver(4, 0), ['hand over 3,6,1,2']);
  assert.deepEqual(await handedOver(40, 0), ['hand over 3,6,1,2,4'], 'the mean is five');
  assert.deepEqual(await handedOver(40, 8), ['hand over 3']);
  assert.deepEqual(await handedOver(40, 9), []);
  assert.deepEqual(await handedOver(40, 30), []);
});

test('W12 a worker with too few hosts calls the others, less and less often, until it has enough', async (t) => {
  const place = await stand(t, ['there']);
  const asked = async (seconds: number): Promise<number> => {
    place.cluster.calls.length = 0;
    for (let second = 0; second < seconds; second++) {
      place.membership.askForHosts();
      await settled();
      place.pass(1_000);
    }
    assert.ok(place.cluster.calls.every((call) => call === 'look'));
    return place.cluster.calls.length;
  };
  assert.equal(await asked(4), 2, 'at 0 and 2 s');
  assert.equal(await asked(60), 5, 'at 6 and 14 s, then as often as it beats');
  place.membership.stopAskingForHosts();
  assert.equal(await asked(4), 2);
});

function slotFor(ring: Ring, name: string): number {
  return Array.from({ length: SLOTS }, (_, slot) => slot).find((slot) => ring.ownerOf(slot) === name)!;
}
