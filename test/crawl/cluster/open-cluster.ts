/** The crawl of a test's cluster, opened as the command line does it: beats have connections of their own. */
import type { OpenCluster } from '../../../src/crawl/cluster/cluster-entry.ts';
import { parseAddress } from '../../../src/store/postgres/address.ts';
import { Database } from '../../../src/store/postgres/database.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { PostgresCluster } from '../../../src/store/postgres/workers.ts';

const PARTS = 3;

export async function openCluster(url: string, process: string): Promise<OpenCluster> {
  const address = parseAddress(url);
  const store = await openPostgresStore({ address, name: 't', process, parts: PARTS });
  const beats = new Database(address, 'orbweaver_t');
  const close = store.close.bind(store);
  store.close = async () => {
    await Promise.all([close(), beats.close()]);
  };
  return { store, cluster: new PostgresCluster(beats) };
}
