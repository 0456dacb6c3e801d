/**
 * Databases for tests. In: a test. Out: the URL of its own database, which is empty and is dropped after the test.
 *
 * The databases are on the server that `npm test` has started. A file that runs alone starts a server with its first
 * database. If PostgreSQL is not installed, `noPostgres` has the reason: `test(name, { skip: noPostgres }, …)`.
 */
import { after, type TestContext } from 'node:test';
import type { PostgresDatabases } from '../../testbed/servers/postgres-databases.ts';
import { findPostgres, OLDEST_POSTGRES } from '../../testbed/servers/postgres-program.ts';
import type { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import { sharedDatabases, startSharedServer } from './shared-server.ts';

const shared = sharedDatabases();

/** The reason why tests with a database are skipped, or false. */
export const noPostgres: string | false =
  shared === undefined &&
  (await findPostgres()) === undefined &&
  `PostgreSQL ${OLDEST_POSTGRES} or newer is not installed: npm test installs it`;

let ownServer: Promise<PostgresServer> | undefined;
let made = 0;
/** Databases that are dropped at the end of the file. */
const ofFile: string[] = [];

// Runs at the end of the file, not of a test: the connection and the own server serve all tests of the file.
after(async () => {
  // The databases of an own server disappear with the server.
  if (shared) for (const name of ofFile) await shared.drop(name);
  await shared?.close();
  await (await ownServer)?.close();
});

/**
 * Creates a database for a test or for the whole file. `template`: the URL of another database without
 * connections; the new database starts as a copy of it.
 */
export async function testDatabase(of: Pick<TestContext, 'after'> | 'file', template?: string): Promise<string> {
  const databases = shared ?? (await ownDatabases());
  const name = `test_${process.pid}_${++made}`;
  await databases.create(name, template && new URL(template).pathname.slice(1));
  if (of === 'file') ofFile.push(name);
  else of.after(() => databases.drop(name));
  return databases.url(name);
}

/** The same database for the superuser, for example to create other roles. */
export async function adminUrlOf(url: string): Promise<string> {
  return (shared ?? (await ownDatabases())).adminUrl(new URL(url).pathname.slice(1));
}

async function ownDatabases(): Promise<PostgresDatabases> {
  if (noPostgres !== false) throw new Error(noPostgres);
  ownServer ??= startSharedServer();
  return (await ownServer).databases;
}
