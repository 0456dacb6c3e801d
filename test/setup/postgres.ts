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
/** The server of our own is gone, and all databases with it. */
let isOver = false;

const endings: (() => unknown)[] = [];
/** In place of a test, for databases that serve all tests of a file. */
export const wholeFile = { after: ((end: () => unknown) => endings.push(end)) as TestContext['after'] };

// Of the file, not of a test: the connection and a server of our own serve all its tests.
after(async () => {
  isOver = ownServer !== undefined;
  // Before the connection is closed: it would be opened again for them, and nobody would close it, or the process end.
  for (const end of endings.reverse()) await end();
  await shared?.close();
  await (await ownServer)?.close();
});

/** `template`: the URL of another, to which nobody is connected; the new one begins as a copy of it. */
export async function testDatabase(t: Pick<TestContext, 'after'>, template?: string): Promise<string> {
  const databases = shared ?? (await ownDatabases());
  const name = `test_${process.pid}_${++made}`;
  await databases.create(name, template && new URL(template).pathname.slice(1));
  t.after(() => (isOver ? undefined : databases.drop(name)));
  return databases.url(name);
}

async function ownDatabases(): Promise<PostgresDatabases> {
  if (noPostgres !== false) throw new Error(noPostgres);
  ownServer ??= startSharedServer();
  return (await ownServer).databases;
}
