/**
 * How long a report may take to read. No host is crawled meanwhile; so where others have work it may take half a
 * minute, alone two minutes,
 * and longer only for what it tells: a large site has its time, and one that drips its report holds up nobody for long.
 */
import type { Store } from '../../store/contract.ts';

/** Of the only host there is, nobody else waits; one of a million pages takes a hundred parts. */
const ALONE = { firstMs: 120_000, anEntryMs: 5 };
const AMONG_OTHERS = { firstMs: 30_000, anEntryMs: 1 };
const LONGEST_MS = 1_800_000;

const HOSTS_AT_ONCE = 64;

export function longestReadingMs(entries: number, othersWait: boolean): number {
  const { firstMs, anEntryMs } = othersWait ? AMONG_OTHERS : ALONE;
  return Math.min(LONGEST_MS, firstMs + entries * anEntryMs);
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
