/**
 * The one server that holds the databases of all files of `npm test`, and the
 * way to pass its address to their processes.
 */
import { type PostgresAddress, PostgresDatabases } from '../../testbed/servers/postgres-databases.ts';
import { PostgresServer } from '../../testbed/servers/postgres-server.ts';

/**
 * Not `ORBWEAVER_…`, because the crawler reads these variables as options. Not an argument,
 * because arguments are visible to all users.
 */
const VARIABLE = 'TEST_POSTGRES_SERVER';

/** The server is fast rather than safe, and sorts as most servers in the world do. */
export function startSharedServer(): Promise<PostgresServer> {
  return PostgresServer.create({ durable: false, sortsByLanguage: true });
}

export function environmentOf({ databases: { address } }: PostgresServer): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(address) };
}

/** Undefined if `npm test` has not started a server. */
export function sharedDatabases(): PostgresDatabases | undefined {
  const told = process.env[VARIABLE];
  return told === undefined ? undefined : new PostgresDatabases(JSON.parse(told) as PostgresAddress);
}
