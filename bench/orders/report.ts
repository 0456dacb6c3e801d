/**
 * Reports the results of the orders: the share of the oracle's PageRank at each tenth, for the
 * terminal and for bench/results.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import { COMPARED, ORACLE, type OrderRun, OURS, TENTHS, WEBS, type WebName } from './compare.ts';
import { drawCurve } from './curve.ts';

export interface OrderResults {
  readonly pages: number;
  readonly seeds: readonly number[];
  readonly machine: Machine;
  readonly runs: readonly OrderRun[];
}

const LEAST_OF_ORACLE = 0.9;
/** The web on which the aim for PageRank must be reached: a web with a power law and nothing else. */
const JUDGED: WebName = 'preferential';

/**
 * Whether best-first has enough PageRank and more than the others, at each tenth of each seed. The last tenth is
 * excluded, because there every order has all pages.
 */
export function isReached({ runs }: OrderResults): boolean {
  return runs
    .filter(({ web, order }) => web === JUDGED && order === OURS)
    .every((ours) => {
      const others = runs.filter(({ web, seed, order }) => web === JUDGED && seed === ours.seed && order !== OURS);
      const oracle = others.find(({ order }) => order === ORACLE)!;
      const rivals = others.filter(({ order }) => order !== ORACLE);
      return ours.mass
        .slice(0, -1)
        .every((mass, i) => mass >= LEAST_OF_ORACLE * oracle.mass[i]! && rivals.every((run) => mass > run.mass[i]!));
    });
}

function rowsOf(results: OrderResults, web: WebName): string[][] {
  const runs = results.runs.filter((run) => run.web === web);
  return COMPARED.map((order) => {
    const cells = Array.from({ length: TENTHS }, (_, i) => {
      const shares = results.seeds.map((seed) => {
        const at = (name: string) => runs.find((run) => run.seed === seed && run.order === name)!.mass[i]!;
        return at(order) / at(ORACLE);
      });
      return Math.min(...shares).toFixed(3);
    });
    return [order, ...cells];
  });
}

export function orderTable(results: OrderResults, web: WebName): string {
  const head = ['order', ...Array.from({ length: TENTHS }, (_, i) => String(i + 1))];
  const lines = [head, head.map(() => '---'), ...rowsOf(results, web)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export async function writeOrderResults(
  folder: string,
  docsFolder: string | null,
  results: OrderResults,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'orders');
  await writeFile(`${path}.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results));
  if (docsFolder) await drawCurves(docsFolder, results);
  return path;
}

export async function drawCurves(folder: string, { runs, pages }: OrderResults): Promise<void> {
  for (const web of Object.keys(WEBS) as WebName[]) {
    await writeFile(join(folder, `orders-${web}.svg`), drawCurve(runs, web, pages));
  }
}

function markdown(results: OrderResults): string {
  const { pages, seeds, machine } = results;
  const tables = (Object.keys(WEBS) as WebName[]).map((web) => `## ${web}\n\n${orderTable(results, web)}\n`);
  return `# orders

PageRank held at each tenth of a crawl of ${pages.toLocaleString('en')} pages, as a share of what an oracle holds that orders its frontier
by the true ranks: the least of ${seeds.length} seeds. The store, the orders and PageRank are the real ones; only the network is left out.

${tables.join('\n')}
- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
`;
}
