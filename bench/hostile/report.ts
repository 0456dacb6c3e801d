/**
 * Turns runs into tables: one row per case, then the cost of the bad hosts for the healthy host. Failed runs are
 * excluded from the figures, and the report names them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { spreadOf } from '../report/summary.ts';
import { alignedRows, figure, markdownRows, ratio } from '../report/tables.ts';
import { compareRounds, type RoundComparison, spreadOver } from './compare.ts';
import type { HostileOptions } from './options.ts';
import { CASES, type Case, type HostileRun, MEMORY_LIMIT_MB, SHORT_TIMES } from './run-crawl.ts';

export interface HostileResults {
  readonly options: HostileOptions;
  readonly machine: Machine;
  readonly server: string;
  readonly runs: readonly HostileRun[];
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const CASE_NAMES: Readonly<Record<Case, string>> = {
  healthy: 'healthy alone',
  both: 'healthy and hostile',
  hostile: 'hostile alone',
  start: 'one page',
};

const HEADINGS = [
  'crawl',
  'healthy pages',
  'pages/s',
  'seconds',
  'crawler CPU s',
  'bad servers CPU s',
  'peak MB',
  'bad URLs',
  'unexpected',
];

export function textReport({ machine, runs }: HostileResults): string {
  const lines = costLines(compareRounds(runs, machine.cores), machine.cores);
  return [caseTable(runs, alignedRows), [...lines, ...notes(runs)].join('\n')].join('\n\n');
}

export async function writeHostileResults(folder: string, results: HostileResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'hostile');
  const rounds = compareRounds(results.runs, results.machine.cores);
  const whole = { ...results, flags: SHORT_TIMES, memoryLimitMb: MEMORY_LIMIT_MB, rounds };
  await writeFile(`${path}.json`, `${JSON.stringify(whole, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results, rounds));
  return path;
}

function markdown({ options, machine, server, runs }: HostileResults, rounds: readonly RoundComparison[]): string {
  const list = [...costLines(rounds, machine.cores), ...notes(runs)].map((line) => `- ${line}\n`).join('');
  return `# hostile

A healthy host of ${options.pages.toLocaleString('en')} pages beside hosts that do everything wrong, ${options.copies} with each bad
behaviour; medians of ${options.repeat} round(s), seed ${options.seed}. \`seconds\` are those between the first and the last answer of the
healthy host. All crawls have the flags \`${SHORT_TIMES.join(' ')}\`.

${caseTable(runs, markdownRows)}

${list}- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
- server of the healthy host: ${server}; of the bad ones: node:http ${machine.node}; both on the same machine
`;
}

function caseTable(runs: readonly HostileRun[], rows: Rows): string {
  const cells = CASES.map((which) => {
    const good = runs.filter((run) => run.case === which && run.failure === undefined);
    const cell = (value: (run: HostileRun) => number, digits: number) => figure(spreadOf(good.map(value)), digits);
    const hasHost = which === 'healthy' || which === 'both';
    const hasBad = which === 'hostile' || which === 'both';
    return [
      CASE_NAMES[which],
      cell((run) => run.healthyPages, 0),
      hasHost ? cell((run) => run.pagesPerSecond, 0) : '–',
      hasHost ? cell((run) => run.healthySeconds, 2) : '–',
      cell((run) => run.crawlerCpuSeconds, 2),
      hasBad ? cell((run) => run.badServerCpuSeconds, 2) : '–',
      cell((run) => run.peakRssMb, 0),
      hasBad ? cell((run) => run.badUrls, 0) : '–',
      hasBad ? cell((run) => run.unexpected.length, 0) : '–',
    ];
  });
  return rows(HEADINGS, cells);
}

function costLines(rounds: readonly RoundComparison[], cores: number): string[] {
  const spread = (value: (round: RoundComparison) => number) => spreadOver(rounds, value);
  const seconds = (value: (round: RoundComparison) => number) => `${figure(spread(value), 2)} s`;
  return [
    `speed of the healthy host beside the bad ones: ${ratio(spread((round) => round.speedRatio))} of its speed alone` +
      `, counted from the start of the process ${ratio(spread((round) => round.untilLastRatio))}` +
      `, of the later half of its pages ${ratio(spread((round) => round.laterHalfRatio))}`,
    `the bad pages and their servers took ${seconds((round) => round.badCpuSeconds)} of CPU time, which on ${cores} busy cores explains` +
      ` ${seconds((round) => round.badCpuSeconds / cores)} of the ${seconds((round) => round.slowdownSeconds)} the healthy host took longer` +
      ` (${ratio(spread((round) => round.expectedRatio))}); in the crawl of both they added ${seconds((round) => round.addedCpuSeconds)}`,
    `corrected for the CPU time of the bad ones alone: ${ratio(spread((round) => round.correctedRatio))}`,
    `memory: ${ratio(spread((round) => round.memoryRatio))} of the healthy crawl's; the limit is ${MEMORY_LIMIT_MB} MB`,
  ];
}

function notes(runs: readonly HostileRun[]): string[] {
  return runs
    .filter(({ failure }) => failure !== undefined)
    .map((run) => `${CASE_NAMES[run.case]}, round ${run.round}: ${[run.failure, ...run.unexpected].join('; ')}`);
}
