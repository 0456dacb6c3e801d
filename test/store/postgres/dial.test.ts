/** Tests connections to real servers: dead ones beside live ones, standbys, Unix sockets, TLS with every mode. */
import assert from 'node:assert/strict';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { OrbweaverError } from '../../../src/core/errors.ts';
import { parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { lookAtServer } from '../../../src/store/postgres/connection/open.ts';
import { PostgresServer } from '../../../testbed/servers/postgres-server.ts';
import { serverAccount } from '../../../testbed/servers/server-account.ts';
import { TEST_CERTIFICATE } from '../../../testbed/web/test-certificate.ts';
import { noPostgres } from '../../setup/postgres.ts';

const files = mkdtempSync(join(tmpdir(), 'orbweaver-tls-'));
const [certPath, keyPath] = [join(files, 'server.crt'), join(files, 'server.key')];
let started: Promise<PostgresServer> | null = null;
const servers: PostgresServer[] = [];

after(async () => {
  for (const server of servers) await server.close();
  rmSync(files, { recursive: true });
});

/** A server with TLS, for all tests of this file. */
function tlsServer(): Promise<PostgresServer> {
  started ??= (async () => {
    const account = serverAccount();
    writeFileSync(certPath, TEST_CERTIFICATE.cert);
    writeFileSync(keyPath, TEST_CERTIFICATE.key, { mode: 0o600 });
    if (account) for (const path of [files, keyPath, certPath]) chownSync(path, account.uid, account.gid);
    const settings = { ssl: 'on', ssl_cert_file: certPath, ssl_key_file: keyPath };
    const server = await PostgresServer.create({ durable: false, settings });
    servers.push(server);
    return server;
  })();
  return started;
}

async function addressOf(server: PostgresServer, query = '', host = `127.0.0.1:${server.port}`): Promise<string> {
  const { username, password } = new URL(server.adminUrl('postgres'));
  return `postgres://${username}:${password}@${host}/postgres${query}`;
}

async function ask(text: string, statement: string): Promise<unknown> {
  const database = new Database(parseAddress(text, {}), '', 0);
  try {
    const [row] = await database.all(statement);
    return Object.values(row!)[0];
  } finally {
    await database.close();
  }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof OrbweaverError, String(error));
    assert.ok(!error.message.includes('\n'));
    return `${error.code} ${error.message}`;
  }
  return 'fine';
}

const IS_ENCRYPTED = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

test('a connection is encrypted if the server supports it, and never if the address forbids it', {
  skip: noPostgres,
}, async () => {
  const server = await tlsServer();
  for (const [mode, expected] of [
    ['disable', false],
    ['allow', true],
    ['prefer', true],
    ['require', true],
  ] as const) {
    assert.equal(await ask(await addressOf(server, `?sslmode=${mode}`), IS_ENCRYPTED), expected, mode);
  }
  assert.equal(await ask(await addressOf(server), IS_ENCRYPTED), true, 'prefer is the default');
});

test('certificates are checked according to the mode, by name and by address', { skip: noPostgres }, async () => {
  const server = await tlsServer();
  const trusting = `sslrootcert=${encodeURIComponent(certPath)}`;
  const named = `localhost:${server.port}`;
  // The certificate is for localhost and 127.0.0.1.
  for (const host of [undefined, named]) {
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      assert.equal(await ask(await addressOf(server, `?sslmode=${mode}&${trusting}`, host), IS_ENCRYPTED), true, mode);
    }
  }
  for (const mode of ['verify-ca', 'verify-full']) {
    const text = await addressOf(server, `?sslmode=${mode}`);
    assert.match(await codeOf(ask(text, 'SELECT 1')), /^ERR_DENIED .*sslrootcert/, `${mode} without an authority`);
  }
  assert.match(
    await codeOf(ask(await addressOf(server, '?sslmode=require&sslrootcert=system'), 'SELECT 1')),
    /^ERR_DENIED /,
  );
});

test('a name that is not in the certificate is refused by verify-full and accepted by verify-ca', {
  skip: noPostgres,
}, async (t) => {
  const server = await tlsServer();
  const way = await forwardTo(t, server.port, '127.0.0.2');
  const trusting = `sslrootcert=${encodeURIComponent(certPath)}`;
  const host = `127.0.0.2:${way}`;
  assert.equal(await ask(await addressOf(server, `?sslmode=verify-ca&${trusting}`, host), IS_ENCRYPTED), true);
  const refused = await codeOf(ask(await addressOf(server, `?sslmode=verify-full&${trusting}`, host), 'SELECT 1'));
  assert.match(refused, /^ERR_DENIED .*127\.0\.0\.2/);
});

test('a server without TLS is refused if the address requires TLS', { skip: noPostgres }, async () => {
  const server = await plainServer();
  assert.equal(await ask(await addressOf(server), 'SELECT 1'), 1);
  assert.match(
    await codeOf(ask(await addressOf(server, '?sslmode=require'), 'SELECT 1')),
    /^ERR_DENIED .*does not speak TLS/,
  );
});

test('unencrypted bytes that arrive together with the consent to TLS are refused', async (t) => {
  const liar = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write('SR\0\0\0\x08\0\0\0\0'));
  });
  const port = await listening(t, liar);
  const found = await codeOf(ask(`postgres://u@127.0.0.1:${port}/d?sslmode=require`, 'SELECT 1'));
  assert.match(found, /^ERR_DENIED .*before TLS began/);
});

test('a dead server next to a live one costs only the time to connect to it', { skip: noPostgres }, async (t) => {
  const server = await tlsServer();
  const dead = await deadPort(t);
  const text = await addressOf(server, '', `127.0.0.1:${dead},127.0.0.1:${server.port}`);
  assert.equal(await ask(text, 'SELECT 1'), 1);
  const silent = createServer(() => {});
  const port = await listening(t, silent);
  const besideSilent = await addressOf(server, '?connect_timeout=3', `127.0.0.1:${port},127.0.0.1:${server.port}`);
  assert.equal(await ask(besideSilent, 'SELECT 1'), 1, 'also a server that accepts connections and sends nothing');
});

test('a server that does not exist or does not answer gives one line', { skip: noPostgres }, async (t) => {
  const dead = await deadPort(t);
  const text = `postgres://u:hunter2@127.0.0.1:${dead}/d`;
  assert.match(
    await codeOf(lookAtServer(parseAddress(text, {}), 0)),
    /^ERR_UNREACHABLE postgres:\/\/127.*ECONNREFUSED/,
  );
  const silent = createServer(() => {});
  const port = await listening(t, silent);
  const quiet = `postgres://u:hunter2@127.0.0.1:${port}/d?connect_timeout=1&sslmode=disable`;
  assert.match(await codeOf(lookAtServer(parseAddress(quiet, {}), 0)), /^ERR_UNREACHABLE .*CONNECT_TIMEOUT/);
  assert.match(await codeOf(ask('postgres://u@no-such-host.invalid/d', 'SELECT 1')), /^ERR_UNREACHABLE/);
  assert.match(await codeOf(ask('postgres://u@/d?host=/nowhere', 'SELECT 1')), /^ERR_UNREACHABLE .*ENOENT/);
});

test('a client connects again to a server that was down', { skip: noPostgres }, async (t) => {
  const server = await plainServer();
  const database = new Database(parseAddress(await addressOf(server), {}), '', 120_000);
  t.after(() => database.close());
  const troubles: boolean[] = [];
  database.onTrouble = (error) => troubles.push(error !== null);
  await database.all('SELECT 1');
  await server.stop();
  const asked = Promise.all(Array.from({ length: 9 }, () => database.all('SELECT 1 AS one')));
  await server.start();
  assert.equal((await asked).length, 9);
  await server.kill();
  const again = database.all('SELECT 2 AS two');
  await server.start();
  assert.deepEqual(await again.then(([row]) => row!.two), 2);
  assert.equal(troubles.filter((isTrouble) => isTrouble).length, troubles.filter((isTrouble) => !isTrouble).length);
});

test('a server that closes every connection is retried with pauses', async (t) => {
  let connections = 0;
  const rude = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.once('data', () => socket.destroy());
  });
  const port = await listening(t, rude);
  const database = new Database(parseAddress(`postgres://u@127.0.0.1:${port}/d?sslmode=disable`, {}), '', 400);
  t.after(() => database.close());
  assert.match(await codeOf(database.all('SELECT 1')), /^ERR_UNREACHABLE .*CONNECTION_CLOSED/);
  assert.ok(connections < 30, `${connections} connections`);
});

test('a connection can use a Unix socket', { skip: noPostgres }, async () => {
  const server = await plainServer();
  const { username, password } = new URL(server.adminUrl('postgres'));
  const text = `postgres://${username}:${password}@/postgres?host=${encodeURIComponent(server.folder)}&port=${server.port}&sslmode=verify-full`;
  assert.equal(await ask(text, 'SELECT inet_client_addr() IS NULL'), true);
});

test('the client chooses the primary or the standby, as the address says', { skip: noPostgres }, async () => {
  const primary = await plainServer();
  const standby = await primary.standby();
  servers.unshift(standby);
  const both = [standby, primary].map(({ port }) => `127.0.0.1:${port}`);
  const text = (hosts: readonly string[], kind: string) =>
    addressOf(primary, `?target_session_attrs=${kind}`, hosts.join());
  const IS_STANDBY = 'SELECT pg_is_in_recovery()';
  for (const hosts of [both, both.toReversed()]) {
    for (const [kind, expected] of [
      ['read-write', false],
      ['primary', false],
      ['standby', true],
      ['read-only', true],
      ['prefer-standby', true],
    ] as const) {
      assert.equal(await ask(await text(hosts, kind), IS_STANDBY), expected, `${kind} of ${hosts.join()}`);
    }
  }
  assert.equal(
    await ask(await text([both[1]!], 'prefer-standby'), IS_STANDBY),
    false,
    'a primary where there is no standby',
  );
  assert.match(await codeOf(ask(await text([both[0]!], 'read-write'), IS_STANDBY)), /^ERR_READ_ONLY .*read-write/);
  // Several connections at once, and none of them to the wrong server.
  const database = new Database(parseAddress(await text(both, 'primary'), {}), '', 0);
  const rows = await Promise.all(Array.from({ length: 20 }, () => database.all(`${IS_STANDBY} AS it`)));
  await database.close();
  assert.ok(rows.every(([row]) => row!.it === false));
});

let plain: Promise<PostgresServer> | null = null;
function plainServer(): Promise<PostgresServer> {
  plain ??= PostgresServer.create({ durable: false }).then((server) => {
    servers.push(server);
    return server;
  });
  return plain;
}

type AfterTest = { after(work: () => unknown): void };

async function listening(t: AfterTest, server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<import('node:net').Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

async function deadPort(t: AfterTest): Promise<number> {
  const server = createServer();
  const port = await listening(t, server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The same server under another address. */
async function forwardTo(t: AfterTest, port: number, host: string): Promise<number> {
  const { connect } = await import('node:net');
  const way = createServer((socket) => {
    const there = connect(port, '127.0.0.1');
    socket.pipe(there).pipe(socket);
    for (const end of [socket, there]) end.on('error', () => end.destroy());
  });
  return listening(t, way, host);
}
