/**
 * Provides databases on PostgreSQL for the contract tests: one database per
 * folder. All are dropped at the end of the file.
 */
import { parseAddress } from '../../../../src/store/postgres/connection/address.ts';
import { openPostgresStore, type PostgresRequest } from '../../../../src/store/postgres/postgres-store.ts';
import { testDatabase } from '../../../setup/postgres.ts';

let template: Promise<string> | null = null;
const databases = new Map<string, string>();

export async function postgresIn(dir: string): Promise<PostgresRequest> {
  template ??= makeTemplate();
  if (!databases.has(dir)) databases.set(dir, await testDatabase('file', await template));
  return requestFor(databases.get(dir)!);
}

/** A template is used because creating the tables takes ten times as long as copying a database that has them. */
async function makeTemplate(): Promise<string> {
  const url = await testDatabase('file');
  await (await openPostgresStore(requestFor(url))).close();
  return url;
}

function requestFor(url: string): PostgresRequest {
  return { address: parseAddress(url), name: 'test', process: 'test' };
}
