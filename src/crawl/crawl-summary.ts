/** The progress of a running crawl, and its summary at the end. */
import { publish } from '../core/events.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import type { UrlStore } from '../store/contract.ts';
import type { Controller, Ending } from './controller.ts';
import type { RunCounter } from './run-counter.ts';
import type { LeaselessHost } from './watchers/watcher-summary.ts';

export interface CrawlSummary {
  readonly ending: Ending;
  readonly fetched: number;
  readonly pages: number;
  readonly duplicates: number;
  readonly notModified: number;
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
}

const PROGRESS_MS = 250;

export function reportProgress(controller: Controller, options: CrawlOptions, startMs: number): () => void {
  const timer = setInterval(() => {
    const { fetched, pages, waiting, failed, bytes } = controller.counter;
    publish('crawl/progress', {
      elapsedMs: performance.now() - startMs,
      fetched,
      pages,
      waiting,
      failed,
      bytes,
      liveHosts: controller.dispatcher.live.size,
      underWay: controller.dispatcher.out,
      limit: options.limit,
    });
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}

export async function sumUp(
  store: UrlStore,
  counter: RunCounter,
  ending: Ending,
  newPages: number,
  seconds: number,
): Promise<CrawlSummary> {
  const { states, hosts, wireBytes, retrying, judged, onTopic, guesses, wrongGuesses } = await store.counts();
  return {
    ending,
    fetched: counter.fetched,
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
  };
}
