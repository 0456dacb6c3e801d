/**
 * Writes the results of a scenario: JSON with every run for programs, Markdown for people. Returns the path
 * without the file extension.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunResult } from '../measure/run-crawler.ts';
import type { Scenario } from '../options.ts';
import type { Machine } from './machine.ts';
import type { CrawlerSummary } from './summary.ts';
import { markdownTable } from './tables.ts';

export interface ScenarioResults {
  readonly scenario: Scenario;
  readonly rounds: number;
  readonly seed: number;
  readonly machine: Machine;
  readonly server: string;
  readonly summaries: readonly CrawlerSummary[];
  readonly runs: readonly RunResult[];
}

export async function writeResults(folder: string, results: ScenarioResults): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, results.scenario.name);
  await writeFile(`${path}.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  return path;
}

function markdown({ scenario, rounds, seed, machine, server, summaries }: ScenarioResults): string {
  return `# ${scenario.name}

${scenario.pages.toLocaleString('en')} pages over ${scenario.hosts} host(s), seed ${seed}; medians of ${rounds} round(s).
\`speed\`, \`CPU\` and \`memory\` are Orbweaver's advantage over that crawler (median and range over the rounds): 2× means
twice the pages a second, half the CPU time a page, half the memory.

${markdownTable(summaries)}

- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
- server: ${server}, on the same machine
`;
}
