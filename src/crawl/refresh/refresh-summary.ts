/** What a refresh amounts to, for people and programs. */
import type { Store } from '../store/contract.ts';
import type { SampleResult } from '../verify/sample.ts';
import type { Ending } from './controller.ts';
import type { RefreshCounter } from './refresh-counter.ts';
import type { WatcherSummary } from './watchers/watcher-summary.ts';

/** What `refresh --json` prints: a contract. */
export interface RefreshSummary {
  readonly ending: Ending;
  readonly new: number;
  readonly changed: number;
  /** Of the changed pages, by what changed; a page may be in several. */
  readonly changedBy: Readonly<Record<string, number>>;
  readonly noise: number;
  readonly unchanged: number;
  /** Of the unchanged pages, those whose links were read anew, since images are wanted that were not before. */
  readonly reread: number;
  readonly moved: number;
  readonly gone: number;
  /** Not answered for, or missing for the first time: kept, and tried again. */
  readonly failed: number;
  readonly refused: number;
  /** Not looked at, because of a budget, the time or a host that asked to be left alone. */
  readonly left: number;
  readonly requests: number;
  readonly bytes: number;
  /** What a full crawl would have cost, by the size of the pages as they came. */
  readonly fullCrawlBytes: number;
  readonly seconds: number;
  /** Changes that a listener has not taken yet, for the worst of them. */
  readonly undelivered: number;
  /** Old versions dropped by --keep, and the bytes of disk that came back. */
  readonly dropped: number;
  readonly bytesFreed: number;
  /** Pages that failed before and whose time to be tried again had not come. */
  readonly setAside: number;
  /** Of what failed now, by reason. */
  readonly troubles: Readonly<Record<string, number>>;
  readonly peakRssMb: number;
  /** What came of the watchers of sites; with `watch`, of the last round. */
  readonly watchers: readonly WatcherSummary[];
  /** Answers of the archive that were checked at random, and those that were damaged; null where none was. */
  readonly sample: SampleResult | null;
}

/** From what the pages of the copy were when they were fetched, on the average. */
export async function fullCrawlBytes(store: Store): Promise<number> {
  const { states, wireBytes, fetches } = await store.counts();
  return fetches === 0 ? 0 : Math.round((wireBytes / fetches) * (states.fetched + states.duplicate));
}

export function sumUp(
  ending: Ending,
  counter: RefreshCounter,
  left: number,
  fullBytes: number,
  seconds: number,
): Omit<RefreshSummary, 'undelivered' | 'dropped' | 'bytesFreed' | 'setAside' | 'troubles' | 'watchers' | 'sample'> {
  const { same, noise, changed, moved, gone, missing, failing, refused } = counter.findings;
  return {
    ending,
    new: counter.newPages,
    changed,
    changedBy: Object.fromEntries(counter.kinds),
    noise,
    unchanged: same,
    reread: counter.reread,
    moved,
    gone,
    failed: failing + missing,
    refused,
    left,
    requests: counter.requests,
    bytes: counter.bytes,
    fullCrawlBytes: fullBytes,
    seconds: Number(seconds.toFixed(3)),
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}
