/**
 * Databases for tests: a test in, the URL of a database of its own out, empty and gone after the test.
 *
 * They are on the server that `npm test` has started; a file that runs alone starts one with its first database. Where
 * PostgreSQL is not installed, `noPostgres` says so: `test(name, { skip: noPostgres }, …)`.
 */
import { after, type TestContext } from 'node:test';
import type { PostgresDatabases } from '../../bench/postgres/postgres-databases.ts';
import { findPostgres, OLDEST_POSTGRES } from '../../bench/postgres/postgres-program.ts';
import type { PostgresServer } from '../../bench/postgres/postgres-server.ts';
import { sharedDatabases, startSharedServer } from './shared-server.ts';

const shared = sharedDatabases();

/** Why tests with a database are skipped, or false. */
export const noPostgres: string | false =
  shared === undefined &&
  (await findPostgres()) === undefined &&
  `PostgreSQL ${OLDEST_POSTGRES} or newer is not installed: npm test installs it`;

let ownServer: Promise<PostgresServer> | undefined;
let made = 0;
/** To be dropped with the end of the file. */
const ofFile: string[] = [];

// Of the file, not of a test: the connection and a server of our own serve all its tests.
after(async () => {
  // With a server of our own they end, too.
  if (shared) for (const name of ofFile) await shared.drop(name);
  await shared?.close();
  await (await ownServer)?.close();
});

/**
 * For a test, or for all of the file. `template`: the URL of another, to which nobody is connected; the new one begins as a copy of it.
 */
export async function testDatabase(of: Pick<TestContext, 'after'> | 'file', template?: string): Promise<string> {
  const databases = shared ?? (await ownDatabases());
  const name = `test_${process.pid}_${++made}`;
  await databases.create(name, template && new URL(template).pathname.slice(1));
  if (of === 'file') ofFile.push(name);
  else of.after(() => databases.drop(name));
  return databases.url(name);
}

/** The same database, for the role that may do everything: to make other roles, say. */
export async function adminUrlOf(url: string): Promise<string> {
  return (shared ?? (await ownDatabases())).adminUrl(new URL(url).pathname.slice(1));
}

async function ownDatabases(): Promise<PostgresDatabases> {
  if (noPostgres !== false) throw new Error(noPostgres);
  ownServer ??= startSharedServer();
  return (await ownServer).databases;
}
