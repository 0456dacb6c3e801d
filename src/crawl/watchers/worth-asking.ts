/**
 * Hosts that are worth asking for a watcher's report: those that have one, those that are said to, and those of the seeds, which are asked
 * at the well-known place once a week at most. Loads nothing, since most runs have nobody to ask.
 */
import type { Store, WatcherRecord } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';

const WEEK_MS = 7 * 86_400_000;
/** Hosts of seeds that are asked without a hint: a crawl from thousands of seeds has better to do. */
const MOST_PROBED = 100;

const NEVER = { url: '', cursor: null, askedAtMs: 0, readAtMs: 0, confirmed: 0, falseAlarms: 0, missed: 0, quiet: 0 };

export async function worthAsking(store: Store, seeds: readonly string[], nowMs: number): Promise<WatcherRecord[]> {
  const records = new Map((await store.watchers()).map((record) => [record.host, record]));
  let probed = 0;
  for (const host of new Set(seeds.map(hostOf))) {
    if (records.has(host) || probed++ >= MOST_PROBED) continue;
    const known = await store.host(host);
    if (known !== null) records.set(host, { hostId: known.id, host, ...NEVER });
  }
  return [...records.values()].filter(({ readAtMs, askedAtMs }) => {
    const agoMs = nowMs - askedAtMs;
    return readAtMs > 0 || agoMs < 0 || agoMs >= WEEK_MS;
  });
}

/** Pages may become known without their watchers being asked: which of them those cover is to be found out anew, by a listing. */
export async function forgetCursors(
  store: Store,
  hosts: (record: WatcherRecord) => boolean,
  nowMs: number,
): Promise<void> {
  for (const record of await store.watchers()) {
    if (record.cursor !== null && hosts(record)) await store.noteWatcher(record.hostId, { cursor: null }, nowMs);
  }
}
