/** Opens a crawl in a database. Problems of the server are reported before anything is done there. */

import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { publish } from '../../core/events.ts';
import type { ClusterOptions } from '../../core/options/cluster-options.ts';
import type { Cluster } from '../../store/cluster.ts';
import type { Store } from '../../store/contract.ts';
import { parseAddress } from '../../store/postgres/connection/address.ts';
import { checkServer, type Opening } from '../../store/postgres/connection/open.ts';
import {
  openPostgresCluster,
  openPostgresStore,
  type PostgresStore,
  readPostgresStore,
} from '../../store/postgres/postgres-store.ts';
import { hostnameOf } from '../../url/host.ts';
import type { DatabasePlace } from './crawl-place.ts';
import { readRules } from './data-folder.ts';

export async function readClusterStore(place: DatabasePlace): Promise<PostgresStore> {
  return readPostgresStore(await requestFor(place, 'read'));
}

/**
 * Opens a crawl to work on it, or creates it if the name is new. The cluster has its own connections, because a
 * heartbeat must not wait behind commits. Closing the store closes both. `newAssigning` is how newly found hosts are
 * divided among the workers; null stands for the stored rule.
 */
export async function openCluster(
  place: DatabasePlace,
  opening: Exclude<Opening, 'read'>,
  newAssigning: Assigning | null = null,
): Promise<{ readonly store: Store; readonly cluster: Cluster }> {
  const request = await requestFor(place, opening);
  let assigning: Assigning = 'host';
  const store = await openPostgresStore({ ...request, ringKeyOf: (host) => ringKeyOf(host, assigning) });
  assigning = newAssigning ?? ((await readRules(store))?.values.assign === 'ip' ? 'ip' : 'host');
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
  if (error === null) return `${name} is back; the work continues`;
  const { code = '' } = error as { code?: string };
  return `${name} cannot be reached (${code}); nothing is lost, and the work continues when it is back`;
}

/**
 * The key that places a host on the ring of workers (P2): its name, or its IP address, so that the hosts of
 * one machine belong to one worker. The rule belongs to the crawl, not to a worker: a host gets its place
 * once, from the worker that finds it first.
 */
type Assigning = ClusterOptions['assign'];

/** A slow name server must not delay a commit: after this time the host is placed by its name. */
const LOOKUP_WITHIN_MS = 2_000;

export async function ringKeyOf(host: string, assigning: Assigning, find = firstAddress): Promise<string> {
  if (assigning === 'host') return host;
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), LOOKUP_WITHIN_MS);
  try {
    return (await Promise.race([find(hostnameOf(host)), late])) ?? host;
  } catch {
    return host;
  } finally {
    clearTimeout(timer);
  }
}

/** The lowest address, because the order of the answers of a name server varies. */
async function firstAddress(name: string): Promise<string | null> {
  const addresses = await lookup(name.replace(/^\[|\]$/g, ''), { all: true });
  return addresses.map(({ address }) => address).sort()[0] ?? null;
}
