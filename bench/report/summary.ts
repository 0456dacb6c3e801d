/**
 * Turns runs into figures. In: the runs of all rounds. Out: one row per crawler.
 *
 * Ratios are formed within a round and then the median is taken, so a machine that is slow for a while slows both sides
 * of a ratio. A ratio is always an advantage of Orbweaver: 3 means three times the pages per second, or a third of the
 * CPU time or memory. Failed runs are excluded.
 */
import type { RunResult } from '../measure/run-crawler.ts';
import type { Crawler, Preparation } from '../peers/crawler.ts';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface CrawlerSummary {
  readonly crawler: string;
  readonly version: string;
  readonly stores: string;
  readonly pagesAsked: number;
  readonly goodRuns: number;
  readonly pagesPerSecond: Spread | undefined;
  readonly wallSeconds: Spread | undefined;
  readonly cpuMsPerPage: Spread | undefined;
  readonly peakRssMb: Spread | undefined;
  readonly repeatedPages: number;
  readonly gzip: boolean;
  /** Requests that were not answered with 200. */
  readonly failedRequests: number;
  /**
   * Orbweaver compared with this crawler. Undefined for Orbweaver itself, and when no round was successful for both.
   */
  readonly speedRatio: Spread | undefined;
  readonly cpuRatio: Spread | undefined;
  readonly memoryRatio: Spread | undefined;
  /** Why the crawler has no figures, or the failures of some rounds. */
  readonly notes: readonly string[];
}

export interface PreparedCrawler {
  readonly crawler: Crawler;
  readonly preparation: Preparation;
}

export function summarise(
  prepared: readonly PreparedCrawler[],
  runs: readonly RunResult[],
  ours: string,
): CrawlerSummary[] {
  const oursByRound = new Map(runs.filter((run) => run.crawler === ours && isGood(run)).map((run) => [run.round, run]));
  return prepared.map(({ crawler, preparation }) => {
    const all = runs.filter((run) => run.crawler === crawler.name);
    const good = all.filter(isGood);
    const spread = (value: (run: RunResult) => number) => spreadOf(good.map(value));
    const ratio = (value: (our: RunResult, their: RunResult) => number) =>
      crawler.name === ours
        ? undefined
        : spreadOf(
            good.flatMap((their) => {
              const our = oursByRound.get(their.round);
              return our === undefined ? [] : [value(our, their)];
            }),
          );
    return {
      crawler: crawler.name,
      version: preparation.ready ? preparation.version : '',
      stores: crawler.stores,
      pagesAsked: all[0]?.pagesAsked ?? 0,
      goodRuns: good.length,
      pagesPerSecond: spread((run) => run.pagesPerSecond),
      wallSeconds: spread((run) => run.wallSeconds),
      cpuMsPerPage: spread((run) => run.cpuMsPerPage),
      peakRssMb: spread((run) => run.peakRssMb),
      repeatedPages: Math.max(0, ...good.map((run) => run.repeatedPages)),
      failedRequests: Math.max(0, ...all.map((run) => run.failures)),
      gzip: good.some((run) => run.gzippedPages > 0),
      speedRatio: ratio((our, their) => our.pagesPerSecond / their.pagesPerSecond),
      cpuRatio: ratio((our, their) => their.cpuMsPerPage / our.cpuMsPerPage),
      memoryRatio: ratio((our, their) => their.peakRssMb / our.peakRssMb),
      notes: preparation.ready
        ? all.filter((run) => !isGood(run)).map((run) => `round ${run.round}: ${run.failure}`)
        : [`not available: ${preparation.reason}`],
    };
  });
}

function isGood(run: RunResult): boolean {
  return run.failure === undefined;
}

export function spreadOf(values: readonly number[]): Spread | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
