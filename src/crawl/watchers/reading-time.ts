/**
 * How long the reading of a report may take. No host is crawled meanwhile. The limit is half a minute
 * if other hosts have work and two minutes otherwise, plus time per entry: a large site gets its time,
 * and a slow server delays nobody for long.
 */
import type { UrlStore } from '../../store/contract.ts';

/** For the only host: no other host waits, and a site of a million pages has a hundred parts. */
const ALONE = { firstMs: 120_000, anEntryMs: 5 };
const AMONG_OTHERS = { firstMs: 30_000, anEntryMs: 1 };
const LONGEST_MS = 1_800_000;

const HOSTS_AT_ONCE = 64;

export function longestReadingMs(entries: number, othersWait: boolean): number {
  const { firstMs, anEntryMs } = othersWait ? AMONG_OTHERS : ALONE;
  return Math.min(LONGEST_MS, firstMs + entries * anEntryMs);
}

/** Whether another host has pages, or has URLs that wait. */
export async function doOthersWait(store: UrlStore, hostId: number): Promise<boolean> {
  for (let after = 0; ; ) {
    const hosts = await store.hosts(after, HOSTS_AT_ONCE);
    if (hosts.some(({ id, fetched, waiting }) => id !== hostId && fetched + waiting > 0)) return true;
    if (hosts.length < HOSTS_AT_ONCE) return false;
    after = hosts.at(-1)!.id;
  }
}
