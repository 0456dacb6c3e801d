/** The one server that all files of `npm test` have their databases on, and how their processes are told of it. */
import { type PostgresAddress, PostgresDatabases } from '../../bench/postgres/postgres-databases.ts';
import { PostgresServer } from '../../bench/postgres/postgres-server.ts';

/** Not `ORBWEAVER_…`: that is read as options of the crawler. Not an argument: those are shown to everybody. */
const VARIABLE = 'TEST_POSTGRES_SERVER';

/** Quick rather than safe, and sorting as most servers of the world do. */
export function startSharedServer(): Promise<PostgresServer> {
  return PostgresServer.create({ durable: false, sortsByLanguage: true });
}

export function environmentOf({ databases: { address } }: PostgresServer): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(address) };
}

/** Undefined where nobody has started one for us. */
export function sharedDatabases(): PostgresDatabases | undefined {
  const told = process.env[VARIABLE];
  return told === undefined ? undefined : new PostgresDatabases(JSON.parse(told) as PostgresAddress);
}
