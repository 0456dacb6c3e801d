/** A crawl in a database, opened: what is wrong with the server is said before anything is done there. */
import { hostname } from 'node:os';
import { publish } from '../core/events.ts';
import type { Cluster } from '../store/cluster.ts';
import type { Store } from '../store/contract.ts';
import { parseAddress } from '../store/postgres/address.ts';
import { checkServer, type Opening } from '../store/postgres/open.ts';
import {
  openPostgresCluster,
  openPostgresStore,
  type PostgresStore,
  readPostgresStore,
} from '../store/postgres/postgres-store.ts';
import { type Assigning, ringKeyOf } from './cluster/ring-key.ts';
import type { DatabasePlace } from './crawl-place.ts';

/** What a plan says of how the crawl is kept and divided; null leaves it as it is. */
export interface PlanRules {
  /** How hosts that are met from now on are divided among the workers. */
  readonly assigning?: Assigning | null;
  /** Of a crawl that is new. */
  readonly parts?: number | null;
}

export async function readClusterStore(place: DatabasePlace): Promise<PostgresStore> {
  return readPostgresStore(await requestFor(place, 'read'));
}

/**
 * To work on a crawl, or to begin one where there is none of that name. The cluster has connections of its own, since a beat must not wait
 * behind commits; closing the store closes both.
 */
export async function openCluster(
  place: DatabasePlace,
  opening: Exclude<Opening, 'read'>,
  { assigning: newAssigning = null, parts = null }: PlanRules = {},
): Promise<{ readonly store: Store; readonly cluster: Cluster }> {
  const request = await requestFor(place, opening);
  let assigning: Assigning = 'host';
  const layout = parts === null ? {} : { parts };
  const store = await openPostgresStore({ ...request, ...layout, ringKeyOf: (host) => ringKeyOf(host, assigning) });
  if (newAssigning !== null) await store.setNote('assign', newAssigning);
  assigning = (await store.note('assign')) === 'ip' ? 'ip' : 'host';
  const { cluster, close } = openPostgresCluster(request);
  const closeStore = store.close.bind(store);
  store.close = async () => {
    await Promise.all([closeStore(), close()]);
  };
  return { store, cluster };
}

async function requestFor({ url, name }: DatabasePlace, opening: Opening) {
  const address = parseAddress(url);
  const onTrouble = (error: Error | null): void =>
    publish('crawl/warning', { message: troubleText(address.name, error) });
  await checkServer(address, name, opening, onTrouble);
  return { address, name, process: `${hostname()} ${process.pid}`, onTrouble };
}

function troubleText(name: string, error: Error | null): string {
  if (error === null) return `${name} is back; the work goes on`;
  const { code = '' } = error as { code?: string };
  return `${name} cannot be reached (${code}); waiting for it, nothing is lost`;
}
