/**
 * How long a report may take to read. No host is crawled meanwhile; so where others have work it may take half a minute, and longer
 * only for what it tells: a large site has its time, and one that drips its report does not hold up the others.
 */
import type { Store } from '../../store/contract.ts';

/** Of the only host there is, nobody else waits; one of a million pages takes a hundred parts. */
const ALONE_MS = 1_800_000;
const AMONG_OTHERS_MS = 30_000;
/** For each entry that was read. */
const AN_ENTRY_MS = 1;

const HOSTS_AT_ONCE = 64;

export function longestReadingMs(entries: number, othersWait: boolean): number {
  return othersWait ? Math.min(ALONE_MS, AMONG_OTHERS_MS + entries * AN_ENTRY_MS) : ALONE_MS;
}

/** Whether a host but this one has pages, or is to have some. */
export async function doOthersWait(store: Store, hostId: number): Promise<boolean> {
  for (let after = 0; ; ) {
    const hosts = await store.hosts(after, HOSTS_AT_ONCE);
    if (hosts.some(({ id, fetched, waiting }) => id !== hostId && fetched + waiting > 0)) return true;
    if (hosts.length < HOSTS_AT_ONCE) return false;
    after = hosts.at(-1)!.id;
  }
}
