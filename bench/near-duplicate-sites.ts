/**
 * The benchmark of near duplicates: how many marks on the pages of real sites are right, and how many similar pages are
 * marked.
 *
 * In: flags. Out: a table on stdout, progress on stderr, and bench/results/near-duplicate-sites.json and .md. A partial
 * run writes to bench/work/results instead. What always holds: page stage, template, sketch and rule are the crawler's
 * own code; only the network and the store are left out. Each page is compared with all leaders, without the index of
 * the store. The exit code is 1 when precision or recall stays below the aim.
 */
import { join } from 'node:path';
import { measureMarks, type NearDuplicateFigures } from './near-duplicate-sites/measure.ts';
import { readPages } from './near-duplicate-sites/read-pages.ts';
import { markRows, reachesAims, writeNearDuplicateSites } from './near-duplicate-sites/report.ts';
import { BadOption, readFlags, wholeNumber } from './options.ts';
import { TEMPLATE_SITES } from './template-sites/sites.ts';

const USUAL_SITES = ['cppreference', 'Debian handbook', 'SQLite', 'PostgreSQL', 'Python'];
const QUICK_SITES = ['SQLite', 'Python'];
const USUAL_SEED = '1';

const HELP = `npm run bench -- near-duplicate-sites [flags]

  --only <a,b>         of ${TEMPLATE_SITES.map(({ name }) => name).join(', ')}
                       (default ${USUAL_SITES.join(', ')})
  --seed <n>           the order of the pages (default ${USUAL_SEED})
  --quick              ${QUICK_SITES.join(' and ')}

The sites are documentation packages of Debian. They are downloaded with apt-get and unpacked into bench/work.
`;

export async function benchNearDuplicateSites(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['only', 'seed']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const only = values.only?.split(',') ?? (values.quick ? QUICK_SITES : USUAL_SITES);
  const seed = wholeNumber('seed', values.seed ?? USUAL_SEED);
  const figures: NearDuplicateFigures[] = [];
  for (const name of only) {
    const site = TEMPLATE_SITES.find((each) => each.name === name);
    if (site === undefined) throw new BadOption(`--only: there is no site "${name}"`);
    const measured = measureMarks(name, await readPages(site, workFolder, seed));
    figures.push(measured);
    report(`${name}: ${measured.right} of ${measured.marks} marks are right`);
  }
  const isPartial = [values.only, values.seed, values.quick].some((value) => value !== undefined);
  const written = await writeNearDuplicateSites(isPartial ? join(workFolder, 'results') : resultsFolder, figures);
  process.stdout.write(`\n${markRows(figures)}\n`);
  report(`written: ${written}.md and .json`);
  return reachesAims(figures) ? 0 : 1;
}
