/** Writes the figures of near duplicates on real sites, as JSON and as tables in Markdown. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownRows } from '../report/tables.ts';
import { ALIKE, CLEARLY_RIGHT, type MarkCounts, type NearDuplicateFigures, REASONS, RIGHT } from './measure.ts';

/** The aims for all sites together: right marks of all marks, and marked pages of those that should be marked. */
const LEAST_PRECISION = 0.99;
const LEAST_RECALL = 0.95;
/** Pairs of each kind that are listed for each site. The JSON has all of them. */
const LISTED = 5;

export function reachesAims(figures: readonly NearDuplicateFigures[]): boolean {
  const { marks, right, alike, found } = totalOf(figures);
  return right >= LEAST_PRECISION * marks && found >= LEAST_RECALL * alike;
}

function totalOf(counts: readonly MarkCounts[]): MarkCounts {
  const sum = (name: keyof MarkCounts) => counts.reduce((total, each) => total + each[name], 0);
  return {
    marks: sum('marks'),
    right: sum('right'),
    clearlyRight: sum('clearlyRight'),
    alike: sum('alike'),
    found: sum('found'),
  };
}

export function markRows(figures: readonly NearDuplicateFigures[]): string {
  const sum = (name: 'pages' | 'exactDuplicates') => count(figures.reduce((total, each) => total + each[name], 0));
  return markdownRows(
    ['site', 'pages', 'exact duplicates', ...COUNT_HEADINGS],
    [
      ...figures.map((each) => [each.site, count(each.pages), count(each.exactDuplicates), ...countCells(each)]),
      ['together', sum('pages'), sum('exactDuplicates'), ...totalCells(figures)],
    ],
  );
}

function lastTemplateRows(figures: readonly NearDuplicateFigures[]): string {
  return markdownRows(
    ['site', ...COUNT_HEADINGS],
    [
      ...figures.map(({ site, withLastTemplate }) => [site, ...countCells(withLastTemplate)]),
      ['together', ...totalCells(figures.map(({ withLastTemplate }) => withLastTemplate))],
    ],
  );
}

const COUNT_HEADINGS = ['marks', `J ≥ ${RIGHT}`, `J ≥ ${CLEARLY_RIGHT}`, `found of those with J ≥ ${ALIKE}`];

function countCells({ marks, right, clearlyRight, alike, found }: MarkCounts): string[] {
  return [count(marks), count(right), count(clearlyRight), `${count(found)} of ${count(alike)}`];
}

/** The sums of all sites, with their shares. */
function totalCells(counts: readonly MarkCounts[]): string[] {
  const total = totalOf(counts);
  const { marks, right, clearlyRight, alike, found } = total;
  const shares = [[right, marks] as const, [clearlyRight, marks] as const, [found, alike] as const].map(
    ([part, all]) => (all === 0 ? '' : ` (${(part / all).toFixed(3)})`),
  );
  return countCells(total).map((cell, i) => cell + (shares[i - 1] ?? ''));
}

function reasonRows(figures: readonly NearDuplicateFigures[]): string {
  return markdownRows(
    ['site', ...REASONS],
    figures.map(({ site, missed }) => [
      site,
      ...REASONS.map((reason) => count(missed.filter((each) => each.reason === reason).length)),
    ]),
  );
}

export async function writeNearDuplicateSites(
  folder: string,
  figures: readonly NearDuplicateFigures[],
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'near-duplicate-sites');
  await writeFile(`${path}.json`, `${JSON.stringify(figures, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(figures));
  return path;
}

function markdown(figures: readonly NearDuplicateFigures[]): string {
  return `# near duplicates on real sites

All pages of documentation sites in random order. Each page is sketched with the template as it is known then, and marked by the rule of
the store. The marks are checked with a full comparison: the own content of every page by the template at the end, as the set of its runs
of three words. J is the share of common runs (Jaccard). A mark is right if J is at least ${RIGHT}. A page should be marked if J with some
earlier page is at least ${ALIKE}. Exact duplicates teach the template, and are left out of everything else.

${markRows(figures)}

Why pages with J ≥ ${ALIKE} are not marked, by the first reason that holds: one of the two has too little text (fewer than four fingerprints);
only pages that are near duplicates themselves are alike, and no leader; J of the words that were sketched is below ${ALIKE}, because the
template was another one then; the estimate by the sketches is too low.

${reasonRows(figures)}

The marks if every page were sketched with the template at the end. A crawl cannot do this, because it does not know that template yet:

${lastTemplateRows(figures)}

The first ${LISTED} wrong marks and missed pages of each site, with J at the end and J of the words that were sketched:

${pairLines(figures).join('\n')}

- nothing of this depends on the machine: the same files give the same figures
`;
}

function pairLines(figures: readonly NearDuplicateFigures[]): string[] {
  return figures.flatMap(({ site, wrongMarks, missed }) =>
    [...wrongMarks.slice(0, LISTED), ...missed.slice(0, LISTED)].map((pair) => {
      const kind = 'reason' in pair ? `missed, ${pair.reason}` : 'wrong mark';
      const shares = `J = ${pair.atEnd.toFixed(2)} and ${pair.whenSketched.toFixed(2)}`;
      return `- ${site}, ${kind}: ${pair.page} and ${pair.other}, ${shares}`;
    }),
  );
}

function count(value: number): string {
  return value.toLocaleString('en');
}
