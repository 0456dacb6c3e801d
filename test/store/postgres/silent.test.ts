/**
 * Tests silence without an end of the connection: a silent client in the middle of a transaction, and a silent network.
 */
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database, type Session } from '../../../src/store/postgres/connection/database.ts';
import { endFrozen } from '../../../src/store/postgres/connection/frozen-clients.ts';
import { SILENCE_RULES, type SilenceRules } from '../../../src/store/postgres/connection/silent-connections.ts';
import { PostgresCluster } from '../../../src/store/postgres/leases/worker-registry.ts';
import { NO_NEWS } from '../../../src/store/postgres/leases/worker-rows.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { noPostgres, testDatabase } from '../../setup/postgres.ts';
import { CuttingProxy } from './setup/cutting-proxy.ts';

const SOON: SilenceRules = { quietMs: 100, mostQuietMs: 60_000 };
const LEASE_MS = 12_000;

async function openDatabase(t: TestContext): Promise<Database> {
  const db = new Database(parseAddress(await testDatabase(t)), 'unused');
  t.after(() => db.close());
  return db;
}

async function throughProxy(
  t: TestContext,
  rules: SilenceRules,
): Promise<{ readonly db: Database; readonly proxy: CuttingProxy }> {
  const proxy = await CuttingProxy.before(t, await testDatabase(t));
  const db = new Database(parseAddress(proxy.url), 'orbweaver_t', 60_000, rules);
  t.after(() => db.close());
  return { db, proxy };
}

// These tests wait for silence, so they run side by side. Each has its own database.
suite('silence', { concurrency: 4 }, () => {
  test('W12 the server ends a silent transaction and releases its locks', {
    skip: noPostgres,
  }, async (t) => {
    const db = await openDatabase(t);
    const asked = "SELECT current_setting('idle_in_transaction_session_timeout') AS limit";
    assert.equal(await db.transaction(async (session) => (await session.all(asked))[0]!.limit), '15s');
    const reading = db.transaction(async (session) => (await session.all(asked))[0]!.limit, { isSnapshot: true });
    assert.equal(await reading, '0', 'a reading transaction has no time limit');
    assert.equal((await db.all(asked))[0]!.limit, '0', 'the setting does not stay on the connection');
  });

  test('W13 other workers end the connection of a process that froze inside a statement, and no other connection', {
    skip: noPostgres,
  }, async (t) => {
    const url = await testDatabase(t);
    const proxy = await CuttingProxy.before(t, url);
    // A query also has this time limit, because the server does answer.
    const rules = { quietMs: 1_000, mostQuietMs: 60_000 };
    const [frozen, other] = [proxy.url, url].map((each) => new Database(parseAddress(each), 'unused', 60_000, rules));
    for (const db of [frozen!, other!]) t.after(() => db.close());
    await other!.run('CREATE TABLE hosts AS SELECT id FROM generate_series(1, 3) AS id');
    const hold = async (db: Database, id: number, then: (session: Session) => Promise<unknown>): Promise<number> => {
      let runs = 0;
      await db.transaction(async (session) => {
        runs++;
        await session.all(`SELECT id FROM hosts WHERE id = ${id} FOR UPDATE`);
        await then(session);
      });
      return runs;
    };
    const free = async () => (await other!.all('SELECT id FROM hosts FOR UPDATE SKIP LOCKED')).map(({ id }) => id);
    const until = async (isSo: () => Promise<boolean>): Promise<void> => {
      while (!(await isSo())) await pass(20);
    };
    const [thought, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const thinking = hold(other!, 1, () => thought.promise);
    const working = hold(other!, 2, async (session) => session.all('SELECT pg_sleep($1)', [1]));
    await until(async () => (await free()).join() === '3');
    const freezing = hold(frozen!, 3, async (session) => {
      proxy.hushesDescribed = !proxy.hushesDescribed;
      await session.all('SELECT $1::integer', [1]);
      await ended.promise;
    });
    await until(async () => (await free()).length === 0);
    assert.equal(await endFrozen(other!, 60_000), 0, 'the message may still arrive');
    await until(async () => (await endFrozen(other!, 200)) === 1);
    ended.resolve();
    assert.equal(await freezing, 2, 'the transaction is repeated');
    assert.equal(await working, 1);
    thought.resolve();
    assert.equal(await thinking, 1);
  });

  test('a process that was silent for too long repeats its transaction', { skip: noPostgres }, async (t) => {
    const db = await openDatabase(t);
    let runs = 0;
    const answer = await db.transaction(async (session) => {
      runs++;
      if (runs === 1) {
        await session.run('SET LOCAL idle_in_transaction_session_timeout = 50');
        await pass(400);
      }
      return (await session.all('SELECT 1 AS one'))[0]!.one;
    });
    assert.deepEqual([answer, runs], [1, 2]);
  });

  test('a statement on a silent connection is retried on another connection', { skip: noPostgres }, async (t) => {
    const { db, proxy } = await throughProxy(t, SOON);
    await db.all('SELECT 1');
    proxy.hush();
    assert.deepEqual(await db.all('SELECT 2 AS two'), [{ two: 2 }]);
  });

  test('a transaction on a silent connection is retried, whatever statement it had reached', {
    skip: noPostgres,
  }, async (t) => {
    const { db, proxy } = await throughProxy(t, SOON);
    await db.run('CREATE TABLE done (run integer)');
    proxy.hush();
    assert.equal(await db.transaction(async (session) => (await session.all('SELECT 1 AS one'))[0]!.one), 1, 'begin');
    let runs = 0;
    const hushOnce = (): void => {
      runs++;
      if (runs === 1) proxy.hush();
    };
    await db.transaction(async (session) => {
      await session.run('INSERT INTO done VALUES (1)');
      hushOnce();
      await session.all('SELECT 1');
    });
    assert.equal(runs, 2, 'the connection is silent in the middle');
    runs = 0;
    await db.transaction(async (session) => {
      await session.run('INSERT INTO done VALUES (2)');
      hushOnce();
    });
    assert.equal(runs, 2, 'the connection is silent at the end');
    assert.deepEqual(await db.all('SELECT run FROM done ORDER BY run'), [{ run: 1 }, { run: 2 }]);
  });

  test('a statement that the server is working on is never cancelled, however long it takes', {
    skip: noPostgres,
  }, async (t) => {
    const { db, proxy } = await throughProxy(t, { quietMs: 1_200, mostQuietMs: 1_500 });
    let runs = 0;
    const slept = db.transaction(
      async (session) => {
        runs++;
        await session.run('SELECT pg_sleep(4)');
      },
      { quietMs: 1_000 },
    );
    await Promise.all([slept, db.all('SELECT pg_sleep(4)')]);
    assert.equal(runs, 1);
    assert.ok(proxy.opened > 2 + 2, `${proxy.opened} connections: the server was asked`);
  });

  test('a transaction that pauses between two statements is not cancelled, and neither are callers that wait for its connection', {
    skip: noPostgres,
  }, async (t) => {
    const { db } = await throughProxy(t, { quietMs: 1_000, mostQuietMs: 1_200 });
    let runs = 0;
    const thinking = (): Promise<unknown> =>
      db.transaction(async (session) => {
        runs++;
        await session.run('SELECT 1');
        await pass(2_500);
        await session.run('SELECT 1');
      });
    await Promise.all(Array.from({ length: 8 }, thinking));
    assert.equal(runs, 8);
  });

  test('behind a pooler, which cannot be queried, the time alone decides', { skip: noPostgres }, async (t) => {
    const proxy = await CuttingProxy.before(t, await testDatabase(t));
    const rules = { quietMs: 200, mostQuietMs: 900 };
    proxy.greetsAs = 4_711;
    const db = new Database(parseAddress(`${proxy.url}?prepare=false&sslmode=disable`), 'unused', 60_000, rules);
    t.after(() => db.close());
    assert.equal(await db.isPooled(), true);
    await db.all('SELECT pg_sleep(0.6)');
    const before = proxy.opened;
    proxy.hush();
    const startMs = performance.now();
    await db.all('SELECT 1');
    assert.ok(performance.now() - startMs >= 900, 'the statement got its time');
    assert.ok(proxy.opened > before);
  });

  test('M2 a heartbeat on a silent connection arrives on another connection, well before the lease ends', {
    skip: noPostgres,
  }, async (t) => {
    const { db, proxy } = await throughProxy(t, SILENCE_RULES);
    await (await openPostgresStore({ address: db.address, name: 't', process: 'w' })).close();
    const cluster = new PostgresCluster(db);
    const { owner, life } = await cluster.join({ name: 'w', machine: 'm', pid: 1, archiveDir: '/' }, LEASE_MS);
    await cluster.beat(owner, NO_NEWS, [], LEASE_MS);
    proxy.hush();
    const startMs = performance.now();
    const view = await cluster.beat(owner, NO_NEWS, [], LEASE_MS);
    const tookMs = performance.now() - startMs;
    assert.equal(view.life, life, 'the worker was never dead');
    assert.ok(tookMs < LEASE_MS / 2, `${tookMs} ms`);
  });

  test('if a server becomes silent during the first query, the next server is used after the connect timeout', {
    skip: noPostgres,
  }, async (t) => {
    const url = await testDatabase(t);
    const proxy = await CuttingProxy.before(t, url);
    proxy.hushesGreeted = true;
    const both = url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${new URL(proxy.url).port},$&`);
    const db = new Database(parseAddress(`${both}?target_session_attrs=primary&connect_timeout=3`), 'unused', 0);
    t.after(() => db.close());
    assert.deepEqual(await db.all('SELECT 1 AS one'), [{ one: 1 }]);
    assert.equal(proxy.opened, 1);
  });

  test('a silent connection does not block closing', { skip: noPostgres }, async (t) => {
    const { db, proxy } = await throughProxy(t, SILENCE_RULES);
    await db.all('SELECT 1');
    proxy.hush();
    const asked = assert.rejects(db.all('SELECT 1'), { code: 'ERR_UNREACHABLE' });
    await proxy.swallowed.promise;
    await db.close();
    await asked;
  });

  test('an error that the work of a transaction throws itself is passed on at once, whatever its code is', {
    skip: noPostgres,
  }, async (t) => {
    const db = await openDatabase(t);
    await db.run('CREATE TABLE kept (id integer)');
    for (const code of ['ENOENT', 'ECONNRESET', 'CONNECTION_CLOSED', '40001', '57P01']) {
      const own = Object.assign(new Error('of a file'), { code });
      let runs = 0;
      const failing = db.transaction(async (session) => {
        runs++;
        await session.run('INSERT INTO kept VALUES (1)');
        throw own;
      });
      await assert.rejects(failing, { code: 'ERR_STORE', message: /failed: of a file$/, cause: own }, code);
      assert.equal(runs, 1, code);
    }
    assert.deepEqual(await db.all('SELECT * FROM kept'), [], 'its writes are rolled back');
  });
});
