/** The store of a crawl, wherever it is: the one function for all who only read. */
import type { Cluster } from '../store/cluster.ts';
import type { Store } from '../store/contract.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { placeAt, type Where } from './crawl-place.ts';

/** With what workers have in common, where the engine can be shared by many. */
export type AnyStore = Store & { readonly cluster?: Cluster };

export async function readStoreAt(where: Where): Promise<AnyStore> {
  const { dir, cluster } = placeAt(where);
  if (cluster === null) return readSqliteStore(dir);
  // Loaded only here: most crawls are in a folder and need no client of a database.
  return (await import('./cluster-store.ts')).readClusterStore(cluster);
}
