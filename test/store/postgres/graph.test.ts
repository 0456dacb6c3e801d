/**
 * Tests the link graph while several processes write and count at once: every list can
 * be found, and every link is counted once.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SegmentReader } from '../../../src/graph/segment-reader.ts';
import type { GraphSegment } from '../../../src/store/contract.ts';
import type { StoreAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { Engine } from '../../../src/store/postgres/engine.ts';
import { joinNowAndThen } from '../../../src/store/postgres/graph/count-links.ts';
import { openPostgresStore, schemaOf } from '../../../src/store/postgres/postgres-store.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { claim, commit, found, linksTo, NOW_MS, page, resultOf } from '../rows.ts';
import { postgresIn } from './setup/postgres-in.ts';

const WRITERS = 4;
const HOSTS = 8;
const PAGES_A_HOST = 12;
/** Longer than the test may take. */
const LEASE_MS = 1e9;

test('when four processes commit and count links at once, lists and counts are exact and no segment is missed', {
  skip: noPostgres,
}, async (t) => {
  const request = await postgresIn(t.name);
  const stores = await Promise.all(
    Array.from({ length: WRITERS }, async (_, i) => {
      const store = await openPostgresStore({ ...request, process: `writer ${i}` });
      t.after(() => store.close());
      return store;
    }),
  );
  const seeds = Array.from({ length: HOSTS * PAGES_A_HOST }, (_, i) =>
    found(`http://host-${i % HOSTS}.test/${Math.floor(i / HOSTS)}`),
  );
  const ids = await stores[0]!.seed(seeds, NOW_MS);
  const links = new Map<number, readonly number[]>();
  const read: GraphSegment[] = [];
  const readMore = async (): Promise<void> => {
    read.push(...(await stores[0]!.segments(read.at(-1)?.seq ?? 0, 100)));
  };
  await Promise.all(
    stores.map(async (store, i) => {
      const random = new SeededRandom(i + 1);
      const owner = `writer ${i}`;
      for (const lease of await claim(store, { owner, hosts: HOSTS / WRITERS, leaseMs: LEASE_MS })) {
        for (const task of lease.urls) {
          const targets = ids.filter((id) => random.below(8) === 0 && id !== task.id);
          links.set(task.id, targets);
          await commit(store, [resultOf(lease, task, { page: page(task.url), knownLinks: linksTo(targets) })], {
            owner,
          });
          if (random.below(4) === 0) await store.countLinks();
          if (i === 0) await readMore();
        }
      }
    }),
  );
  assert.equal(links.size, ids.length, 'every page was committed');
  const expected = ids.map((id) => links.values().reduce((sum, targets) => sum + (targets.includes(id) ? 1 : 0), 0));
  assert.deepEqual(await stores[1]!.backlinks(ids), expected, 'counted or not');
  for (const id of ids) {
    assert.deepEqual(
      (await stores[2]!.linksFrom(id)).map((link) => link.id),
      links.get(id),
    );
  }
  await stores[3]!.countLinks();
  assert.deepEqual(await stores[1]!.backlinks(ids), expected, 'all counted');
  await readMore();
  const pages: number[] = [];
  for (const { lists } of read) {
    const reader = new SegmentReader();
    reader.open(lists);
    while (reader.next()) pages.push(reader.page);
  }
  assert.deepEqual(
    pages.sort((a, b) => a - b),
    ids,
    'each list is in one of the segments that were read in order',
  );
});

test('counting links and removing counted links at the same time does not end in a deadlock', {
  skip: noPostgres,
}, async (t) => {
  const request = await postgresIn(t.name);
  const [counter, taker] = [
    await openPostgresStore({ ...request, process: 'counter' }),
    await openPostgresStore({ ...request, process: 'taker' }),
  ];
  const hosts = [0, 1, 2].map((number) => `http://h${number}.test`);
  // So many that the last one is in another block of counts than the first.
  const ids = await counter.seed(
    Array.from({ length: 1_200 }, (_, i) => found(`${hosts[i % 3]}/${i}`)),
    NOW_MS,
  );
  const [low, high] = [ids[0]!, ids.at(-1)!];
  const leases = await claim(counter, { hosts: 3, leaseMs: LEASE_MS });
  const write = (i: number, links: readonly number[]) => {
    const lease = leases.find(({ host }) => host === hosts[i])!;
    const task = lease.urls[0]!;
    return commit(counter, [resultOf(lease, task, { page: page(task.url), knownLinks: linksTo(links) })]);
  };
  await write(2, [low, high]);
  await counter.countLinks();
  await write(0, [high]);
  await write(1, [low]);
  const db = new Database(request.address as StoreAddress, schemaOf(request.name));
  t.after(() => db.close());
  const waiting = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const [task] = await taker.revisits([leases.find(({ host }) => host === hosts[2])!.urls[0]!.id]);
  const revisit = {
    sinceMs: task!.earlier!.checkedAtMs,
    checkedAtMs: NOW_MS + 1,
    finding: 'changed',
    change: null,
  } as const;
  const lease = leases.find(({ host }) => host === hosts[2])!;
  const { counting, taking } = await db.transaction(async (session) => {
    await session.run(`SELECT 1 FROM ${db.schema}.backlinks WHERE block > 0 FOR UPDATE`);
    const counting = counter.countLinks();
    while ((await db.all(waiting))[0]!.n < 1);
    const taking = commit(taker, [resultOf(lease, task!, { page: page('other'), revisit })]);
    while ((await db.all(waiting))[0]!.n < 2);
    return { counting: { end: counting }, taking: { end: taking } };
  });
  await Promise.all([counting.end, taking.end]);
  assert.deepEqual(await counter.backlinks([low, high]), [1, 1]);
  // A session reports its statistics when it ends.
  await Promise.all([counter.close(), taker.close()]);
  const [met] = await db.all(`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`);
  assert.equal(met!.deadlocks, 0);
});

test('joined rows are written again only when they are counted, and every list is found in them', {
  skip: noPostgres,
}, async (t) => {
  const request = await postgresIn(t.name);
  const store = await openPostgresStore({ ...request, process: 'writer' });
  t.after(() => store.close());
  const urls = Array.from({ length: 7 }, (_, i) => found(`http://a.test/${i}`));
  const ids = await store.seed(urls, NOW_MS);
  const [lease] = await claim(store, { leaseMs: LEASE_MS });
  const db = new Database(request.address as StoreAddress, schemaOf(request.name));
  t.after(() => db.close());
  const engine = new Engine(db, 'joiner');
  const open = async () =>
    (await db.all(`SELECT seq, xmin::text AS writer FROM ${db.schema}.graph WHERE closed IS NULL ORDER BY seq`)).map(
      ({ seq, writer }) => `${seq} ${writer}`,
    );
  const commitAndJoin = async (from: number, to: number): Promise<string[]> => {
    for (const task of lease!.urls.slice(from, to)) {
      await commit(store, [resultOf(lease!, task, { page: page(task.url), knownLinks: linksTo(ids) })]);
    }
    engine.memory.unjoinedRows = Number.POSITIVE_INFINITY;
    await joinNowAndThen(engine);
    return open();
  };
  const first = await commitAndJoin(0, 3);
  assert.equal(first.length, 1);
  const second = await commitAndJoin(3, 6);
  assert.deepEqual([second.length, second[0]], [2, first[0]], 'the earlier row is unchanged');
  assert.deepEqual(
    (await commitAndJoin(6, 7)).slice(0, 2),
    second,
    'a single new row is not joined with the earlier rows',
  );
  for (const { id } of lease!.urls) {
    assert.deepEqual(
      (await store.linksFrom(id)).map((link) => link.id),
      ids.filter((other) => other !== id),
    );
  }
  assert.deepEqual(await store.backlinks(ids), Array(7).fill(6));
  await store.countLinks();
  assert.deepEqual(await open(), []);
  assert.deepEqual(await store.backlinks(ids), Array(7).fill(6));
});
