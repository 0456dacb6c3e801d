/**
 * Turns figures into tables for the terminal and for bench/results: pages per second, pages fetched twice, the cost in
 * PostgreSQL, and the damage of faults.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { alignedRows, figure, markdownRows, ratio } from '../report/tables.ts';
import {
  type ClusterRows,
  type CostRow,
  compareCosts,
  compareScaling,
  missedAims,
  type ScalingRow,
} from './compare.ts';
import type { CostRun } from './cost.ts';
import type { TableSize } from './cost-sizes.ts';
import type { FaultVerdict } from './faults/judge-faults.ts';
import type { ClusterOptions } from './options.ts';
import type { OverlapRow } from './overlap.ts';
import { CRAWL_FLAGS, type ScalingRun, WORKER_FLAGS } from './scaling.ts';

export interface ClusterResults {
  readonly options: ClusterOptions;
  readonly machine: Machine;
  /** For example `15.14`. */
  readonly postgres: string;
  /** Whether the network could add latency. */
  readonly hasLatency: boolean;
  readonly scaling: readonly ScalingRun[];
  readonly overlap: readonly OverlapRow[];
  readonly costs: readonly CostRun[];
  /** Sizes of the tables of the crawl with the most known URLs. */
  readonly sizes: readonly TableSize[];
  readonly faults: readonly FaultVerdict[];
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const SCALING_HEADINGS = [
  'workers',
  'pages/s',
  'of one',
  'whole crawl',
  'of one',
  'workers CPU ms/page',
  'PostgreSQL',
  'web',
  'cores busy',
  'log bytes/page',
  'MB in all',
];
const OVERLAP_HEADINGS = [
  'scenario',
  'crawlers',
  'pages',
  'fetches',
  'repeated',
  'most times',
  'five pages',
  'messages',
];
const COST_HEADINGS = [
  'known URLs',
  'CPU ms/page',
  'log bytes/page',
  'of them whole blocks',
  'rows written',
  'rows read',
  'transactions',
  'ms/page',
  'time',
  'CPU',
  'bytes/URL',
];
const SIZE_HEADINGS = ['table', 'rows', 'bytes a row', 'indexes, bytes a row'];
const FAULT_HEADINGS = [
  'manners',
  'pages',
  'hosts',
  'workers',
  'killed',
  'frozen',
  'server restarted',
  'crashed',
  'cut',
  'seconds',
  'stored',
  'fetched again',
  'breaches',
];

export function rowsOf(results: ClusterResults): ClusterRows {
  const { overlap, faults } = results;
  return { scaling: compareScaling(results.scaling), costs: compareCosts(results.costs), overlap, faults };
}

export function textReport(results: ClusterResults): string {
  const rows = rowsOf(results);
  return [...tables(results, rows, alignedRows), notes(results, rows).join('\n')].join('\n\n');
}

/** Returns the path without the file extension. */
export async function writeClusterResults(folder: string, results: ClusterResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'cluster');
  const rows = rowsOf(results);
  await writeFile(`${path}.json`, `${JSON.stringify({ ...results, rows }, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results, rows));
  return path;
}

function markdown(results: ClusterResults, rows: ClusterRows): string {
  const { options, machine, postgres } = results;
  const list = notes(results, rows).map((note) => `- ${note}\n`);
  return `# cluster

Several workers on one web of ${options.hosts} hosts, with PostgreSQL ${postgres}; medians of ${options.repeat} round(s), seed ${options.seed}. Each worker has a network
of its own with ${options.megabitsPerSecond} Mbit/s each way. \`pages/s\` are those while all are at work (without the first and the last tenth of the pages), as the web saw
them; \`whole crawl\` counts from the start of the first worker to the end of the last. Crawls have the flags \`${CRAWL_FLAGS.join(' ')}\`, workers \`${WORKER_FLAGS.join(' ')}\`.

${tables(results, rows, markdownRows).join('\n\n')}

${list.join('')}- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC; workers, PostgreSQL and web share it
`;
}

function tables({ sizes }: ClusterResults, { scaling, overlap, costs, faults }: ClusterRows, layOut: Rows): string[] {
  return [
    ...(scaling.length > 0 ? [layOut(SCALING_HEADINGS, scaling.map(scalingCells))] : []),
    ...(overlap.length > 0 ? [layOut(OVERLAP_HEADINGS, overlap.map(overlapCells))] : []),
    ...(costs.length > 0 ? [layOut(COST_HEADINGS, costs.map(costCells))] : []),
    ...(sizes.length > 0 ? [layOut(SIZE_HEADINGS, sizes.map(sizeCells))] : []),
    ...(faults.length > 0 ? [layOut(FAULT_HEADINGS, faults.map(faultCells))] : []),
  ];
}

function scalingCells(row: ScalingRow): string[] {
  return [
    String(row.workers),
    figure(row.steadyPagesPerSecond, 1),
    ratio(row.steadyRatio),
    figure(row.pagesPerSecond, 1),
    ratio(row.wholeRatio),
    figure(row.workersCpuMsPerPage, 2),
    figure(row.postgresCpuMsPerPage, 2),
    figure(row.webCpuMsPerPage, 2),
    row.busyShare === undefined ? '–' : `${(row.busyShare.median * 100).toFixed(0)} %`,
    figure(row.walBytesPerPage, 0),
    figure(row.peakRssMb, 0),
  ];
}

function overlapCells(row: OverlapRow): string[] {
  const whole = (value: number) => value.toLocaleString('en');
  return [
    row.scenario,
    String(row.crowd),
    whole(row.distinctPages),
    whole(row.fetches),
    whole(row.repeated),
    String(row.mostTimes),
    row.samples.join(' '),
    row.messages === null ? 'none' : whole(row.messages),
  ];
}

function costCells(row: CostRow): string[] {
  return [
    row.known.toLocaleString('en'),
    figure(row.cpuMs, 2),
    figure(row.walBytes, 0),
    figure(row.wholeBlockBytes, 0),
    figure(row.rowsWritten, 1),
    figure(row.rowsRead, 1),
    figure(row.transactions, 2),
    figure(row.wallMs, 2),
    ratio(row.wallRatio),
    ratio(row.cpuRatio),
    row.bytesPerUrl.toFixed(0),
  ];
}

function sizeCells({ table, rows, tableBytesPerRow, indexBytesPerRow }: TableSize): string[] {
  return [table, rows.toLocaleString('en'), tableBytesPerRow.toFixed(0), indexBytesPerRow.toFixed(0)];
}

function faultCells({ title, pages, hosts, workers, faults, ...found }: FaultVerdict): string[] {
  const { kill, freeze, restart, crash, cut } = faults;
  const numbers = [pages, hosts, workers, kill, freeze, restart, crash, cut];
  const rest = [found.stored, found.fetchedAgain, found.breaches];
  return [title, ...numbers.map(String), found.seconds.toFixed(0), ...rest.map(String)];
}

function notes({ options, hasLatency, scaling }: ClusterResults, rows: ClusterRows): string[] {
  const missed = missedAims(rows);
  const isNetworked = scaling.length > 0 || rows.overlap.length > 0;
  const latency = hasLatency
    ? `each way to a worker takes ${options.latencyMs} ms longer`
    : 'this system cannot add a latency to a network: only the web answers late';
  return [
    missed.length === 0 ? 'all there is to reach is reached' : `NOT reached: ${missed.join('; ')}`,
    ...(isNetworked ? [latency] : []),
    ...(rows.overlap.length > 0
      ? [
          'of the four scenarios the first three are models over the links of the same web, ended when all pages were fetched; ours is real',
        ]
      : []),
    ...scaling
      .filter(({ failure }) => failure !== undefined)
      .map((run) => `${run.workers} workers, round ${run.round}: ${run.failure}`),
  ];
}
