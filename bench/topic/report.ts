/** Turns crawls into tables: one row per way of crawling, medians over the webs, ratios formed within a web. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { type Spread, spreadOf } from '../report/summary.ts';
import { alignedRows, markdownRows, ratio } from '../report/tables.ts';
import { FIRST_SEED, type TopicOptions } from './options.ts';
import { BREADTH_FIRST, JUDGED_SHARE, SHARES, type WayResult } from './ways.ts';

export interface TopicResults {
  readonly options: TopicOptions;
  readonly machine: Machine;
  /** Share of on-topic pages, one value per web. */
  readonly onTopic: readonly number[];
  readonly runs: readonly WayResult[];
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const JUDGED = SHARES.indexOf(JUDGED_SHARE);
const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

/** On-topic pages of a way divided by the on-topic pages of breadth-first, after the first fifth of the web. */
export function harvestRatio(runs: readonly WayResult[], way: string): Spread | undefined {
  const rates = new Map(runs.filter((run) => run.way === BREADTH_FIRST).map((run) => [run.seed, run.recalls[JUDGED]!]));
  return spreadOf(runs.filter((run) => run.way === way).map((run) => run.recalls[JUDGED]! / rates.get(run.seed)!));
}

/** The same ratio for a crawl that has fetched every on-topic page by then, which is the upper bound. */
export function bestRatio(runs: readonly WayResult[]): Spread | undefined {
  return spreadOf(runs.filter((run) => run.way === BREADTH_FIRST).map((run) => 1 / run.recalls[JUDGED]!));
}

export function textReport({ runs }: TopicResults): string {
  const best = `the best there could be against breadth-first: ${ratio(bestRatio(runs))}`;
  return [harvestTable(runs, alignedRows), best, cutTable(runs, alignedRows)].join('\n\n');
}

export async function writeTopicResults(folder: string, results: TopicResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'topic');
  await writeFile(`${path}.json`, `${JSON.stringify({ shares: SHARES, ...results }, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  return path;
}

function markdown({ options, machine, onTopic, runs }: TopicResults): string {
  const share = spreadOf(onTopic)!;
  return `# topic

A simulated crawl from page 0 of webs of ${options.pages.toLocaleString('en')} pages, seeds ${FIRST_SEED} to ${FIRST_SEED + options.seeds - 1}, of which ${percent(share.min)}–${percent(share.max)} are on topic; medians over
the webs. Harvest is the share of the fetched pages that are on topic, after the first fifth of the web; \`against breadth-first\` is
its ratio on the same web (median and range). Recall is the share of all pages on topic that were fetched, after so much of the web.

${harvestTable(runs, markdownRows)}

Where branches are cut the crawl ends by itself: what it had fetched by then, and found.

${cutTable(runs, markdownRows)}

- the best there could be against breadth-first, every page on topic within the first fifth: ${ratio(bestRatio(runs))}; it is low
  where breadth-first by chance comes to the topic early
- nothing of this depends on the machine: the same seeds give the same figures
- node ${machine.node}, ${machine.date} UTC
`;
}

function harvestTable(runs: readonly WayResult[], rows: Rows): string {
  const headings = ['way', 'harvest', 'against breadth-first', ...SHARES.map((share) => `recall at ${percent(share)}`)];
  return rows(
    headings,
    waysOf(runs, (run) => !run.cut).map((way) => {
      const own = runs.filter((run) => run.way === way);
      return [
        way,
        percent(median(own.map((run) => run.harvests[JUDGED]!))),
        way === BREADTH_FIRST ? '–' : ratio(harvestRatio(runs, way)),
        ...SHARES.map((_, i) => percent(median(own.map((run) => run.recalls[i]!)))),
      ];
    }),
  );
}

function cutTable(runs: readonly WayResult[], rows: Rows): string {
  return rows(
    ['way', 'fetched of the web', 'recall', 'least recall'],
    waysOf(runs, (run) => run.cut).map((way) => {
      const own = runs.filter((run) => run.way === way);
      const recalls = own.map((run) => run.finalRecall);
      return [
        way,
        percent(median(own.map((run) => run.fetchedShare))),
        percent(median(recalls)),
        percent(Math.min(...recalls)),
      ];
    }),
  );
}

function waysOf(runs: readonly WayResult[], wanted: (run: WayResult) => boolean): string[] {
  return [...new Set(runs.filter(wanted).map((run) => run.way))];
}

function median(values: readonly number[]): number {
  return spreadOf(values)!.median;
}
