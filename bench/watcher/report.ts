/**
 * Turns figures into tables for the terminal and for bench/results: the cost of the watcher, and the cost of
 * a refresh with it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { alignedRows, figure, markdownRows, ratio } from '../report/tables.ts';
import { compareWays, complaintsOf, type WayRow } from './compare.ts';
import type { Cost } from './cost.ts';
import type { WatcherOptions } from './options.ts';
import type { FarRun } from './refreshes.ts';

export interface WatcherResults {
  readonly options: WatcherOptions;
  readonly machine: Machine;
  readonly server: string;
  /** Version of the Node that ran the watcher, for example `v18.20.8`. */
  readonly node: string;
  readonly bundle: { readonly bytes: number; readonly gzipBytes: number };
  readonly costs: readonly Cost[];
  readonly runs: readonly FarRun[];
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const COST_HEADINGS = [
  'files',
  'MB at the share',
  'full speed',
  'anonymous',
  'peak',
  'first sweep s',
  'its CPU s',
  'sweep s',
  'its CPU s',
  'CPU share',
  'event → report ms',
  'no events ms',
];
const WAY_HEADINGS = [
  'way',
  'seconds',
  'CPU s',
  'requests',
  'a change',
  'MB sent',
  'as long',
  'of a crawl',
  'its bytes',
];

export function textReport(results: WatcherResults): string {
  const rows = compareWays(results.runs);
  return [...tables(results, rows, alignedRows), notes(results, rows).join('\n')].join('\n\n');
}

/** Returns the path without the file extension. */
export async function writeWatcherResults(folder: string, results: WatcherResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'watcher');
  const rows = compareWays(results.runs);
  await writeFile(`${path}.json`, `${JSON.stringify({ ...results, rows }, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results, rows));
  return path;
}

function markdown(results: WatcherResults, rows: readonly WayRow[]): string {
  const { options, machine, server, node } = results;
  const list = notes(results, rows).map((note) => `- ${note}\n`);
  return `# watcher

What a watcher costs the machine of its site, and what it costs to bring a copy of ${options.pages.toLocaleString('en')} pages up to date, of which ${options.share} of a
hundred changed; medians of ${options.repeat} round(s), seed ${options.seed}. Memory is that beyond a Node ${node} that does nothing, at that share and with sweeps at full speed, without a pause; the share of the CPU is that of one core
over ${options.windowSeconds} s without changes, with \`--every 60s --cpu ${options.cpuShare * 100}%\`. \`as long\`: how many times the time of a refresh with a watcher.

${tables(results, rows, markdownRows).join('\n\n')}

${list.join('')}- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
- server: ${server}, on the same machine
`;
}

function tables({ costs }: WatcherResults, rows: readonly WayRow[], layOut: Rows): string[] {
  const distances = [...new Set(rows.map(({ answerAfterMs }) => answerAfterMs))];
  return [
    ...(costs.length > 0 ? [layOut(COST_HEADINGS, costs.map(costCells))] : []),
    ...distances.map((ms) => {
      const chosen = rows.filter(({ answerAfterMs }) => answerAfterMs === ms);
      return `The site answers ${ms === 0 ? 'at once' : `after ${ms} ms`}.\n\n${layOut(WAY_HEADINGS, chosen.map(wayCells))}`;
    }),
  ];
}

function costCells(cost: Cost): string[] {
  const delay = (ms: number | null) => (ms === null ? 'none in time' : ms.toFixed(0));
  return [
    cost.files.toLocaleString('en'),
    cost.slowBeyondMb.toFixed(1),
    cost.beyondMb.toFixed(1),
    cost.anonymousBeyondMb.toFixed(1),
    cost.peakBeyondMb.toFixed(1),
    cost.firstSweepSeconds.toFixed(1),
    cost.firstSweepCpuSeconds.toFixed(1),
    cost.sweepSeconds.toFixed(2),
    cost.sweepCpuSeconds.toFixed(2),
    `${(cost.cpuShare * 100).toFixed(2)} %`,
    delay(cost.eventDelayMs),
    delay(cost.sweepDelayMs),
  ];
}

function wayCells(row: WayRow): string[] {
  return [
    row.way.title,
    figure(row.wallSeconds, 2),
    figure(row.cpuSeconds, 2),
    figure(row.requests, 0),
    figure(row.requestsAChange, 2),
    figure(row.sentMb, 2),
    ratio(row.timesAsLong),
    ratio(row.timeOfCrawl),
    ratio(row.bytesOfCrawl),
  ];
}

function notes(results: WatcherResults, rows: readonly WayRow[]): string[] {
  const { bundle, costs, runs } = results;
  const complaints = complaintsOf(costs, rows);
  const good = runs.filter(({ contender, failure }) => contender === 'refresh' && failure === undefined);
  const checked = `in ${good.length} runs of orbweaver refresh the copy was the site afterwards, page by page, and every change was told and nothing else`;
  return [
    `to upload: one file of ${(bundle.bytes / 1000).toFixed(0)} kB, ${(bundle.gzipBytes / 1000).toFixed(0)} kB gzipped`,
    complaints.length === 0 ? 'all there is to reach is reached' : `NOT reached: ${complaints.join('; ')}`,
    ...(good.length > 0 ? [checked] : []),
    ...runs
      .filter(({ failure }) => failure !== undefined)
      .map(
        (run) => `${run.contender}, ${run.variant}, after ${run.answerAfterMs} ms, round ${run.round}: ${run.failure}`,
      ),
  ];
}
