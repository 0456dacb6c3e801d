/** Reads hosts for the read-only commands, page by page, because there may be millions of them. */
import type { HostRecord, Store } from '../store/contract.ts';

/** The row of a host contains its robots.txt, so pages are small. */
const HOSTS_PER_READ = 200;

async function* eachHost(store: Store): AsyncGenerator<HostRecord> {
  let after = 0;
  for (;;) {
    const hosts = await store.hosts(after, HOSTS_PER_READ);
    yield* hosts;
    if (hosts.length < HOSTS_PER_READ) return;
    after = hosts.at(-1)!.id;
  }
}

/**
 * Returns the `most` hosts with the most waiting URLs. Among equals, the host that was discovered first comes first.
 */
export async function busiestHosts(store: Store, most: number): Promise<HostRecord[]> {
  let kept: HostRecord[] = [];
  const keepBest = (): void => {
    kept = kept.sort((left, right) => right.waiting - left.waiting || left.id - right.id).slice(0, most);
  };
  for await (const host of eachHost(store)) {
    kept.push(host);
    if (kept.length >= 2 * most + HOSTS_PER_READ) keepBest();
  }
  keepBest();
  return kept;
}
