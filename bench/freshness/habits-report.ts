/** Reports the freshness of pages with habits, for the terminal and for bench/results. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMachine } from '../report/machine.ts';
import { markdownRows } from '../report/tables.ts';
import { mean } from './compare.ts';
import {
  COUNTED_LOOKS,
  HABIT_CONTENDERS,
  HABIT_ROWS,
  type HabitContender,
  type HabitRun,
  KNOWN_HABITS,
  runHabits,
  WARM_UP_LOOKS,
} from './habits.ts';

/** Runs all rows and writes the results to this folder. Returns the table. */
export async function benchHabits(
  seeds: readonly number[],
  folder: string,
  report: (text: string) => void,
): Promise<string> {
  const runs: HabitRun[] = [];
  for (const row of HABIT_ROWS) {
    for (const contender of HABIT_CONTENDERS) {
      for (const seed of seeds) runs.push(runHabits(row, contender, seed));
    }
    report(`${row.name}: adaptive ${shareOf(runs, row.name, 'adaptive', seeds)}`);
  }
  const table = habitTable(runs, seeds);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'freshness-habits.json'), `${JSON.stringify({ seeds, runs })}\n`);
  await writeFile(join(folder, 'freshness-habits.md'), markdown(table, seeds));
  return table;
}

function habitTable(runs: readonly HabitRun[], seeds: readonly number[]): string {
  const rows = HABIT_ROWS.map(({ name }) => [
    name,
    mean(freshOf(runs, name, KNOWN_HABITS)).toFixed(3),
    ...HABIT_CONTENDERS.slice(1).map((contender) => shareOf(runs, name, contender, seeds)),
  ]);
  return markdownRows(['', ...HABIT_CONTENDERS], rows);
}

function freshOf(runs: readonly HabitRun[], name: string, contender: HabitContender): number[] {
  return runs.filter((run) => run.row === name && run.contender === contender).map(({ fresh }) => fresh);
}

/** The mean share of what the known habits allow, and the least of the seeds. */
function shareOf(runs: readonly HabitRun[], name: string, contender: HabitContender, seeds: readonly number[]): string {
  const known = freshOf(runs, name, KNOWN_HABITS);
  const fresh = freshOf(runs, name, contender);
  const shares = seeds.map((_, i) => fresh[i]! / known[i]!);
  return `${mean(shares).toFixed(3)} (${Math.min(...shares).toFixed(3)})`;
}

function markdown(table: string, seeds: readonly number[]): string {
  const { cpu, cores, memoryGb, system, date } = describeMachine(new Date());
  return `# freshness of pages with habits

Weighted freshness of a copy as a share of the freshness with known habits, means of ${seeds.length} seeds (in brackets the
least of them). The column \`${KNOWN_HABITS}\` is the freshness itself. Budgets are visits per change. The first ${WARM_UP_LOOKS}
visits per page (on average) are not counted, the next ${COUNTED_LOOKS} are. Rates that shift count for ten visits after the shift,
and new pages for their first five visits.

${table}

- machine: ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, ${date} UTC
`;
}
