/**
 * Tests the first connection to a server: every problem gives one line that says what to
 * do, and nothing is changed on the server.
 */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { OrbweaverError } from '../../../src/core/errors.ts';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { checkFacts, checkServer, lookAtServer, type Opening } from '../../../src/store/postgres/connection/open.ts';
import { asStoreError, isCut, isTransient } from '../../../src/store/postgres/connection/store-errors.ts';
import { PostgresServer } from '../../../testbed/servers/postgres-server.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { CuttingProxy } from './setup/cutting-proxy.ts';

const GOOD = {
  isPooled: false,
  version: 150_004,
  isStandby: false,
  isReadOnly: false,
  mayCreate: true,
  crawls: ['crawl', 'news'],
  empty: ['new-schema'],
  foreign: ['theirs'],
  isAnyOfSeveral: false,
};

function verdict(facts: Partial<typeof GOOD>, crawl: string, opening: Opening): string {
  try {
    checkFacts({ ...GOOD, ...facts }, 'postgres://h/d', crawl, opening);
    return 'fine';
  } catch (error) {
    assert.ok(error instanceof OrbweaverError && !error.message.includes('\n'));
    return `${error.code} ${error.message}`;
  }
}

test('a server that is too old is refused, and the oldest supported version is not', () => {
  assert.match(verdict({ version: 140_011 }, 'crawl', 'read'), /^ERR_OLD_SERVER .* is PostgreSQL 14\.11; 15 or newer/);
  assert.equal(verdict({ version: 150_000 }, 'crawl', 'begin'), 'fine');
  assert.equal(verdict({ version: 180_001 }, 'crawl', 'work'), 'fine');
});

test('a pooler that the address does not mention is refused, also for reading', () => {
  assert.match(
    verdict({ isPooled: true }, 'crawl', 'read'),
    /^ERR_BAD_OPTION .*add \?prepare=false, or \?prepare=true/,
  );
});

test('a server that can only be read is accepted for reading', () => {
  for (const facts of [{ isStandby: true, isReadOnly: true }, { isReadOnly: true }]) {
    assert.equal(verdict(facts, 'crawl', 'read'), 'fine');
    assert.match(verdict(facts, 'crawl', 'work'), /^ERR_READ_ONLY /);
    assert.match(verdict(facts, 'new', 'begin'), /^ERR_READ_ONLY /);
  }
});

test('a missing crawl is refused with a list of the existing crawls', () => {
  assert.match(verdict({}, 'newz', 'work'), /^ERR_NO_CRAWL .* named newz; did you mean --name news\?/);
  assert.match(verdict({}, 'something', 'read'), /there are crawl, news \(--name\)/);
  assert.match(verdict({ crawls: ['news'] }, 'something', 'read'), /there is news/);
  assert.match(verdict({ crawls: [] }, 'crawl', 'read'), /has no crawl yet; begin one/);
  const many = Array.from({ length: 30 }, (_, i) => `crawl-number-${i}`);
  assert.match(verdict({ crawls: many }, 'x', 'read'), / and 20 more/);
  assert.equal(verdict({ crawls: [] }, 'crawl', 'begin'), 'fine');
});

test('if the first of several servers is a standby, the message says what to add', () => {
  const facts = { isStandby: true, isReadOnly: true, isAnyOfSeveral: true };
  const line = /^ERR_READ_ONLY .*: the first that answers is a standby, .*; add \?target_session_attrs=read-write$/;
  assert.match(verdict(facts, 'crawl', 'work'), line);
  assert.equal(verdict(facts, 'crawl', 'read'), 'fine');
});

test('a schema without a crawl is recognised, and a crawl can begin there if the schema is empty', () => {
  for (const opening of ['read', 'work'] as const) {
    const line = /^ERR_NO_CRAWL the schema orbweaver_new-schema .* is empty; plan .*--name new-schema$/;
    assert.match(verdict({}, 'new-schema', opening), line);
  }
  assert.equal(verdict({}, 'new-schema', 'begin'), 'fine');
  for (const opening of ['read', 'work', 'begin'] as const) {
    const line = /^ERR_BAD_OPTION the schema orbweaver_theirs .* no crawl of ours; choose another --name$/;
    assert.match(verdict({}, 'theirs', opening), line);
  }
});

test('a role that may not create a schema may work in an existing one', () => {
  assert.match(verdict({ mayCreate: false }, 'new', 'begin'), /^ERR_DENIED .*GRANT CREATE/);
  assert.equal(verdict({ mayCreate: false }, 'crawl', 'begin'), 'fine');
});

test('an error of the server becomes one line with a code', () => {
  const told = (code: string, message = 'as it says\nHINT: more') => {
    const error = asStoreError(Object.assign(new Error(message), { code }), 'postgres://h/d');
    assert.ok(!error.message.includes('\n'));
    return `${error.code} ${error.message}`;
  };
  assert.match(told('53100'), /^ERR_DISK_FULL .*free some space/);
  assert.match(told('42501'), /^ERR_DENIED .*as it says; let the owner/);
  assert.match(told('57P03'), /^ERR_UNREACHABLE .*try again/);
  assert.match(told('XX000'), /^ERR_STORE .*cannot be used: as it says$/);
  assert.match(told('toString'), /^ERR_STORE /);
});

let started: Promise<PostgresServer> | null = null;
const servers: PostgresServer[] = [];
function theServer(): Promise<PostgresServer> {
  started ??= PostgresServer.create({ durable: false }).then((server) => {
    servers.unshift(server);
    return server;
  });
  return started;
}
after(async () => {
  for (const server of servers) await server.close();
});

async function trouble(text: string, opening: Opening = 'begin', crawl = 'crawl'): Promise<string> {
  const secret = /:([^:@/]+)@/.exec(text)?.[1] ?? 'nothing';
  try {
    await checkServer(parseAddress(text, {}), crawl, opening);
    return 'fine';
  } catch (error) {
    assert.ok(error instanceof OrbweaverError, String(error));
    assert.ok(
      !inspect(error, { depth: 9, showHidden: true }).includes(secret),
      'the error does not contain the password',
    );
    return `${error.code} ${error.message}`;
  }
}

test('a real server gives one line for a wrong password, a missing user, a missing database and missing rights', {
  skip: noPostgres,
}, async () => {
  const server = await theServer();
  await server.createDatabase('opening');
  const right = server.url('opening');
  assert.equal(await trouble(right), 'fine');
  assert.match(await trouble(right.replace(/:[^:@/]+@/, ':wrong-secret@')), /^ERR_DENIED .*password.*PGPASSWORD/);
  assert.match(await trouble(right.replace(/:[^:@/]+@/, '@')), /^ERR_DENIED /);
  assert.match(await trouble(right.replace('orbweaver:', 'nobody_here:')), /^ERR_DENIED .*nobody_here/);
  assert.match(await trouble(right.replace('/opening', '/not_there')), /^ERR_DENIED .*not_there.*createdb/);
  // Everybody may use this database, but this role does not own it.
  assert.match(await trouble(server.url('postgres')), /^ERR_DENIED .*GRANT CREATE/);
  assert.match(await trouble(right, 'read'), /^ERR_NO_CRAWL .*has no crawl yet/);
});

test('crawls are found by their schemas, and schemas of other programs are ignored', {
  skip: noPostgres,
}, async (t) => {
  const server = await theServer();
  await server.createDatabase('named');
  const database = new Database(parseAddress(server.url('named'), {}), '', 0);
  t.after(() => database.close());
  for (const schema of ['orbweaver_a-b', 'orbweaver_news', 'orbweaverx', 'public2']) {
    await database.run(`CREATE SCHEMA "${schema}"`);
  }
  await database.run('CREATE TABLE "orbweaver_a-b".layout (version integer, parts integer)');
  await database.run('CREATE TABLE orbweaver_news.layout (version integer, parts integer)');
  await database.run('CREATE SCHEMA orbweaver_theirs');
  await database.run('CREATE TABLE orbweaver_theirs.layout (version integer)');
  await database.run('CREATE SCHEMA orbweaver_void');
  const facts = await lookAtServer(parseAddress(server.url('named'), {}));
  assert.deepEqual([facts.crawls, facts.foreign, facts.empty], [['a-b', 'news'], ['theirs'], ['void']]);
  assert.match(await trouble(server.url('named'), 'begin', 'theirs'), /^ERR_BAD_OPTION /);
  assert.match(await trouble(server.url('named'), 'work', 'newss'), /did you mean --name news\?/);
});

test('with prepare=false no statement is prepared, not even the end of a transaction', {
  skip: noPostgres,
}, async (t) => {
  const server = await theServer();
  const database = new Database(parseAddress(`${server.url('postgres')}?prepare=false`, {}), '', 0);
  t.after(() => database.close());
  const prepared = (): Promise<string[]> =>
    database.transaction(async (session) => {
      await session.run('SELECT $1::int', [1]);
      return (await session.all('SELECT statement FROM pg_prepared_statements')).map(({ statement }) => statement);
    });
  // More transactions than connections, so that one connection has ended a transaction before.
  for (let turn = 0; turn < 10; turn++) assert.deepEqual(await prepared(), []);
});

test('a standby can be read, but not written to', { skip: noPostgres }, async () => {
  const server = await theServer();
  const standby = await server.standby();
  servers.unshift(standby);
  const [text] = [standby.adminUrl('postgres')];
  assert.match(await trouble(text), /^ERR_READ_ONLY .*it is a standby; name the primary/);
  assert.match(await trouble(text, 'read'), /^ERR_NO_CRAWL /);
  const both = text.replace(/@[^/]+/, `$&,127.0.0.1:${server.port}`);
  assert.match(await trouble(both), /^ERR_READ_ONLY .*; add \?target_session_attrs=read-write$/);
  assert.match(await trouble(`${both}?target_session_attrs=read-write`), /^fine$/);
});

test('a server that is down gives an error after a few seconds', { skip: noPostgres }, async () => {
  const server = await PostgresServer.create({ durable: false });
  const text = server.url('postgres');
  await server.stop();
  const startMs = performance.now();
  assert.match(await trouble(text), /^ERR_UNREACHABLE .*ECONNREFUSED.*is PostgreSQL running there\?/);
  assert.ok(performance.now() - startMs < 20_000);
  await server.close();
});

test('a server that closes all connections, as during a restart, is waited for longer than a missing server', {
  skip: noPostgres,
}, async (t) => {
  const server = await theServer();
  await server.createDatabase('restarted');
  const proxy = await CuttingProxy.before(t, server.url('restarted'));
  proxy.rates = { sent: 1_000, ends: 0 };
  const [startMs, downMs] = [performance.now(), 3_500];
  setTimeout(() => {
    proxy.rates = { sent: 0, ends: 0 };
  }, downMs);
  const told: (string | null)[] = [];
  const onTrouble = (error: Error | null) => void told.push(error && (error as Error & { code: string }).code);
  await checkServer(parseAddress(`${proxy.url}?sslmode=disable`, {}), 'crawl', 'begin', onTrouble);
  assert.ok(performance.now() - startMs >= downMs);
  assert.deepEqual(told, ['CONNECTION_CLOSED', null]);
});

test('a process that was frozen during a statement tries once more, however long it was frozen', {
  skip: noPostgres,
}, async (t) => {
  const server = await theServer();
  const patienceMs = 100;
  const database = new Database(parseAddress(server.url('postgres'), {}), '', patienceMs);
  t.after(() => database.close());
  let tries = 0;
  const rows = await database.transaction((session) => {
    if (++tries > 1) return session.all('SELECT 2 AS two');
    // Acts like a frozen process: nothing runs until the patience is over, and then the connection is gone.
    const untilMs = performance.now() + 2 * patienceMs;
    while (performance.now() < untilMs);
    return session.all('SELECT pg_terminate_backend(pg_backend_pid())');
  });
  assert.deepEqual([rows[0]!.two, tries], [2, 2]);
});

test('a write to a closed socket counts as a broken connection, not as an error of the store', async () => {
  const closed = new Socket();
  const destroyed = new Socket();
  destroyed.destroy();
  for (const socket of [closed, destroyed]) {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      socket.on('error', () => {}).write('x', resolve);
    });
    assert.ok(isTransient(error) && isCut(error), String(error));
  }
});
