/** The progress of a running crawl, and its summary at the end. */
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import type { Counts, Store } from '../store/contract.ts';
import type { Controller, Ending, RunEnding } from './controller.ts';
import type { LiveFigures } from './live/live-file.ts';
import { type HostTrouble, hostTroubles, type SeedTrouble, seedTroubles } from './run-troubles.ts';
import type { LeaselessHost } from './watchers/watcher-summary.ts';

export interface CrawlSummary {
  /** `failed`: the copy has no page. */
  readonly ending: RunEnding;
  readonly fetched: number;
  readonly pages: number;
  readonly duplicates: number;
  /** Always 0: a crawl requests each page once and unconditionally. The visits of a refresh are conditional. */
  readonly notModified: number;
  /** URLs without a page because of a failure, including the waiting URLs that are tried again (`retrying`). */
  readonly failed: number;
  readonly skipped: number;
  readonly discovered: number;
  readonly waiting: number;
  readonly hosts: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly pagesPerSecond: number;
  /** With a topic: the share of the judged pages that are on topic. */
  readonly harvest?: number;
  /** With `--guess`: the guesses that were requested since the crawl began, and how many of them led nowhere. */
  readonly guesses?: { readonly asked: number; readonly wrong: number };
  readonly peakRssMb: number;
  /** Hosts that were crawled without the lease of their watcher; absent if there are none. */
  readonly withoutLease?: readonly LeaselessHost[];
  /** Waiting URLs that failed before. They are among `failed` and among `waiting`. */
  readonly retrying: number;
  /** The URLs in `retrying` by the reason of their last failure. */
  readonly retryReasons: Counts['retryReasons'];
  /** Seeds without a page that failed or were refused; all seeds without a page if the ending is `failed`. */
  readonly seedTroubles: readonly SeedTrouble[];
  /** Hosts whose last request failed, most waiting URLs first. */
  readonly hostTroubles: readonly HostTrouble[];
}

const PROGRESS_MS = 250;

export function reportProgress(controller: Controller, options: CrawlOptions, startMs: number): () => void {
  const timer = setInterval(() => {
    const { fetched, pages, waiting, failed, bytes, trouble } = controller.counter;
    publish('crawl/progress', {
      elapsedMs: performance.now() - startMs,
      fetched,
      pages,
      waiting,
      failed,
      trouble,
      bytes,
      liveHosts: controller.dispatcher.live.size,
      underWay: controller.dispatcher.out,
      limit: options.limit,
    });
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}

/** The figures of a running crawl for `live.json`. */
export function crawlReport({ counter, dispatcher }: Controller, { limit }: CrawlOptions): () => LiveFigures {
  return () => {
    const { fetched, pages, waiting, failed, bytes, failures } = counter;
    return {
      ...{ pages, fetched, waiting, failed, bytes },
      of: limit > 0 ? limit : null,
      changed: 0,
      hosts: dispatcher.live.size,
      requests: dispatcher.out,
      errors: Object.fromEntries(failures),
    };
  };
}

/** What the run has done, in all its rounds. */
export interface RunTotals {
  readonly fetched: number;
  readonly newPages: number;
  readonly seconds: number;
}

export async function sumUp(
  store: Store,
  ending: Ending,
  { fetched, newPages, seconds }: RunTotals,
): Promise<CrawlSummary> {
  const counts = await store.counts();
  const { states, hosts, wireBytes, retrying, retryReasons, judged, onTopic, guesses, wrongGuesses } = counts;
  const hasFailed = states.fetched + states.duplicate === 0 && ending !== 'interrupted';
  const seeds = await seedTroubles(store);
  return {
    ending: hasFailed ? 'failed' : ending,
    fetched,
    pages: states.fetched,
    duplicates: states.duplicate,
    notModified: 0,
    failed: states.failed + retrying,
    skipped: states.skipped,
    discovered: Object.values(states).reduce((sum, count) => sum + count, 0),
    waiting: states.waiting,
    hosts,
    bytes: wireBytes,
    seconds: Number(seconds.toFixed(3)),
    pagesPerSecond: Number((newPages / seconds).toFixed(1)),
    ...(judged > 0 ? { harvest: Number((onTopic / judged).toFixed(5)) } : {}),
    ...(guesses > 0 ? { guesses: { asked: guesses, wrong: wrongGuesses } } : {}),
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    retrying,
    retryReasons,
    seedTroubles: hasFailed ? seeds : seeds.filter(({ reason }) => reason !== null),
    hostTroubles: await hostTroubles(store),
  };
}
