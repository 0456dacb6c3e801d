import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findPostgres, withoutCluster } from '../../testbed/servers/postgres-program.ts';
import { serverAccount } from '../../testbed/servers/server-account.ts';
import { installPackage } from '../../testbed/servers/system-packages.ts';

const notLinux = process.platform !== 'linux' && 'servers are started on Linux only';
const notRoot = process.getuid?.() !== 0 && 'only root installs';

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-programs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function installed(folder: string, answer: string, names = ['postgres', 'initdb', 'pg_basebackup']): string {
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), `#!/bin/sh\n${answer}\n`, { mode: 0o755 });
  return folder;
}

test('the newest complete PostgreSQL is used if it is new enough', { skip: notLinux }, async (t) => {
  const home = temporaryFolder(t);
  const of = (name: string, version: string, names?: string[]) =>
    installed(join(home, name), `echo 'postgres (PostgreSQL) ${version}'`, names);
  const old = of('old', '14.19');
  const right = of('right', '15.3 (Debian 15.3-0+deb12u1)');
  const newer = of('newer', '17beta2');
  const part = of('part', '18.1', ['postgres', 'initdb']);
  const broken = installed(join(home, 'broken'), 'exit 1');
  const missing = join(home, 'missing');
  assert.deepEqual(await findPostgres([old, right, newer, part, broken, missing]), {
    folder: newer,
    major: 17,
    version: '17beta2',
  });
  assert.deepEqual(await findPostgres([old, right]), { folder: right, major: 15, version: '15.3' });
  assert.equal(await findPostgres([old, part, broken, missing]), undefined);
});

test('the package creates no server during its installation, and no setting is left behind', async (t) => {
  const folder = join(temporaryFolder(t), 'common', 'createcluster.d');
  const seen = await withoutCluster(async () => readFileSync(join(folder, 'orbweaver-tests.conf'), 'utf8'), folder);
  assert.match(seen, /^create_main_cluster = false$/m);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'theirs.conf'), 'ssl = off\n');
  const failing = withoutCluster(() => Promise.reject(new Error('no network')), folder);
  await assert.rejects(failing, /no network/);
  assert.equal(existsSync(join(folder, 'orbweaver-tests.conf')), false);
  assert.equal(readFileSync(join(folder, 'theirs.conf'), 'utf8'), 'ssl = off\n');
});

test('a package is installed without questions; a failure says what apt said last', { skip: notRoot }, async (t) => {
  const folder = temporaryFolder(t);
  const calls = join(folder, 'calls');
  const apt = (ending: string) =>
    writeFileSync(join(folder, 'apt-get'), `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> '${calls}'\n${ending}\n`, {
      mode: 0o755,
    });
  const path = process.env.PATH;
  t.after(() => {
    process.env.PATH = path;
  });
  process.env.PATH = folder;
  const reported: string[] = [];
  apt('exit 0');
  assert.equal(await installPackage('Thing', 'thing', (text) => reported.push(text)), undefined);
  const words = ['update -q', 'install -y -q --no-install-recommends thing'];
  assert.deepEqual(
    readFileSync(calls, 'utf8').trim().split('\n'),
    words.map((each) => `noninteractive ${each}`),
  );
  assert.deepEqual(
    reported,
    words.map((each) => `apt-get ${each}`),
  );
  apt('echo "W: first" >&2; echo "E: nowhere to be found" >&2; exit 100');
  assert.match((await installPackage('Thing', 'thing', () => {}))!, /^Thing could not .*: E: nowhere to be found$/);
  rmSync(join(folder, 'apt-get'));
  assert.match((await installPackage('Thing', 'thing', () => {}))!, /this system has no apt-get$/);
});

test('root uses the account of PostgreSQL or of nobody, never its own', { skip: notRoot }, () => {
  const root = 'root:x:0:0:root:/root:/bin/bash';
  const nobody = 'nobody:x:65534:65534::/:/usr/sbin/nologin';
  const postgres = 'postgres:x:101:104::/var/lib/postgresql:/bin/bash';
  assert.deepEqual(serverAccount([root, nobody, postgres].join('\n')), { uid: 101, gid: 104 });
  assert.deepEqual(serverAccount([root, nobody].join('\n')), { uid: 65534, gid: 65534 });
  assert.throws(() => serverAccount(root), /no account postgres or nobody/);
});
