/**
 * Turns runs into rows. In: the runs of all rounds. Out: one row for each distance and way.
 *
 * A ratio compares a run with the full crawl of the same round and distance, and with the refresh without a watcher.
 * The median is taken over these ratios. Failed runs are excluded.
 */
import { type Spread, spreadOf } from '../report/summary.ts';
import type { Cost } from './cost.ts';
import { type FarRun, WAYS, type Way } from './refreshes.ts';

/** The aims. Memory is measured at the given CPU share, as a watcher normally runs. */
export const MOST_BEYOND_MB = 20;
export const MOST_GROWTH = 1.1;
/** Not counted: the requests for the report and for the release of the watcher lease, and the spot checks for trust. */
export const MOST_REQUESTS_A_CHANGE = 1.01;
const BESIDES = 2 + 32;
export const MOST_TIME_OF_CRAWL = 0.1;
/** Minimum duration of the quickest refresh without a watcher, as a multiple of the duration with a watcher. */
export const LEAST_TIMES_AS_LONG = 2.5;

export interface WayRow {
  readonly way: Way;
  readonly answerAfterMs: number;
  readonly goodRuns: number;
  readonly runs: number;
  readonly wallSeconds: Spread | undefined;
  readonly cpuSeconds: Spread | undefined;
  readonly requests: Spread | undefined;
  readonly sentMb: Spread | undefined;
  /** Requests ÷ changed pages. For a refresh with a watcher, the extra requests (BESIDES) are not counted. */
  readonly requestsAChange: Spread | undefined;
  /** Duration as a multiple of the duration with a watcher. */
  readonly timesAsLong: Spread | undefined;
  readonly timeOfCrawl: Spread | undefined;
  readonly bytesOfCrawl: Spread | undefined;
}

export function compareWays(runs: readonly FarRun[]): WayRow[] {
  const distances = [...new Set(runs.map(({ answerAfterMs }) => answerAfterMs))].sort((left, right) => left - right);
  return distances.flatMap((answerAfterMs) => WAYS.map((way) => rowOf(way, answerAfterMs, runs)));
}

function rowOf(way: Way, answerAfterMs: number, runs: readonly FarRun[]): WayRow {
  const all = runs.filter((run) => isOf(run, way) && run.answerAfterMs === answerAfterMs);
  const good = all.filter(({ failure }) => failure === undefined);
  const spread = (value: (run: FarRun) => number) => spreadOf(good.map(value));
  const against = (other: Way, value: (run: FarRun, other: FarRun) => number) =>
    spreadOf(
      good.flatMap((run) => {
        const found = runs.find(
          (each) =>
            isOf(each, other) &&
            each.answerAfterMs === answerAfterMs &&
            each.round === run.round &&
            each.failure === undefined,
        );
        return found === undefined ? [] : [value(run, found)];
      }),
    );
  const [watched, crawl] = [WAYS[0]!, WAYS.at(-1)!];
  return {
    way,
    answerAfterMs,
    goodRuns: good.length,
    runs: all.length,
    wallSeconds: spread((run) => run.wallSeconds),
    cpuSeconds: spread((run) => run.cpuSeconds),
    requests: spread((run) => run.requests),
    sentMb: spread((run) => run.sentBytes / 1e6),
    requestsAChange: spread((run) => (run.requests - (way === watched ? BESIDES : 0)) / Math.max(1, run.changed)),
    timesAsLong: against(watched, (run, other) => run.wallSeconds / other.wallSeconds),
    timeOfCrawl: against(crawl, (run, other) => run.wallSeconds / other.wallSeconds),
    bytesOfCrawl: against(crawl, (run, other) => run.sentBytes / other.sentBytes),
  };
}

function isOf(run: FarRun, { contender, variant }: Way): boolean {
  return run.contender === contender && run.variant === variant;
}

/** Returns one sentence for each missed aim. */
export function complaintsOf(costs: readonly Cost[], rows: readonly WayRow[]): string[] {
  const found: string[] = [];
  const [least, most] = [costs[0], costs.at(-1)];
  for (const { files, slowBeyondMb, cpuShare, shareGiven } of costs) {
    const of = `${files.toLocaleString('en')} files`;
    if (slowBeyondMb > MOST_BEYOND_MB)
      found.push(`${of}: ${slowBeyondMb.toFixed(1)} MB beyond an idle Node, at most ${MOST_BEYOND_MB}`);
    if (cpuShare > shareGiven)
      found.push(`${of}: ${(cpuShare * 100).toFixed(2)} % of a core, given ${shareGiven * 100} %`);
  }
  if (least !== undefined && most !== undefined && most.slowBeyondMb > least.slowBeyondMb * MOST_GROWTH) {
    const growth = most.slowBeyondMb / least.slowBeyondMb;
    found.push(
      `memory grows to ${growth.toFixed(2)}× from ${least.files} to ${most.files} files, at most ${MOST_GROWTH}×`,
    );
  }
  for (const { way, answerAfterMs, goodRuns, runs, requestsAChange, timeOfCrawl, timesAsLong } of rows) {
    if (way.contender !== 'refresh') continue;
    if (goodRuns < runs || runs === 0)
      found.push(`${way.title}, after ${answerAfterMs} ms: ${goodRuns} of ${runs} runs are good`);
    if (way.variant === 'watcher' && (requestsAChange?.median ?? Number.POSITIVE_INFINITY) > MOST_REQUESTS_A_CHANGE) {
      found.push(`${way.title}, after ${answerAfterMs} ms: more than ${MOST_REQUESTS_A_CHANGE} requests a change`);
    }
    if (way.variant === 'watcher' && (timeOfCrawl?.median ?? 0) > MOST_TIME_OF_CRAWL) {
      const time = `${timeOfCrawl!.median.toFixed(2)} of the time of a crawl, at most ${MOST_TIME_OF_CRAWL}`;
      found.push(`${way.title}, after ${answerAfterMs} ms: ${time}`);
    }
    if (way.variant !== 'watcher' && (timesAsLong?.median ?? LEAST_TIMES_AS_LONG) < LEAST_TIMES_AS_LONG) {
      const times = `${timesAsLong!.median.toFixed(2)} times as long as with a watcher, at least ${LEAST_TIMES_AS_LONG}`;
      found.push(`${way.title}, after ${answerAfterMs} ms: ${times}`);
    }
  }
  return found;
}
