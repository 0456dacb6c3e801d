/** Several stores on one crawl, like several workers: each has its own connections and caches. */
import type { TestContext } from 'node:test';
import { parseAddress } from '../../../../src/store/postgres/connection/address.ts';
import { openPostgresStore, type PostgresStore } from '../../../../src/store/postgres/postgres-store.ts';
import { testDatabase } from '../../../setup/postgres.ts';

export async function openStores(t: TestContext, count: number): Promise<PostgresStore[]> {
  const address = parseAddress(await testDatabase(t));
  const stores: PostgresStore[] = [];
  t.after(() => Promise.all(stores.map((store) => store.close())));
  for (let i = 0; i < count; i++) {
    stores.push(await openPostgresStore({ address, name: 'shared', process: `w${i}` }));
  }
  return stores;
}
