/**
 * Reports the results of the schedules: freshness as a share of the optimum, for the terminal and for bench/results.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { markdownRows } from '../report/tables.ts';
import {
  type Bounds,
  type Cell,
  cells,
  contendersOf,
  FLOOR_CELLS,
  FLOORS,
  type FloorRun,
  type FreshnessRun,
  mean,
  type Size,
} from './compare.ts';
import { CONTENDERS, type Contender, KNOWN, OURS, WEIGHING } from './contenders.ts';
import { drawBudgets, drawLearning } from './draw.ts';
import { IMPORTANCES, type Importance } from './evolving-web.ts';

export interface FreshnessResults {
  readonly size: Size;
  readonly seeds: readonly number[];
  readonly machine: Machine;
  readonly bounds: readonly Bounds[];
  readonly runs: readonly FreshnessRun[];
  readonly floors: readonly FloorRun[];
}

const LEAST_KNOWN = 0.995;
const LEAST_AT_BUDGET: Readonly<Record<number, number>> = { 0.2: 0.93, 0.5: 0.97, 1: 0.97 };
const RIVALS: readonly Contender[] = ['nutch', 'nutch by weight'];

function isOf<T extends Cell>(cell: Cell): (each: T) => boolean {
  return (each) => each.sigma === cell.sigma && each.importance === cell.importance && each.budget === cell.budget;
}

/** Returns one sentence for each cell below its required value. */
export function missedBy({ runs }: FreshnessResults): string[] {
  return cells().flatMap((cell) => {
    const inCell = runs.filter(isOf(cell));
    const shareOf = (contender: Contender) =>
      mean(inCell.filter((run) => run.contender === contender).map(({ share }) => share));
    const name = `σ ${cell.sigma}, ${cell.importance}, budget ${cell.budget}`;
    const least = LEAST_AT_BUDGET[cell.budget] ?? 0;
    const missed: string[] = [];
    if (shareOf(KNOWN) < LEAST_KNOWN) missed.push(`${name}: ${KNOWN} ${shareOf(KNOWN).toFixed(4)} < ${LEAST_KNOWN}`);
    if (shareOf(OURS) < least) missed.push(`${name}: ${OURS} ${shareOf(OURS).toFixed(3)} < ${least}`);
    for (const rival of RIVALS) {
      if (shareOf(rival) >= shareOf(OURS)) missed.push(`${name}: ${rival} is not behind ${OURS}`);
    }
    return missed;
  });
}

export function freshnessTable({ bounds, runs, seeds }: FreshnessResults, importance: Importance): string {
  const contenders = [...CONTENDERS, ...WEIGHING].filter((each) => contendersOf({ importance }).includes(each));
  const rows = cells()
    .filter((cell) => cell.importance === importance)
    .map((cell) => {
      const ofCell = bounds.filter(isOf(cell));
      const shares = contenders.map((contender) =>
        mean(runs.filter((run) => run.contender === contender && isOf(cell)(run)).map(({ share }) => share)),
      );
      const ours = seeds.map(
        (seed) => runs.filter(isOf(cell)).find((run) => run.seed === seed && run.contender === OURS)!,
      );
      const worst = Math.min(...ours.map(({ share }) => share));
      return [
        `σ ${cell.sigma}, budget ${cell.budget}`,
        mean(ofCell.map(({ best }) => best)).toFixed(3),
        ...shares.map((share, i) => share.toFixed(3) + (contenders[i] === OURS ? ` (${worst.toFixed(3)})` : '')),
        mean(ofCell.map(({ noticed, best }) => noticed / best)).toFixed(2),
      ];
    });
  return markdownRows(['', 'optimum', ...contenders, 'notices'], rows);
}

function floorTable({ floors }: FreshnessResults): string {
  const rows = FLOOR_CELLS.map((cell) => [
    `σ ${cell.sigma}, ${cell.importance}, budget ${cell.budget}`,
    ...FLOORS.map((looks) => floors.filter((run) => isOf(cell)(run) && run.floorLooks === looks)).map((runs) =>
      mean(runs.map(({ share }) => share)).toFixed(3),
    ),
  ]);
  return markdownRows(['', ...FLOORS.map((looks) => `${looks} mean intervals`)], rows);
}

export async function writeFreshnessResults(
  folder: string,
  docsFolder: string | null,
  results: FreshnessResults,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'freshness');
  await writeFile(`${path}.json`, `${JSON.stringify(results)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  if (docsFolder) {
    await writeFile(join(docsFolder, 'freshness.svg'), drawBudgets(results.bounds, results.runs));
    await writeFile(join(docsFolder, 'freshness-learning.svg'), drawLearning(results.runs, results.size));
  }
  return path;
}

function markdown(results: FreshnessResults): string {
  const { size, seeds, machine, runs } = results;
  const tables = IMPORTANCES.map(
    (importance) => `## ${importance} importance\n\n${freshnessTable(results, importance)}\n`,
  );
  const missed = missedBy(results);
  const apart = Math.max(...runs.map(({ share, realShare }) => Math.abs(share - realShare)));
  return `# freshness

Weighted freshness of a copy of ${size.pages.toLocaleString('en')} pages as a share of the optimum with the rates known, means of ${seeds.length} seeds
(in brackets the least of them). Rates are lognormal, independent of the importance; the budget is a share of the changes of all
pages. The first ${size.warmUpLooks} looks a page (on average) are not counted, the next ${size.countedLooks} are. \`optimum\` is the freshness itself;
\`notices\` is what a notice of each change would allow, over the optimum. Freshness is that expected from the times of the
looks; as it happened to be, it differs by at most ${apart.toFixed(3)} of the optimum in a single run.

${tables.join('\n')}
${missed.length === 0 ? 'All that has to be reached is reached.' : missed.map((each) => `- missed: ${each}`).join('\n')}

## What a floor costs

Known rates, with every page looked at after so many mean intervals between looks at the latest:

${floorTable(results)}

- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
`;
}
