/**
 * A real pooler. In: a database. Out: the URL of the database through PgBouncer, which may run each transaction of a
 * client on another server connection. The pooler ends with the test, or with this process, however the process ends.
 */
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FolderGuard } from '../../testbed/servers/folder-guard.ts';
import { serverAccount } from '../../testbed/servers/server-account.ts';
import { unusedPort } from '../../testbed/servers/server-place.ts';
import { findPooler } from './pooler-program.ts';
import { noPostgres } from './postgres.ts';

const command = await findPooler();

/** The reason why tests behind a pooler are skipped, or false. */
export const noPooler: string | false =
  noPostgres || (command === undefined && 'PgBouncer is not installed: npm test installs it');

const START_TIMEOUT_MS = 20_000;

/** Returns the URL of the same database through the pooler. */
export async function throughPooler(t: TestContext, url: string): Promise<string> {
  const { hostname, port: serverPort, pathname, username, password } = new URL(url);
  const database = pathname.slice(1);
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-pooler-'));
  const guard = new FolderGuard(folder);
  t.after(() => guard.end());
  const [settings, log] = [join(folder, 'pooler.ini'), join(folder, 'pooler.log')];
  const port = await unusedPort();
  const server = `host=${hostname} port=${serverPort} dbname=${database} user=${username} password=${decodeURIComponent(password)}`;
  const rules = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
  };
  const lines = Object.entries({ ...rules, logfile: log, max_client_conn: 200 }).map(
    ([name, value]) => `${name} = ${value}`,
  );
  writeFileSync(settings, `[databases]\n${database} = ${server}\n[pgbouncer]\n${lines.join('\n')}\n`, { mode: 0o600 });
  const account = serverAccount();
  if (account) for (const path of [folder, settings]) chownSync(path, account.uid, account.gid);
  chmodSync(folder, 0o700);
  const child = spawn(command!, ['-q', settings], { ...account, cwd: folder, stdio: 'ignore' });
  const untilMs = performance.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > untilMs)
      throw new Error(`no pooler: ${readFileSync(log, 'utf8')}`);
    await sleep(5);
  }
  return `postgres://${username}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
