/**
 * Tests the workers of a cluster in a real PostgreSQL. The server's clock decides which worker is alive, so the tests
 * change the times in the rows, not the clock.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { WorkerNews } from '../../../src/store/cluster.ts';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { PostgresCluster } from '../../../src/store/postgres/leases/worker-registry.ts';
import { migrate } from '../../../src/store/postgres/migrate.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';

const LEASE_MS = 60_000;
const NEWS: WorkerNews = {
  pages: 7,
  pagesPerSecond: 1.5,
  failures: 1,
  rssMb: 90,
  liveHosts: 2,
  underWay: 3,
  units: 2,
  window: 64,
  isIdle: false,
  isDraining: false,
  hostsWanted: 0,
  lastError: 'a "quoted" one',
};
const HERE = { name: 'here', machine: 'machine', pid: 5, archiveDir: '/archive' };

interface Place {
  readonly db: Database;
  readonly cluster: PostgresCluster;
}

/** One database for all tests: creating tables takes most of the time, so each test has a schema with few of them. */
let url: Promise<string> | null = null;
let opened = 0;

async function open(t: TestContext): Promise<Place> {
  url ??= testDatabase('file');
  const db = new Database(parseAddress(await url), `orbweaver_t${++opened}`);
  t.after(() => db.close());
  await migrate(db);
  return { db, cluster: new PostgresCluster(db) };
}

async function addHost({ db }: Place, id: number, owner: string | null, readyAtMs: number): Promise<void> {
  const sql = `INSERT INTO ${db.schema}.hosts (id, host, slot, ready_at, lease_owner) VALUES ($1, $2, 0, $3, $4)`;
  await db.run(sql, [id, `http://h${id}`, readyAtMs, owner]);
}

async function hosts({ db }: Place): Promise<readonly Record<string, number & string>[]> {
  return db.all(`SELECT id, lease_owner, ready_at, asked_at FROM ${db.schema}.hosts ORDER BY id`);
}

/** Sets the number of pages in the copy. */
async function holds({ db }: Place, pages: number): Promise<void> {
  await db.run(
    `INSERT INTO ${db.schema}.totals (slot, name, value) VALUES (1, 'state/fetched', $1), (2, 'state/duplicate', 1)
     ON CONFLICT (slot, name) DO UPDATE SET value = excluded.value`,
    [pages - 1],
  );
}

/** Makes the worker look silent for this time. */
async function silence({ db }: Place, owner: string, ms: number): Promise<void> {
  await db.run(`UPDATE ${db.schema}.workers SET beat_at = beat_at - $2::bigint WHERE owner = $1`, [owner, ms]);
}

test('a worker joins under its name with a unique owner, and others see its news', {
  skip: noPostgres,
}, async (t) => {
  const { cluster } = await open(t);
  const first = await cluster.join(HERE, LEASE_MS);
  assert.equal(first.name, 'here');
  assert.match(first.owner, /^here#\d+$/);
  await cluster.beat(first.owner, NEWS, [], LEASE_MS);
  const [told] = await cluster.workers();
  assert.deepEqual({ ...told, ...NEWS }, told);
  assert.equal(told!.machine, 'machine');
  assert.ok(Math.abs(told!.beatAtMs - (await cluster.nowMs())) < 60_000);
  await cluster.leave(first.owner);
  assert.deepEqual(await cluster.workers(), []);
  const again = await cluster.join(HERE, LEASE_MS);
  assert.notEqual(again.owner, first.owner);
  assert.equal(again.name, 'here');
});

test('the second of two workers with the same name gets a number, also if they join at once', {
  skip: noPostgres,
}, async (t) => {
  const { cluster } = await open(t);
  const joined = await Promise.all([1, 2, 3].map(() => cluster.join(HERE, LEASE_MS)));
  assert.deepEqual(joined.map(({ name }) => name).sort(), ['here', 'here-2', 'here-3']);
  assert.equal(new Set(joined.map(({ owner }) => owner)).size, 3);
});

test('the name of a dead worker is free, and a worker that comes back gets another name', {
  skip: noPostgres,
}, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  const first = await cluster.join(HERE, LEASE_MS);
  await silence(place, first.owner, LEASE_MS + 1);
  const second = await cluster.join(HERE, LEASE_MS);
  assert.equal(second.name, 'here');
  const view = await cluster.beat(first.owner, NEWS, [], LEASE_MS);
  assert.ok(view.life > second.life, 'the worker was revived after the other one joined');
  assert.deepEqual(view.workers.map(({ name, owner }) => [name, owner]).sort(), [
    ['here', second.owner],
    ['here-2', first.owner],
  ]);
});

test('W13 a heartbeat renews the leases by the clock of the server, and reports lost and unknown leases', {
  skip: noPostgres,
}, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  const { owner } = await cluster.join(HERE, LEASE_MS);
  await addHost(place, 1, owner, 1_000);
  await addHost(place, 2, 'other#9', 1_000);
  await addHost(place, 3, owner, 1_000);
  const view = await cluster.beat(owner, NEWS, [1, 2], LEASE_MS);
  assert.deepEqual(view.lost, [2]);
  assert.deepEqual(view.strays, [3]);
  const [one, two, three] = await hosts(place);
  assert.ok(one!.ready_at! >= view.nowMs + LEASE_MS && one!.ready_at! < view.nowMs + LEASE_MS + 10_000);
  assert.equal(two!.ready_at, 1_000, 'the lease of another worker is unchanged');
  assert.ok(three!.ready_at! > view.nowMs);
});

test('W12 a worker that was silent for too long loses all its leases, and the delays of its hosts count from then', {
  skip: noPostgres,
}, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  const { owner, life } = await cluster.join(HERE, LEASE_MS);
  const nowMs = await cluster.nowMs();
  await addHost(place, 1, owner, nowMs - 5_000);
  await addHost(place, 2, owner, nowMs + LEASE_MS);
  await cluster.drawPages(owner, 10, 100);
  await silence(place, owner, LEASE_MS + 1);
  const revived = await cluster.beat(owner, NEWS, [1, 2], LEASE_MS);
  assert.deepEqual(revived.lost, [1, 2]);
  assert.ok(revived.life > life);
  const [one, two] = await hosts(place);
  assert.equal(one!.lease_owner, null);
  assert.equal(one!.asked_at, nowMs - 5_000, 'the host received requests until the end of the lease at the latest');
  assert.ok(two!.asked_at! >= nowMs && two!.ready_at! <= nowMs + LEASE_MS / 2);
  assert.equal(await cluster.drawPages(owner, 100, 100), 100, 'the tickets of the worker are free again');
  assert.equal((await cluster.beat(owner, NEWS, [], LEASE_MS)).life, revived.life);
});

test('W13 one of several simultaneous heartbeats revives a dead worker, and the others do not take its new leases', {
  skip: noPostgres,
}, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  const { owner, life } = await cluster.join(HERE, LEASE_MS);
  await addHost(place, 1, owner, 1_000);
  await silence(place, owner, LEASE_MS + 1);
  const claimed = Promise.withResolvers<void>();
  const beats = [1, 2, 3].map(async () => {
    const view = await cluster.beat(owner, NEWS, [1], LEASE_MS);
    claimed.resolve();
    return view;
  });
  await claimed.promise;
  await addHost(place, 2, owner, Date.now() + LEASE_MS);
  const views = await Promise.all(beats);
  assert.equal(new Set(views.map((view) => view.life)).size, 1, 'the worker was revived once');
  assert.ok(views[0]!.life > life);
  const [one, two] = await hosts(place);
  assert.deepEqual([one!.lease_owner, two!.lease_owner], [null, owner]);
});

test('a worker whose row was deleted can be revived, too', { skip: noPostgres }, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  const { owner, life } = await cluster.join(HERE, LEASE_MS);
  await silence(place, owner, 2 * 86_400_000);
  await new PostgresCluster(place.db).join({ ...HERE, name: 'other' }, LEASE_MS);
  assert.equal((await cluster.workers()).length, 1);
  const view = await cluster.beat(owner, NEWS, [5], LEASE_MS);
  assert.deepEqual([view.life > life, view.lost], [true, [5]]);
  assert.deepEqual(
    view.workers.map(({ name, machine }) => [name, machine]),
    [
      ['here', 'machine'],
      ['other', 'machine'],
    ],
  );
});

test('a worker that leaves releases its hosts, which are ready at once, and their delays count from then', {
  skip: noPostgres,
}, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  const { owner } = await cluster.join(HERE, LEASE_MS);
  const nowMs = await cluster.nowMs();
  await addHost(place, 1, owner, nowMs + LEASE_MS);
  assert.equal(await cluster.isAnyHeld(), true);
  await cluster.leave(owner);
  const leftMs = await cluster.nowMs();
  assert.equal(await cluster.isAnyHeld(), false);
  const [one] = await hosts(place);
  // The server reads its clock once for each of the two times.
  for (const atMs of [one!.ready_at!, one!.asked_at!]) assert.ok(atMs >= nowMs && atMs <= leftMs, `${atMs}`);
});

test('a heartbeat that arrives after its worker has left revives no worker', { skip: noPostgres }, async (t) => {
  const { cluster } = await open(t);
  const { owner } = await cluster.join(HERE, LEASE_MS);
  await cluster.leave(owner);
  await assert.rejects(cluster.beat(owner, NEWS, [], LEASE_MS), { code: 'ERR_STORE', message: /has left/ });
  assert.deepEqual(await cluster.workers(), []);
  const again = await cluster.join(HERE, LEASE_MS);
  assert.equal(again.name, HERE.name);
  assert.equal((await cluster.beat(again.owner, NEWS, [], LEASE_MS)).life, again.life);
});

test('a live worker can be asked by name to drain', { skip: noPostgres }, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  const { owner } = await cluster.join(HERE, LEASE_MS);
  assert.equal((await cluster.beat(owner, NEWS, [], LEASE_MS)).isAskedToDrain, false);
  assert.equal(await cluster.askToDrain('nobody'), false);
  assert.equal(await cluster.askToDrain('here'), true);
  assert.equal((await cluster.beat(owner, NEWS, [], LEASE_MS)).isAskedToDrain, true);
  await silence(place, owner, LEASE_MS + 1);
  assert.equal(await cluster.askToDrain('here'), false);
});

test('the page tickets of all workers together never exceed the limit, however many workers draw at once', {
  skip: noPostgres,
}, async (t) => {
  const place = await open(t);
  const { cluster } = place;
  await holds(place, 10);
  const joined = await Promise.all(['a', 'b', 'c'].map((name) => cluster.join({ ...HERE, name }, LEASE_MS)));
  const given = await Promise.all(
    joined.flatMap(({ owner }) => [1, 2, 3].map(() => cluster.drawPages(owner, 20, 100))),
  );
  assert.equal(
    given.reduce((sum, pages) => sum + pages, 0),
    90,
  );
  const [a, b] = joined;
  assert.equal(await cluster.drawPages(b!.owner, 5, 100), 0);
  // Five of the rights have become pages. The worker gives these rights back only after that.
  await holds(place, 15);
  assert.equal(await cluster.drawPages(a!.owner, -5, 100), -5);
  assert.equal(await cluster.drawPages(b!.owner, 5, 100), 0);
  assert.equal(await cluster.drawPages(a!.owner, -3, 100), -3);
  assert.equal(await cluster.drawPages(b!.owner, 5, 100), 3);
  await silence(place, a!.owner, LEASE_MS + 1);
  assert.ok((await cluster.drawPages(b!.owner, 100, 100)) > 0, 'the tickets of a dead worker are free again');
  assert.equal(await cluster.drawPages(a!.owner, 5, 100), 0, 'a dead worker draws no tickets');
});

test('each moved seed is stored once, however many workers report it at once, and each note raises the version', {
  skip: noPostgres,
}, async (t) => {
  const place = await open(t);
  const { cluster, db } = place;
  const before = await cluster.notesVersion();
  const urls = Array.from({ length: 12 }, (_, i) => `https://moved${i % 6}.example/`);
  await Promise.all(urls.map((url) => cluster.addMovedSeed(url)));
  const [note] = await db.all<{ value: string }>(`SELECT value FROM ${db.schema}.notes WHERE name = 'moved-seeds'`);
  assert.deepEqual((JSON.parse(note!.value) as string[]).sort(), [...new Set(urls)].sort());
  assert.equal(await cluster.notesVersion(), before + 6);
  await cluster.noteChanged();
  const { owner } = await cluster.join(HERE, LEASE_MS);
  assert.equal((await cluster.beat(owner, NEWS, [], LEASE_MS)).notesVersion, before + 7);
});

test('a waiting worker is woken by other workers', { skip: noPostgres }, async (t) => {
  const place = await open(t);
  const woken = Promise.withResolvers<void>();
  await place.cluster.onWake(() => woken.resolve());
  await new PostgresCluster(place.db).wakeOthers('look');
  await woken.promise;
});
