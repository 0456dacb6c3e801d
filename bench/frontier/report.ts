/**
 * Turns runs into tables with one row per number of known URLs. A ratio compares a run with the smallest number in the
 * same round; the median is taken over these ratios. 0.9× the speed means nine tenths of the pages per second. Failed
 * runs are excluded from the figures, and the report names them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { type Spread, spreadOf } from '../report/summary.ts';
import { alignedRows, figure, markdownRows, ratio } from '../report/tables.ts';
import type { FilledFolder } from './fill.ts';
import type { FrontierOptions } from './options.ts';
import type { FrontierRun } from './run-crawl.ts';
import type { ReopenRun } from './run-reopen.ts';

export interface FrontierResults {
  readonly options: FrontierOptions;
  readonly machine: Machine;
  readonly server: string;
  readonly folders: readonly FilledFolder[];
  readonly crawls: readonly FrontierRun[];
  readonly reopenings: readonly ReopenRun[];
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const CRAWL_HEADINGS = ['links', 'known URLs', 'pages/s', 'CPU ms/page', 'peak MB', 'speed', 'CPU', 'memory'];
const REOPEN_HEADINGS = [
  'known URLs',
  'database MB',
  'opened, ms',
  'first URLs, ms',
  'log left, MB',
  'opened after a kill, ms',
  'first URLs after a kill, ms',
  'from process start, ms',
];

export function textReport(results: FrontierResults): string {
  return tables(results, alignedRows).join('\n\n');
}

export async function writeFrontierResults(folder: string, results: FrontierResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'frontier');
  const folders = results.folders.map(({ known, databaseMb, fillSeconds }) => ({ known, databaseMb, fillSeconds }));
  await writeFile(`${path}.json`, `${JSON.stringify({ ...results, folders }, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  return path;
}

function markdown(results: FrontierResults): string {
  const { options, machine, server } = results;
  const [crawls, reopenings, notes] = tables(results, markdownRows);
  return `# frontier

Each crawl fetches ${options.pages.toLocaleString('en')} pages over 20 hosts in a folder that already knows so many URLs;
medians of ${options.repeat} round(s), seed ${options.seed}. \`speed\`, \`CPU\` and \`memory\` are the ratio to the row with
the fewest known URLs and the same links, in the same round (median and range).

${crawls}

Opening the folder to go on, in a new process: until it is open, and until the first URLs are there.

${reopenings}

${notes ?? ''}- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
- server: ${server}, on the same machine
`;
}

function tables({ options, folders, crawls, reopenings }: FrontierResults, rows: Rows): string[] {
  const crawlRows = options.links.flatMap((links) =>
    options.known.map((known) => {
      const ofSeries = crawls.filter((run) => run.links === links && run.failure === undefined);
      return [links, known.toLocaleString('en'), ...crawlCells(ofSeries, known, options.known[0]!)];
    }),
  );
  const reopenRows = folders.map(({ known, databaseMb }) => {
    const runs = reopenings.filter((run) => run.known === known);
    const cell = (value: (run: ReopenRun) => number) => figure(spreadOf(runs.map(value)), 0);
    return [
      known.toLocaleString('en'),
      databaseMb.toFixed(0),
      cell((run) => run.closed.openMs),
      cell((run) => run.closed.firstUrlsMs),
      cell((run) => run.logMb),
      cell((run) => run.killed.openMs),
      cell((run) => run.killed.firstUrlsMs),
      cell((run) => run.killed.processMs),
    ];
  });
  const failed = crawls.filter((run) => run.failure !== undefined);
  const notes = failed.map((run) => `- ${run.links}, ${run.known} known, round ${run.round}: ${run.failure}\n`);
  return [
    rows(CRAWL_HEADINGS, crawlRows),
    rows(REOPEN_HEADINGS, reopenRows),
    ...(notes.length > 0 ? [notes.join('')] : []),
  ];
}

function crawlCells(runs: readonly FrontierRun[], known: number, fewest: number): string[] {
  const own = runs.filter((run) => run.known === known);
  const spread = (value: (run: FrontierRun) => number): Spread | undefined => spreadOf(own.map(value));
  const toFewest = (value: (run: FrontierRun) => number): Spread | undefined =>
    known === fewest
      ? undefined
      : spreadOf(
          own.flatMap((run) => {
            const base = runs.find((other) => other.known === fewest && other.round === run.round);
            return base === undefined ? [] : [value(run) / value(base)];
          }),
        );
  return [
    figure(
      spread((run) => run.pagesPerSecond),
      0,
    ),
    figure(
      spread((run) => run.cpuMsPerPage),
      2,
    ),
    figure(
      spread((run) => run.peakRssMb),
      0,
    ),
    ratio(toFewest((run) => run.pagesPerSecond)),
    ratio(toFewest((run) => run.cpuMsPerPage)),
    ratio(toFewest((run) => run.peakRssMb)),
  ];
}
