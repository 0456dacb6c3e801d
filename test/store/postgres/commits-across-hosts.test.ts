/** Tests two workers whose pages are copies of each other's and change at the same time: they do not deadlock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '../../../src/store/contract.ts';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';
import { claimOne, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const SCHEMA = 'orbweaver_ring';
const WAITING = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const CONNECTED = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()`;

/** Fetches one page for each body, on the owner's host. */
async function crawled(store: Store, owner: string, bodies: readonly string[]): Promise<number> {
  const urls = bodies.map((_, i) => found(`http://${owner}.test/${i}`));
  const ids = await store.seed(urls, NOW_MS);
  const lease = await claimOne(store, { owner });
  const results = urls.map(({ url }, i) => resultOf(lease, { id: ids[i]!, url }, { page: page(bodies[i]!) }));
  await commit(store, results, { owner });
  return lease.hostId;
}

/** Changes the content of the first page of a host. */
async function change(store: Store, owner: string, hostId: number, body: string): Promise<unknown> {
  const url = `http://${owner}.test/0`;
  const [task] = await store.revisits([(await recordOf(store, url)).id]);
  const revisit = {
    sinceMs: task!.earlier!.checkedAtMs,
    checkedAtMs: NOW_MS + 1_000,
    finding: 'changed',
    change: null,
  } as const;
  const result = resultOf({ hostId }, task!, { page: page(body), revisit });
  const { states } = await commit(store, [result], { owner, nowMs: NOW_MS + 1_000 });
  return states[0];
}

test('C7 two commits that hand on contents to the hosts of each other do not end in a deadlock', {
  skip: noPostgres,
}, async (t) => {
  const address = parseAddress(await testDatabase(t));
  const db = new Database(address, SCHEMA);
  t.after(() => db.close());
  const stores: PostgresStore[] = [];
  for (const process of ['a', 'b']) {
    stores.push(await openPostgresStore({ address, name: 'ring', process }));
  }
  const [a, b] = stores as [PostgresStore, PostgresStore];
  const hostA = await crawled(a, 'a', ['one']);
  const hostB = await crawled(b, 'b', ['two', 'one']);
  const [copy] = await a.seed([found('http://a.test/1')], NOW_MS);
  await commit(a, [resultOf({ hostId: hostA }, { id: copy!, url: 'http://a.test/1' }, { page: page('two') })], {
    owner: 'a',
  });
  // Both workers have locked their own host and wait for the content before either continues.
  const isHeld = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const holding = db.transaction(async (session) => {
    await session.run(`SELECT 1 FROM ${SCHEMA}.contents FOR UPDATE`);
    isHeld.resolve();
    await end.promise;
  });
  await isHeld.promise;
  const both = Promise.all([change(a, 'a', hostA, 'new a'), change(b, 'b', hostB, 'new b')]);
  while ((await db.all(WAITING))[0]!.n < 2);
  end.resolve();
  await holding;
  assert.deepEqual(await both, ['fetched', 'fetched']);
  const after = ['http://a.test/1', 'http://b.test/1'].map((url) => recordOf(a, url));
  assert.deepEqual(
    (await Promise.all(after)).map(({ state, duplicateOf }) => [state, duplicateOf]),
    [
      ['fetched', null],
      ['fetched', null],
    ],
  );
  const { states } = await a.counts();
  assert.deepEqual([states.fetched, states.duplicate], [4, 0]);
  await Promise.all(stores.map((store) => store.close()));
  await db.close();
  // A server process reports its statistics at its end at the latest.
  const last = new Database(address, SCHEMA);
  t.after(() => last.close());
  while ((await last.all(CONNECTED))[0]!.n > 1);
  const [row] = await last.all('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
  assert.equal(row!.deadlocks, 0);
});
