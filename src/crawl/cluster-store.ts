/** A crawl in a database, opened: what is wrong with the server is said before anything is done there. */
import { OrbweaverError } from '../core/errors.ts';
import type { Store } from '../store/contract.ts';
import { parseAddress } from '../store/postgres/address.ts';
import { checkServer } from '../store/postgres/open.ts';
import type { ClusterPlace } from './crawl-place.ts';

export async function readClusterStore({ url, name }: ClusterPlace): Promise<Store> {
  const address = parseAddress(url);
  await checkServer(address, name, 'read');
  throw new OrbweaverError('ERR_INTERNAL', 'not wired yet');
}
