/** A crawl in a database, opened: what is wrong with the server is said before anything is done there. */
import { hostname } from 'node:os';
import { publish } from '../core/events.ts';
import { parseAddress } from '../store/postgres/address.ts';
import { checkServer, type Opening } from '../store/postgres/open.ts';
import { openPostgresStore, type PostgresStore, readPostgresStore } from '../store/postgres/postgres-store.ts';
import type { ClusterPlace } from './crawl-place.ts';

export function readClusterStore(place: ClusterPlace): Promise<PostgresStore> {
  return opened(place, 'read');
}

/** To work on a crawl, or to begin one where there is none of that name. */
export function openClusterStore(place: ClusterPlace, opening: 'begin' | 'work'): Promise<PostgresStore> {
  return opened(place, opening);
}

async function opened({ url, name }: ClusterPlace, opening: Opening): Promise<PostgresStore> {
  const address = parseAddress(url);
  await checkServer(address, name, opening);
  const onTrouble = (error: Error | null): void =>
    publish('crawl/warning', { message: troubleText(address.name, error) });
  const request = { address, name, process: `${hostname()} ${process.pid}`, onTrouble };
  return opening === 'read' ? readPostgresStore(request) : openPostgresStore(request);
}

function troubleText(name: string, error: Error | null): string {
  if (error === null) return `${name} is back; the work goes on`;
  const { code = '' } = error as { code?: string };
  return `${name} cannot be reached (${code}); waiting for it, nothing is lost`;
}
