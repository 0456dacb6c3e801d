/**
 * The rule of decision 9, from the seeds: a crawl whose seeds are all on private or loopback addresses may follow links
 * among such hosts; any other crawl may connect to a private address only at a seed's own host, which the user named.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress, stripBrackets } from '../fetch/private-address.ts';
import { hostnameOf, hostOf } from '../url/host.ts';

/** Hosts that may have private addresses; null when every host may. */
export async function privateHostsOf(seeds: readonly string[]): Promise<readonly string[] | null> {
  const hosts = [...new Set(seeds.map(hostOf))];
  const isPrivate = await Promise.all(hosts.map(async (host) => !(await isPublic(stripBrackets(hostnameOf(host))))));
  if (hosts.length > 0 && isPrivate.every(Boolean)) return null;
  return hosts.filter((_, i) => isPrivate[i]);
}

async function isPublic(name: string): Promise<boolean> {
  if (isIP(name) !== 0) return isPublicAddress(name);
  try {
    const addresses = await lookup(name, { all: true });
    return addresses.every(({ address }) => isPublicAddress(address));
  } catch {
    return true;
  }
}
