/**
 * Turns runs into rows. In: the runs of all rounds. Out: medians, ratios and the missed aims.
 *
 * A ratio compares a run with the run of the same round that has one worker or the fewest known URLs. The median is
 * taken over these ratios. Failed runs are excluded from the figures, and the report names them.
 */
import { type Spread, spreadOf } from '../report/summary.ts';
import type { CostRun } from './cost.ts';
import type { FaultVerdict } from './faults/judge-faults.ts';
import type { OverlapRow } from './overlap.ts';
import type { ScalingRun } from './scaling.ts';

/** The aim: pages per second, as a share of the pages per second of the same number of single workers. */
const LEAST_SHARE: Readonly<Record<number, number>> = { 3: 0.95, 8: 0.9 };
/** Above this value the CPU cores are the limit, not the bandwidth of the workers. */
const BUSY = 0.9;
const MOST_CPU_MS = 0.5;
const MOST_WAL_BYTES = 8 * 1024;
const MOST_TIMES_SLOWER = 1.25;

export interface ScalingRow {
  readonly workers: number;
  readonly goodRuns: number;
  readonly pagesPerSecond: Spread | undefined;
  readonly steadyPagesPerSecond: Spread | undefined;
  /** Ratios to one worker: while all workers are busy, and over the whole crawl. */
  readonly steadyRatio: Spread | undefined;
  readonly wholeRatio: Spread | undefined;
  readonly workersCpuMsPerPage: Spread | undefined;
  readonly postgresCpuMsPerPage: Spread | undefined;
  readonly webCpuMsPerPage: Spread | undefined;
  readonly busyShare: Spread | undefined;
  readonly walBytesPerPage: Spread | undefined;
  readonly peakRssMb: Spread | undefined;
}

export function compareScaling(runs: readonly ScalingRun[]): ScalingRow[] {
  const good = runs.filter(({ failure }) => failure === undefined);
  const alone = new Map(good.filter(({ workers }) => workers === 1).map((run) => [run.round, run]));
  const sizes = [...new Set(runs.map(({ workers }) => workers))].sort((left, right) => left - right);
  return sizes.map((workers) => {
    const these = good.filter((run) => run.workers === workers);
    const spread = (value: (run: ScalingRun) => number) => spreadOf(these.map(value));
    const ratio = (value: (run: ScalingRun) => number) =>
      spreadOf(these.flatMap((run) => (alone.has(run.round) ? [value(run) / value(alone.get(run.round)!)] : [])));
    return {
      workers,
      goodRuns: these.length,
      pagesPerSecond: spread((run) => run.pagesPerSecond),
      steadyPagesPerSecond: spread((run) => run.steadyPagesPerSecond),
      steadyRatio: ratio((run) => run.steadyPagesPerSecond),
      wholeRatio: ratio((run) => run.pagesPerSecond),
      workersCpuMsPerPage: spread((run) => (run.workersCpuSeconds * 1000) / run.pages),
      postgresCpuMsPerPage: spread((run) => (run.postgresCpuSeconds * 1000) / run.pages),
      webCpuMsPerPage: spread((run) => (run.webCpuSeconds * 1000) / run.pages),
      busyShare: spread((run) => run.busyShare),
      walBytesPerPage: spread((run) => run.walBytes / run.pages),
      peakRssMb: spread((run) => run.peakRssMb),
    };
  });
}

export interface CostRow {
  readonly known: number;
  readonly cpuMs: Spread | undefined;
  readonly walBytes: Spread | undefined;
  readonly wholeBlockBytes: Spread | undefined;
  readonly rowsWritten: Spread | undefined;
  readonly rowsRead: Spread | undefined;
  readonly transactions: Spread | undefined;
  readonly wallMs: Spread | undefined;
  readonly bytesPerUrl: number;
  /** Ratios of wall time and CPU time to the run with the fewest known URLs. */
  readonly wallRatio: Spread | undefined;
  readonly cpuRatio: Spread | undefined;
}

export function compareCosts(runs: readonly CostRun[]): CostRow[] {
  const sizes = [...new Set(runs.map(({ known }) => known))].sort((left, right) => left - right);
  const fewest = new Map(runs.filter(({ known }) => known === sizes[0]).map((run) => [run.round, run]));
  return sizes.map((known) => {
    const these = runs.filter((run) => run.known === known);
    const spread = (value: (run: CostRun) => number) => spreadOf(these.map(value));
    const ratio = (value: (run: CostRun) => number) =>
      spreadOf(these.flatMap((run) => (fewest.has(run.round) ? [value(run) / value(fewest.get(run.round)!)] : [])));
    return {
      known,
      cpuMs: spread((run) => run.serverCpuMsPerPage),
      walBytes: spread((run) => run.walBytesPerPage),
      wholeBlockBytes: spread((run) => run.wholeBlockBytesPerPage),
      rowsWritten: spread((run) => run.rowsWrittenPerPage),
      rowsRead: spread((run) => run.rowsReadPerPage),
      transactions: spread((run) => run.transactionsPerPage),
      wallMs: spread((run) => run.wallMsPerPage),
      bytesPerUrl: (these[0]?.databaseBytes ?? 0) / known,
      wallRatio: ratio((run) => run.wallMsPerPage),
      cpuRatio: ratio((run) => run.serverCpuMsPerPage),
    };
  });
}

export interface ClusterRows {
  readonly scaling: readonly ScalingRow[];
  readonly overlap: readonly OverlapRow[];
  readonly costs: readonly CostRow[];
  readonly faults: readonly FaultVerdict[];
}

/** One sentence for each aim that was missed. */
export function missedAims({ scaling, overlap, costs, faults }: ClusterRows): string[] {
  const missed: string[] = [];
  for (const { workers, steadyRatio, goodRuns, busyShare } of scaling) {
    const least = workers * (LEAST_SHARE[workers] ?? 0);
    if (goodRuns === 0) missed.push(`${workers} workers: no run was good`);
    if (steadyRatio === undefined || steadyRatio.median >= least) continue;
    const limit = (busyShare?.median ?? 0) >= BUSY ? ' (all cores were busy: they are the limit, not the workers)' : '';
    missed.push(
      `${workers} workers: ${steadyRatio.median.toFixed(2)} times one instead of ${least.toFixed(2)}${limit}`,
    );
  }
  for (const row of overlap.filter(({ scenario }) => scenario === 'ours')) {
    if (row.failure !== undefined) missed.push(`${row.crowd} workers: ${row.failure}`);
    else if (row.repeated > 0) missed.push(`${row.crowd} workers fetched ${row.repeated} pages more than once`);
  }
  for (const { known, cpuMs, walBytes, wallRatio } of costs) {
    const name = `with ${known.toLocaleString('en')} known URLs`;
    if (cpuMs!.median > MOST_CPU_MS) missed.push(`${name} ${cpuMs!.median.toFixed(2)} ms of CPU time a page`);
    if (walBytes!.median > MOST_WAL_BYTES) missed.push(`${name} ${walBytes!.median.toFixed(0)} bytes of log a page`);
    if ((wallRatio?.median ?? 1) > MOST_TIMES_SLOWER) {
      missed.push(`${name} ${wallRatio!.median.toFixed(2)} times the time of the fewest`);
    }
  }
  for (const { title, complaints } of faults)
    missed.push(...complaints.map((complaint) => `faults, ${title}: ${complaint}`));
  return missed;
}
