/**
 * Hosts that are worth asking for a watcher's report: hosts with a watcher, hosts that are said to have one,
 * and the hosts of the seeds, which are asked at the well-known place at most once a week. This file imports
 * little, because most runs have no host to ask.
 */
import type { UrlStore, WatcherRecord, WatcherStore } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';

const WEEK_MS = 7 * 86_400_000;
/** Hosts of seeds that are asked without a hint. The limit protects a crawl from thousands of seeds. */
const MAX_PROBED = 100;

const NEVER = { url: '', cursor: null, askedAtMs: 0, readAtMs: 0, confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };

export async function hostsToAsk(
  store: UrlStore & WatcherStore,
  seeds: readonly string[],
  nowMs: number,
): Promise<WatcherRecord[]> {
  const records = new Map((await store.watchers()).map((record) => [record.host, record]));
  let probed = 0;
  for (const host of new Set(seeds.map(hostOf))) {
    if (records.has(host) || probed++ >= MAX_PROBED) continue;
    const known = await store.host(host);
    if (known !== null) records.set(host, { hostId: known.id, host, ...NEVER });
  }
  return [...records.values()].filter(({ readAtMs, askedAtMs }) => {
    const agoMs = nowMs - askedAtMs;
    return readAtMs > 0 || agoMs < 0 || agoMs >= WEEK_MS;
  });
}

/**
 * Deletes cursors. Pages may become known while their watchers are not asked, so a new listing
 * must show which pages the watchers cover.
 */
export async function forgetCursors(
  store: UrlStore & WatcherStore,
  hosts: (record: WatcherRecord) => boolean,
  nowMs: number,
): Promise<void> {
  for (const record of await store.watchers()) {
    if (record.cursor !== null && hosts(record)) await store.noteWatcher(record.hostId, { cursor: null }, nowMs);
  }
}
