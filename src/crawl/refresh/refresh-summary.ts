/** The summary of a refresh, for people and programs. */
import type { UrlStore } from '../../store/contract.ts';
import type { SampleResult } from '../../verify/sample.ts';
import type { Ending, RunEnding } from '../controller.ts';
import type { HostTrouble } from '../run-troubles.ts';
import type { WatcherSummary } from '../watchers/watcher-summary.ts';
import type { CopySummary } from './left-copies.ts';
import type { RefreshCounter } from './refresh-counter.ts';
import type { EditSummary } from './shared-edits.ts';

/** The output of `refresh --json`, which is a stable contract. */
export interface RefreshSummary {
  /** `failed`: pages were to be visited, and none of them answered. The copy keeps its pages. */
  readonly ending: RunEnding;
  readonly new: number;
  readonly changed: number;
  /** The changed pages by kind of change, without the undescribed ones. A page may be in several. */
  readonly changedBy: Readonly<Record<string, number>>;
  /** Changed pages whose change is described later, by a reader or a follower. */
  readonly undescribed: number;
  /** Pages whose change does not count (`--level`). */
  readonly noise: number;
  /** Pages of which only markup or styles changed, and pages of which only content changed that no reader sees. */
  readonly layout: number;
  readonly hidden: number;
  readonly unchanged: number;
  /** Unchanged pages whose links were read again, because images are wanted now that were not wanted before. */
  readonly reread: number;
  readonly moved: number;
  readonly gone: number;
  /** Not answered, or missing for the first time (`missing`): kept, and retried. */
  readonly failed: number;
  readonly refused: number;
  /** Not visited, because of a budget, the time limit or a host that asked to be left alone. */
  readonly left: number;
  readonly requests: number;
  readonly bytes: number;
  /** The estimated cost of a full crawl, from the sizes of the pages as received. */
  readonly fullCrawlBytes: number;
  readonly seconds: number;
  /** The largest number of undelivered changes of any listener. */
  readonly undelivered: number;
  /** Old versions dropped by --keep, and the bytes of disk space freed. */
  readonly dropped: number;
  readonly bytesFreed: number;
  /** Pages that failed before and whose retry time had not come. */
  readonly setAside: number;
  /** Failures of this run, by reason. */
  readonly troubles: Readonly<Record<string, number>>;
  readonly peakRssMb: number;
  /** The results of the watchers; with `watch`, of the last round. */
  readonly watchers: readonly WatcherSummary[];
  /** Archived exchanges that were checked at random, and how many were damaged; null if none was checked. */
  readonly sample: SampleResult | null;
  /** Pages that the server did not have (404), for the first time. They are among `failed`. */
  readonly missing: number;
  /** Pages that were missing or gone and are back. */
  readonly returned: number;
  /** Hosts whose last request failed. */
  readonly hostTroubles: readonly HostTrouble[];
  /** The edits that were found on many pages, those of most pages first. */
  readonly edits: readonly EditSummary[];
  /** Copies of other pages; with `watch`, in the last round. */
  readonly copies: CopySummary;
}

/** Estimated from the average size of the pages when they were fetched. */
export async function fullCrawlBytes(store: UrlStore): Promise<number> {
  const { states, wireBytes, fetches } = await store.counts();
  return fetches === 0 ? 0 : Math.round((wireBytes / fetches) * (states.fetched + states.duplicate));
}

/** The counts of a refresh. Its other facts come from other parts of the run. */
type CountedSummary = Omit<
  RefreshSummary,
  | ('undelivered' | 'dropped' | 'bytesFreed' | 'setAside' | 'troubles' | 'watchers' | 'sample')
  | ('missing' | 'returned' | 'hostTroubles' | 'edits' | 'copies')
>;

export function sumUp(
  ending: Ending,
  counter: RefreshCounter,
  left: number,
  fullBytes: number,
  seconds: number,
): CountedSummary {
  const { same, noise, changed, moved, gone, missing, failing, refused } = counter.findings;
  return {
    ending,
    new: counter.newPages,
    changed,
    changedBy: Object.fromEntries(counter.kinds),
    undescribed: counter.undescribed,
    noise,
    layout: counter.levels.layout,
    hidden: counter.levels.hidden,
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
