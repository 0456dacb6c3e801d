/** Hosts as the read-only commands need them. Hosts are read a page at a time: there may be millions. */
import type { HostRecord, Store } from '../store/contract.ts';

/** A host's row has its robots.txt in it, so pages are small. */
const HOSTS_PER_READ = 200;

export async function* eachHost(store: Store): AsyncGenerator<HostRecord> {
  let after = 0;
  for (;;) {
    const hosts = await store.hosts(after, HOSTS_PER_READ);
    yield* hosts;
    if (hosts.length < HOSTS_PER_READ) return;
    after = hosts.at(-1)!.id;
  }
}

/** The `most` hosts with the most URLs waiting; the earlier known first among equals. */
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
