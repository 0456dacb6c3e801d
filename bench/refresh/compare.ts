/**
 * Turns runs into rows. In: the runs of all rounds. Out: one row for each variant, share and contender.
 *
 * A ratio compares a run with the full crawl of the same round, variant and share. The median is taken over these
 * ratios. The figures of a contender with a smaller site are first scaled to the full site, page for page: seconds,
 * requests and bytes, but not memory. Failed runs are excluded.
 */
import { type Spread, spreadOf } from '../report/summary.ts';
import { type ContenderName, OURS, YARDSTICK } from './contenders.ts';
import { JUDGED_SHARE, JUDGED_VARIANT } from './options.ts';
import type { UpdateRun } from './run-update.ts';
import type { Variant } from './variants.ts';

/** The aim, as a share of a full crawl, when the judged share of the pages has changed. */
export const MOST_TIME = 1 / 6;
export const MOST_BYTES = 1 / 20;

export interface UpdateRow {
  readonly variant: Variant;
  readonly share: number;
  readonly contender: ContenderName;
  readonly goodRuns: number;
  readonly runs: number;
  readonly wallSeconds: Spread | undefined;
  readonly requests: Spread | undefined;
  readonly sentMb: Spread | undefined;
  readonly peakRssMb: Spread | undefined;
  readonly needless: Spread | undefined;
  readonly timeRatio: Spread | undefined;
  readonly byteRatio: Spread | undefined;
  readonly cpuRatio: Spread | undefined;
}

export function compareUpdates(runs: readonly UpdateRun[]): UpdateRow[] {
  const cells = new Map<string, UpdateRun[]>();
  for (const run of runs) {
    const cell = `${run.variant} ${run.share} ${run.contender}`;
    const known = cells.get(cell);
    if (known === undefined) cells.set(cell, [run]);
    else known.push(run);
  }
  const yardsticks = new Map(
    runs.filter((run) => run.contender === YARDSTICK && isGood(run)).map((run) => [caseOf(run), run]),
  );
  return [...cells.values()].map((all) => {
    const { variant, share, contender } = all[0]!;
    const good = all.filter(isGood);
    const spread = (value: (run: UpdateRun) => number) => spreadOf(good.map(value));
    const scaled = (value: (run: UpdateRun) => number) => spread((run) => value(run) * scaleOf(run, yardsticks));
    const ratio = (value: (run: UpdateRun) => number) =>
      spreadOf(
        good.flatMap((run) => {
          const full = yardsticks.get(caseOf(run));
          return full === undefined ? [] : [(value(run) * scaleOf(run, yardsticks)) / value(full)];
        }),
      );
    return {
      variant,
      share,
      contender,
      goodRuns: good.length,
      runs: all.length,
      wallSeconds: scaled((run) => run.wallSeconds),
      requests: scaled((run) => run.requests),
      sentMb: scaled((run) => run.sentBytes / 1e6),
      peakRssMb: spread((run) => run.peakRssMb),
      needless: scaled((run) => run.needless),
      timeRatio: ratio((run) => run.wallSeconds),
      byteRatio: ratio((run) => run.sentBytes),
      cpuRatio: ratio((run) => run.cpuSeconds),
    };
  });
}

/** Whether the aims are reached; undefined when they were not measured. */
export function isReached(rows: readonly UpdateRow[]): boolean | undefined {
  const row = rows.find(
    ({ variant, share, contender }) => variant === JUDGED_VARIANT && share === JUDGED_SHARE && contender === OURS,
  );
  if (row === undefined) return undefined;
  if (row.goodRuns < row.runs || row.timeRatio === undefined || row.byteRatio === undefined) return false;
  return row.timeRatio.median <= MOST_TIME && row.byteRatio.median <= MOST_BYTES;
}

function isGood(run: UpdateRun): boolean {
  return run.failure === undefined;
}

function caseOf({ variant, share, round }: UpdateRun): string {
  return `${variant} ${share} ${round}`;
}

function scaleOf(run: UpdateRun, yardsticks: ReadonlyMap<string, UpdateRun>): number {
  return (yardsticks.get(caseOf(run))?.pages ?? run.pages) / run.pages;
}
