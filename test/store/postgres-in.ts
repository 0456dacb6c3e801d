/** Where the contract's tests have their crawls on PostgreSQL: a schema a folder, in one database that is gone at the end of the file. */
import { after, type TestContext } from 'node:test';
import { parseAddress } from '../../src/store/postgres/address.ts';
import type { PostgresRequest } from '../../src/store/postgres/postgres-store.ts';
import { testDatabase } from '../setup/postgres.ts';

/** Fewer than a crawl has, and more than one: making tables is what takes time. */
const PARTS = 3;

const endings: (() => unknown)[] = [];
// Here, and not where the database is made: that is inside a test, and ends with it.
after(async () => {
  for (const end of endings) await end();
});

let database: Promise<string> | null = null;
const names = new Map<string, string>();

export async function postgresIn(dir: string): Promise<PostgresRequest> {
  database ??= testDatabase({ after: ((end: () => unknown) => endings.push(end)) as TestContext['after'] });
  if (!names.has(dir)) names.set(dir, `t${names.size + 1}`);
  return { address: parseAddress(await database), name: names.get(dir)!, process: 'test', parts: PARTS };
}
