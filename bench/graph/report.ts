/** Turns figures into tables for the terminal and for Markdown, and writes the result files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { spreadOf } from '../report/summary.ts';
import { alignedRows, figure, markdownRows, ratio } from '../report/tables.ts';
import { GROWTH, type Ranking, type Timing, TOP_PAGES } from './measure.ts';
import type { GraphOptions } from './options.ts';

export interface GraphResults {
  readonly options: GraphOptions;
  readonly machine: Machine;
  readonly links: number;
  readonly inDegreeExponent: number;
  readonly outDegreeExponent: number;
  readonly graphBytes: number;
  readonly bytesPerUrl: number;
  readonly timings: readonly Timing[];
  readonly ranking: Ranking;
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

/** The promise of the project for a million pages and twenty million links. */
export const MOST_BYTES_PER_LINK = 4;
export const BYTES_PER_URL_BELOW = 16;
export const MOST_DIFFERENCE = 1e-6;

export function isGood({ graphBytes, links, bytesPerUrl, ranking }: GraphResults): boolean {
  return (
    graphBytes / links <= MOST_BYTES_PER_LINK &&
    bytesPerUrl < BYTES_PER_URL_BELOW &&
    ranking.largestDifference <= MOST_DIFFERENCE
  );
}

export function textReport(results: GraphResults): string {
  return [figures(results, alignedRows), convergence(results, alignedRows)].join('\n\n');
}

export async function writeGraphResults(folder: string, results: GraphResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'graph');
  await writeFile(`${path}.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  return path;
}

function markdown(results: GraphResults): string {
  const { options, machine } = results;
  return `# graph

The link graph of a model web of ${count(options.pages)} pages and ${count(results.links)} links (in-degree exponent
${results.inDegreeExponent.toFixed(2)}, out-degree exponent ${results.outDegreeExponent.toFixed(2)}), seed ${options.seed}, pages numbered in
the order of discovery; times are medians of ${options.repeat} round(s). The plain computation has all links in memory and doubles
throughout.

${figures(results, markdownRows)}

Iterations until all ranks together change by less than the tolerance: begun evenly, and with the ranks of the time when
there were ${Math.round((1 - 1 / GROWTH) * 100)} % fewer pages (growth by ${Math.round((GROWTH - 1) * 100)} %).

${convergence(results, markdownRows)}

- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
`;
}

function figures({ graphBytes, links, bytesPerUrl, timings, ranking }: GraphResults, rows: Rows): string {
  const spread = (value: (timing: Timing) => number) => spreadOf(timings.map(value));
  return rows(
    ['figure', 'value', 'promised'],
    [
      ['bytes a link', (graphBytes / links).toFixed(2), `at most ${MOST_BYTES_PER_LINK}`],
      ['bytes a URL beside the graph', bytesPerUrl.toFixed(3), `below ${BYTES_PER_URL_BELOW}`],
      [`largest relative difference of the top ${TOP_PAGES}`, difference(ranking), `at most ${MOST_DIFFERENCE}`],
      ['iterations', String(ranking.iterations), '–'],
      [
        'seconds an iteration',
        figure(
          spread((each) => each.secondsPerIteration),
          2,
        ),
        '–',
      ],
      [
        'CPU seconds an iteration',
        figure(
          spread((each) => each.cpuSecondsPerIteration),
          2,
        ),
        '–',
      ],
      [
        'CPU time to that of the plain computation',
        ratio(spread((each) => each.cpuSecondsPerIteration / each.referenceCpuSecondsPerIteration)),
        '–',
      ],
    ],
  );
}

function convergence({ ranking }: GraphResults, rows: Rows): string {
  return rows(
    ['tolerance', 'iterations', 'with earlier ranks', 'saved'],
    ranking.convergence.map(({ tolerance, coldIterations, warmIterations }) => [
      tolerance.toExponential(),
      String(coldIterations),
      String(warmIterations),
      `${Math.round((1 - warmIterations / coldIterations) * 100)} %`,
    ]),
  );
}

function difference({ largestDifference }: Ranking): string {
  return largestDifference.toExponential(1);
}

function count(number: number): string {
  return number.toLocaleString('en');
}
