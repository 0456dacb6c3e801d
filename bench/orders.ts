/**
 * The benchmark of the orders: which order fetches the important pages first.
 *
 * In: flags. Out: tables on stdout, progress on stderr, bench/results/orders.json and .md (orders-sites for real
 * sites), and the curves in docs. A partial run writes to bench/work/results instead, and draws nothing. The exit code
 * is 1 when best-first misses its aim.
 */
import { join } from 'node:path';
import { readFlags, wholeNumber } from './options.ts';
import { compareOrders, ORACLE, type OrderRun, WEBS, type WebName } from './orders/compare.ts';
import { isReached, type OrderResults, orderTable, writeOrderResults } from './orders/report.ts';
import { crawlSite, isReachedOn, type SiteRuns, siteTable, writeSiteResults } from './orders/sites.ts';
import { describeMachine } from './report/machine.ts';
import { readSites, SITES_HINT } from './site/read-site.ts';

const PAGES = '100000';
const SEEDS = '1,2,3,4,5';

const ORDERS_HELP = `npm run bench -- orders [flags]

  --pages <n>          pages of the webs (default ${PAGES})
  --seeds <n,n>        of the webs (default ${SEEDS})
  --quick              10,000 pages, one seed
  --sites ${SITES_HINT}
                       real sites instead of the model webs: a name and the file of the start page of each
`;

export async function benchOrders(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['pages', 'seeds', 'sites'] as const);
  if (values.help) {
    process.stdout.write(ORDERS_HELP);
    return 0;
  }
  if (values.sites !== undefined) return benchSites(values.sites, resultsFolder, report);
  const pages = wholeNumber('pages', values.pages ?? (values.quick ? '10000' : PAGES));
  const seeds = (values.seeds ?? (values.quick ? '1' : SEEDS)).split(',').map((text) => wholeNumber('seeds', text));
  const partial = [values.quick, values.pages, values.seeds].some((value) => value !== undefined);
  const webs = Object.keys(WEBS) as WebName[];
  const runs: OrderRun[] = [];
  for (const web of webs) {
    for (const seed of seeds) {
      for await (const run of compareOrders(web, pages, seed)) {
        runs.push(run);
        report(`${web} ${seed} ${progressLine(run, runs)}`);
      }
    }
  }
  const results: OrderResults = { pages, seeds, machine: describeMachine(new Date()), runs };
  const docsFolder = partial ? null : join(resultsFolder, '..', '..', 'docs');
  const written = await writeOrderResults(partial ? join(workFolder, 'results') : resultsFolder, docsFolder, results);
  for (const web of webs) process.stdout.write(`\n${web}\n${orderTable(results, web)}\n`);
  report(`written: ${written}.md and .json`);
  return isReached(results) ? 0 : 1;
}

async function benchSites(text: string, resultsFolder: string, report: (text: string) => void): Promise<number> {
  const sites: SiteRuns[] = [];
  for (const site of readSites(text, false)) sites.push(await crawlSite(site, report));
  const results = { machine: describeMachine(new Date()), sites };
  const written = await writeSiteResults(resultsFolder, results);
  for (const site of sites) process.stdout.write(`\n${site.site}\n${siteTable(site)}\n`);
  report(`written: ${written}.md and .json`);
  return isReachedOn(results) ? 0 : 1;
}

function progressLine(run: OrderRun, runs: readonly OrderRun[]): string {
  const oracle = runs.findLast(({ order }) => order === ORACLE)!;
  const shares = run.mass.map((mass, i) => (mass / oracle.mass[i]!).toFixed(3));
  return `${run.order}: ${shares.join(' ')}, ${run.seconds.toFixed(1)} s`;
}
