/** Opens the crawl of a test's cluster as the command line does: heartbeats have their own connections. */
import type { OpenCluster } from '../../../../src/crawl/cluster/cluster-entry.ts';
import { parseAddress } from '../../../../src/store/postgres/connection/address.ts';
import { openPostgresCluster, openPostgresStore } from '../../../../src/store/postgres/postgres-store.ts';

export async function openCluster(url: string, process: string): Promise<OpenCluster> {
  const request = { address: parseAddress(url), name: 't', process };
  const store = await openPostgresStore(request);
  const { cluster, close } = openPostgresCluster(request);
  const closeStore = store.close.bind(store);
  store.close = async () => {
    await Promise.all([closeStore(), close()]);
  };
  return { store, cluster };
}
