/**
 * By what a host is placed on the ring of workers (P2): its name, or its IP address, so that the hosts of one machine belong to one worker. It
 * is the crawl's rule, not a worker's: a host gets its place once, from whoever meets it first.
 */
import { lookup } from 'node:dns/promises';
import type { ClusterOptions } from '../../core/cluster-options.ts';
import { hostnameOf } from '../../url/host.ts';

export type Assigning = ClusterOptions['assign'];

/** A name server that is slower does not hold up a commit: the host is placed by its name then. */
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

/** The lowest of all, whatever the order in which a name server gives them. */
async function firstAddress(name: string): Promise<string | null> {
  const addresses = await lookup(name.replace(/^\[|\]$/g, ''), { all: true });
  return addresses.map(({ address }) => address).sort()[0] ?? null;
}
