/**
 * The benchmark of the schedule: how fresh it keeps a copy of a changing web when the budget is too
 * small for all pages.
 *
 * In: flags. Out: tables on stdout, progress on stderr, bench/results/freshness.json and .md, freshness-habits.json and
 * .md, and the pictures in docs.
 * A partial run writes to bench/work/results instead, and draws nothing. What always holds: the schedule and its
 * policies are the real ones, the webs are seeded, the clock is simulated, and no time is measured. The exit code is 1
 * when the required share of the optimum is missed.
 */
import { join } from 'node:path';
import {
  type Bounds,
  boundsOf,
  cells,
  contendersOf,
  FLOOR_CELLS,
  type FreshnessRun,
  runContender,
  runFloors,
} from './freshness/compare.ts';
import { IMPORTANCES } from './freshness/evolving-web.ts';
import { benchHabits } from './freshness/habits-report.ts';
import { type FreshnessResults, freshnessTable, missedBy, writeFreshnessResults } from './freshness/report.ts';
import { BadOption, readFlags, wholeNumber } from './options.ts';
import { describeMachine } from './report/machine.ts';

const PAGES = '500';
const SEEDS = '1,2,3';
const ROUNDS = '50';
const WARM_UP_LOOKS = 20;
const COUNTED_LOOKS = 30;

const FRESHNESS_HELP = `npm run bench -- freshness [flags]

  --pages <n>          pages of the webs (default ${PAGES})
  --seeds <n,n>        of the webs (default ${SEEDS})
  --rounds <n>         plans a look, on average; more with budgets below a half (default ${ROUNDS})
  --rows <name>        habits: only the rows of pages with habits, three minutes; rates: only the others
  --quick              200 pages, one seed
`;

export async function benchFreshness(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['pages', 'seeds', 'rounds', 'rows'] as const);
  if (values.help) {
    process.stdout.write(FRESHNESS_HELP);
    return 0;
  }
  const pages = wholeNumber('pages', values.pages ?? (values.quick ? '200' : PAGES));
  const seeds = (values.seeds ?? (values.quick ? '1' : SEEDS)).split(',').map((text) => wholeNumber('seeds', text));
  const roundsALook = wholeNumber('rounds', values.rounds ?? ROUNDS);
  const partial = [values.quick, values.pages, values.seeds, values.rounds].some((value) => value !== undefined);
  const { rows } = values;
  if (rows !== undefined && rows !== 'habits' && rows !== 'rates')
    throw new BadOption(`--rows: "${rows}" is neither habits nor rates`);
  const folder = partial ? join(workFolder, 'results') : resultsFolder;
  if (rows !== 'rates') process.stdout.write(`${await benchHabits(seeds, folder, report)}\n`);
  if (rows === 'habits') return 0;
  const size = { pages, warmUpLooks: WARM_UP_LOOKS, countedLooks: COUNTED_LOOKS, roundsALook };
  const bounds: Bounds[] = [];
  const runs: FreshnessRun[] = [];
  for (const cell of cells()) {
    for (const seed of seeds) {
      // A plan visits a page at most once. With a small budget visits are rarer, but plans must not be rarer: otherwise
      // the most important page waits for the next plan for longer than it may.
      const sizeOfCell = { ...size, roundsALook: Math.ceil(roundsALook / Math.min(1, 2 * cell.budget)) };
      const limits = boundsOf(cell, sizeOfCell, seed);
      bounds.push(limits);
      const made = contendersOf(cell).map((contender) => runContender(contender, limits, sizeOfCell));
      runs.push(...made);
      const shares = made.map(({ contender, share }) => `${contender} ${share.toFixed(3)}`);
      report(`σ ${cell.sigma} ${cell.importance} ${cell.budget}, seed ${seed}: ${shares.join(', ')}`);
    }
  }
  const floors = FLOOR_CELLS.flatMap((cell) => runFloors(cell, size, seeds[0]!));
  const results: FreshnessResults = { size, seeds, machine: describeMachine(new Date()), bounds, runs, floors };
  const docsFolder = partial ? null : join(resultsFolder, '..', '..', 'docs');
  const written = await writeFreshnessResults(folder, docsFolder, results);
  for (const importance of IMPORTANCES)
    process.stdout.write(`\n${importance}\n${freshnessTable(results, importance)}\n`);
  const missed = missedBy(results);
  for (const each of missed) report(`missed: ${each}`);
  report(`written: ${written}.md and .json`);
  return missed.length === 0 ? 0 : 1;
}
