import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import { isAnyoneIn } from './left-behind.ts';
import { noPostgres } from './postgres.ts';

function connect(t: TestContext, url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  t.after(() => sql.end({ timeout: 1 }));
  return sql;
}

describe('a PostgreSQL server of our own', { skip: noPostgres }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.create();
  });
  after(() => server.close());

  test('the server is durable, listens on loopback only, has many connections and does not run as root', async (t) => {
    const sql = connect(t, server.url());
    const [row] = await sql`select current_setting('fsync') as fsync, current_setting('listen_addresses') as listens,
      current_setting('max_connections')::int as connections, current_setting('server_version_num')::int as version`;
    assert.equal(row!.fsync, 'on');
    assert.equal(row!.listens, '127.0.0.1');
    assert.equal(row!.connections, 200);
    assert.ok(row!.version >= 150_000);
    assert.notEqual(statSync(`/proc/${server.serverPid}`).uid, 0);
  });

  test('a connection without the correct password is refused', async (t) => {
    const bare = server.url('postgres', { withPassword: false });
    assert.equal(new URL(bare).password, '');
    await assert.rejects(connect(t, bare)`select 1`, { code: '28P01' });
    const wrong = new URL(server.url());
    wrong.password = 'wrong';
    await assert.rejects(connect(t, wrong.href)`select 1`, { code: '28P01' });
  });

  test('its socket is in its folder', async (t) => {
    const { username, password, port } = new URL(server.url());
    const sql = postgres({
      path: `${server.folder}/.s.PGSQL.${port}`,
      username,
      password,
      database: 'postgres',
      max: 1,
    });
    t.after(() => sql.end());
    assert.equal((await sql`select inet_client_addr() as address`)[0]!.address, null);
  });

  test('a database from a template has what the template has', async (t) => {
    await server.createDatabase('pattern');
    const sql = connect(t, server.url('pattern'));
    await sql`create table page as select 7 as id`;
    await sql.end();
    await server.createDatabase('copied', 'pattern');
    assert.equal((await connect(t, server.url('copied'))`select id from page`)[0]!.id, 7);
    await server.dropDatabase('copied');
    await assert.rejects(connect(t, server.url('copied'))`select 1`, { code: '3D000' });
    await assert.rejects(server.createDatabase('x; drop database pattern'), /not a name/);
  });

  test('a restart keeps what is committed, and the port', async (t) => {
    await server.createDatabase('restarted');
    const sql = connect(t, server.url('restarted'));
    await sql`create table page as select 1 as id`;
    const pid = server.serverPid;
    await server.restart();
    assert.notEqual(server.serverPid, pid);
    assert.equal((await sql`select id from page`)[0]!.id, 1);
  });

  test('a stopped server refuses connections, and a restarted server accepts them', async (t) => {
    await server.stop();
    assert.equal(server.serverPid, 0);
    assert.equal(server.cpuMs(), 0);
    await assert.rejects(connect(t, server.url())`select 1`, { code: 'ECONNREFUSED' });
    await server.start();
    await connect(t, server.url())`select 1`;
  });

  test('after repeated kill -9 in transactions, committed data is there and uncommitted data is not', async (t) => {
    await server.createDatabase('killed');
    await connect(t, server.url('killed'))`create table page (id int)`;
    for (const round of [1, 2, 3]) {
      const [committed, open] = [connect(t, server.url('killed')), connect(t, server.url('killed'))];
      await committed`insert into page values (${round})`;
      await open.unsafe(`begin; insert into page values (-${round})`);
      const waiting = committed`select pg_sleep(600)`;
      const lost = assert.rejects(waiting);
      // The statement must be running when the server is killed. Another connection checks this, because a transaction
      // always sees the same state of the activity table.
      const outside = connect(t, server.url());
      while ((await outside`select 1 from pg_stat_activity where wait_event = 'PgSleep'`).length === 0) await sleep(5);
      await server.kill();
      await lost;
      assert.equal(isAnyoneIn(server.dataFolder), false);
      await server.start();
      const rows = await connect(t, server.url('killed'))`select id from page order by id`;
      assert.deepEqual(
        rows.map(({ id }) => id),
        Array.from({ length: round }, (_, index) => index + 1),
      );
    }
  });

  test('the CPU time of the server includes ended sessions', async (t) => {
    const sql = connect(t, server.url());
    const pid = (await sql`select pg_backend_pid() as pid`)[0]!.pid as number;
    const beforeMs = server.cpuMs();
    await sql`select count(*) from generate_series(1, 3000000)`;
    const whileMs = server.cpuMs();
    assert.ok(whileMs >= beforeMs + 50, `${whileMs - beforeMs} ms for three million rows`);
    await sql.end();
    while (existsSync(`/proc/${pid}`)) await sleep(5);
    const afterMs = server.cpuMs();
    assert.ok(afterMs >= whileMs, `${afterMs} ms after ${whileMs} ms`);
  });

  test('the log grows by what is written', async (t) => {
    await server.createDatabase('written');
    const sql = connect(t, server.url('written'));
    await sql`create table page (body text)`;
    const beforeBytes = await server.walBytes();
    assert.ok((await server.walBytes()) - beforeBytes < 100_000);
    await sql`insert into page select repeat(md5(n::text), 30) from generate_series(1, 1000) n`;
    const grownBytes = (await server.walBytes()) - beforeBytes;
    assert.ok(grownBytes > 900_000 && grownBytes < 9_000_000, `${grownBytes} bytes`);
  });

  test('a standby has the same data and refuses writes', async (t) => {
    await server.createDatabase('followed');
    const sql = connect(t, server.url('followed'));
    await sql`create table page as select 1 as id`;
    const standby = await server.standby();
    t.after(() => standby.close());
    const follower = connect(t, standby.url('followed'));
    assert.equal((await follower`select pg_is_in_recovery() as it`)[0]!.it, true);
    await sql`insert into page values (2)`;
    const [row] = await sql`select pg_current_wal_lsn()::text as lsn`;
    while (!(await follower`select pg_last_wal_replay_lsn() >= ${row!.lsn}::pg_lsn as it`)[0]!.it) await sleep(5);
    assert.equal((await follower`select count(*)::int as n from page`)[0]!.n, 2);
    await assert.rejects(follower`insert into page values (3)`, { code: '25006' });
  });
});

test('after close, even of a killed server, there is no process, no file and no shared memory', {
  skip: noPostgres,
}, async () => {
  for (const end of ['close', 'kill'] as const) {
    const server = await PostgresServer.create({ durable: false });
    const { folder, guardPid, serverPid } = server;
    const maps = readFileSync(`/proc/${serverPid}/maps`, 'latin1');
    const memory = [...maps.matchAll(/\/dev\/shm\/PostgreSQL\.\d+/g)].map(([path]) => path);
    assert.ok(memory.length > 0 && memory.every((path) => existsSync(path)));
    assert.equal(isAnyoneIn(folder), true);
    if (end === 'kill') await server.kill();
    await server.close();
    assert.equal(isAnyoneIn(folder), false);
    assert.deepEqual([folder, `/proc/${guardPid}`, `/proc/${serverPid}`, ...memory].filter(existsSync), []);
  }
});
