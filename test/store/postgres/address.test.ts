/**
 * Tests the parsing of connection strings: their meaning, which ones are
 * refused, and that no message repeats a password.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { OrbweaverError } from '../../../src/core/errors.ts';
import { hasPassword, parseAddress } from '../../../src/store/postgres/connection/address.ts';
import { readServers, serverText, socketPath } from '../../../src/store/postgres/connection/servers.ts';

const SECRET = 'hunter2-geheim';
const NO_HOME = { HOME: '/nowhere' };

function optionsOf(text: string, env: NodeJS.ProcessEnv = {}) {
  return parseAddress(text, { ...NO_HOME, ...env }).options as unknown as {
    user: string;
    database: string;
    password?: () => string;
    connect_timeout: number;
    connection: Record<string, string>;
  };
}

function refusalOf(text: string, env: NodeJS.ProcessEnv = {}): string {
  try {
    parseAddress(text, { ...NO_HOME, ...env });
  } catch (error) {
    assert.ok(error instanceof OrbweaverError && error.code === 'ERR_BAD_OPTION', String(error));
    assert.ok(!error.message.includes('\n'), 'one line');
    return error.message;
  }
  return assert.fail(`${text} was taken`);
}

test('the fields of a connection string are read', () => {
  const options = optionsOf(
    'postgresql://jo%20e:p%40ss%3Aw@db.example:6543/my%2Fdata?connect_timeout=7&application_name=me',
  );
  assert.deepEqual([options.user, options.password!(), options.database], ['jo e', 'p@ss:w', 'my/data']);
  assert.deepEqual([options.connect_timeout, options.connection], [7, { application_name: 'me' }]);
  assert.equal(parseAddress('postgres://joe@db.example:6543/d', NO_HOME).name, 'postgres://db.example:6543/d');
  assert.equal(parseAddress('postgres://a@h/d?prepare=false', NO_HOME).isPreparing, false);
  assert.equal(parseAddress('postgres://a@h/d', NO_HOME).isPreparing, true);
});

test('an address may name several servers, IPv6 addresses and Unix sockets', () => {
  assert.deepEqual(readServers('a:1,b,[::1]:2,[fe80::2]', '5432'), [
    { host: 'a', port: 1 },
    { host: 'b', port: 5432 },
    { host: '::1', port: 2 },
    { host: 'fe80::2', port: 5432 },
  ]);
  assert.deepEqual(
    readServers('a,b', '1,2').map(({ port }) => port),
    [1, 2],
  );
  assert.deepEqual(readServers('::1', '7'), [{ host: '::1', port: 7 }]);
  const [socket] = readServers('/run/postgresql', '5433');
  assert.equal(socketPath(socket!), '/run/postgresql/.s.PGSQL.5433');
  assert.equal(serverText({ host: '::1', port: 2 }), '[::1]:2');
  assert.equal(parseAddress('postgres://u@a:1,b:2/d', NO_HOME).name, 'postgres://a:1,b:2/d');
  assert.equal(parseAddress('postgres://u@/d?host=/run/x', NO_HOME).name, 'postgres://%2Frun%2Fx:5432/d');
  assert.equal(parseAddress('postgres://u@%2Frun%2Fx/d', NO_HOME).name, 'postgres://%2Frun%2Fx:5432/d');
});

test('the environment provides the values that the string leaves out', () => {
  const env = { PGHOST: 'h', PGPORT: '99', PGUSER: 'u', PGDATABASE: 'd', PGPASSWORD: SECRET, PGAPPNAME: 'a' };
  const options = optionsOf('postgres://', env);
  assert.deepEqual([options.user, options.database, options.password!()], ['u', 'd', SECRET]);
  assert.equal(parseAddress('postgres://', { ...NO_HOME, ...env }).name, 'postgres://h:99/d');
  assert.equal(optionsOf('postgres://v:own@h/e', env).password!(), 'own');
  assert.deepEqual(optionsOf('postgres://v@h/', env).database, 'd');
  assert.equal(optionsOf('postgres://v@h').database, 'v', 'a database is named like its user');
});

test('a wrong address gives one line that says what is right', () => {
  assert.match(refusalOf('mysql://a/b'), /no postgres:\/\/ URL/);
  assert.match(refusalOf('postgres:/a/b'), /no postgres:\/\/ URL/);
  assert.match(refusalOf('postgres://a@h/d?ssl_mode=require'), /unknown parameter ssl_mode; did you mean sslmode\?/);
  assert.match(refusalOf('postgres://a@h/d?zzz=1'), /unknown parameter zzz; there are host, port/);
  assert.match(refusalOf('postgres://a@h/d?sslmode=requrie'), /did you mean require\?/);
  assert.match(refusalOf('postgres://a@h/d?target_session_attrs=rw'), /one of any, read-write/);
  assert.match(refusalOf('postgres://a@h:x/d'), /a port that is none/);
  assert.match(refusalOf('postgres://a@h:70000/d'), /a port that is none/);
  assert.match(refusalOf('postgres://a@h,,i/d'), /empty host/);
  assert.match(refusalOf('postgres://a@:5432/d'), /empty host/);
  assert.match(refusalOf('postgres://a@[::1/d'), /host that is none/);
  assert.match(refusalOf('postgres://a@h,i,j/d?port=1,2'), /3 hosts and 2 ports/);
  assert.match(refusalOf('postgres://a%zz@h/d'), /user name with bad percent-encoding/);
  assert.match(refusalOf('postgres://a@h/d?connect_timeout=soon'), /connect_timeout in whole seconds/);
  assert.match(refusalOf('postgres://a@h/d?prepare=no'), /prepare "no", but it is one of true, false/);
  assert.match(
    refusalOf('postgres://a@h/d?sslmode=verify-ca&sslrootcert=/not/there.pem'),
    /sslrootcert that cannot be read/,
  );
  assert.match(refusalOf('postgres://a@h/d?sslcert=/x'), /sslcert and sslkey together/);
  assert.match(refusalOf(`postgres://a@${'h,'.repeat(99)}h/d`), /more than 64 hosts/);
  assert.match(refusalOf('postgres://a@h/d', { PGSSLMODE: 'yes' }), /sslmode "yes"/);
});

test('no message repeats a password, even one that is written wrongly', () => {
  const places = ['@h/d', '@h:x/d', '@/d?zzz=1', '@h/d?sslmode=x', '@h/d#x', '@h@i/d', '/d?host=a@b'];
  for (const odd of ['', '%zz', '@', '/', '?', '#', ':', '&', '=', '[', ',', ' ']) {
    for (const place of places) {
      const text = `postgres://u:${odd}${SECRET}${odd}${place}`;
      assert.ok(hasPassword(text), `a password is seen in ${text}`);
      try {
        const address = parseAddress(text, NO_HOME);
        assert.ok(!inspect(address, { depth: 9, showHidden: true }).includes(SECRET), text);
      } catch (error) {
        assert.ok(error instanceof OrbweaverError, `${text}: ${String(error)}`);
        assert.ok(!inspect(error).includes(SECRET), `${text}: ${error.message}`);
      }
    }
  }
  assert.ok(hasPassword(`postgres://u@h/d?password=${SECRET}`));
  assert.ok(!hasPassword('postgres://u@h:5432,i:5433/d?connect_timeout=3&host=/run/x'));
});

test('whatever the text is, only our own errors are thrown', () => {
  let seed = 7;
  const alphabet = 'postgres://@:/?&=%[],#h1 a\u0000é';
  for (let round = 0; round < 5_000; round++) {
    let text = round % 2 ? 'postgres://' : '';
    for (let at = 0; at < round % 40; at++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      text += alphabet[Math.floor((seed / 2_147_483_648) * alphabet.length)];
    }
    hasPassword(text);
    try {
      parseAddress(text, NO_HOME);
    } catch (error) {
      assert.ok(error instanceof OrbweaverError, `${JSON.stringify(text)}: ${String(error)}`);
    }
  }
});

test('a password file is read as PostgreSQL reads it', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-pgpass-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, '.pgpass');
  const lines = [
    '# mine',
    `h:5432:d:u:se\\:cr\\\\et`,
    'h:*:*:u:other',
    'localhost:*:*:*:of-socket',
    '*:*:*:v:last:with:colons',
  ];
  writeFileSync(path, lines.join('\n'), { mode: 0o600 });
  const env = { HOME: dir };
  assert.equal(optionsOf('postgres://u@h/d', env).password!(), 'se:cr\\et');
  assert.equal(optionsOf('postgres://u@h:1/d', env).password!(), 'other');
  assert.equal(optionsOf('postgres://v@x/d', env).password!(), 'last:with:colons');
  assert.equal(optionsOf('postgres://w@/d?host=/run/x', env).password!(), 'of-socket');
  assert.equal(optionsOf('postgres://w@x/d', env).password, undefined);
  assert.equal(optionsOf('postgres://u@h/d', { PGPASSFILE: path }).password!(), 'se:cr\\et');
  chmodSync(path, 0o644);
  assert.equal(optionsOf('postgres://u@h/d', env).password, undefined, 'others may read it');
  assert.match(refusalOf('postgres://u@h/d', { PGPASSFILE: path }), /chmod 0600/);
  assert.match(refusalOf('postgres://u@h/d', { PGPASSFILE: join(dir, 'none') }), /cannot read the password file/);
});
