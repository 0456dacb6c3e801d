/**
 * The benchmark of canonical links: how many right links between versions of real pages are honoured, and how many
 * distinct pages are lost by wrong ones.
 *
 * In: flags. Out: a table on stdout, and bench/results/canonical-sites.json and .md. A partial run writes to
 * bench/work/results instead. What always holds: page stage, template, sketch and rule are the crawler's own code; only
 * the network and the store are left out. The exit code is 1 when a distinct page is lost.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CanonicalFigures, type KindFigures, type LostPage, measureLinks } from './canonical-sites/measure.ts';
import { readFlags } from './options.ts';
import { markdownRows } from './report/tables.ts';
import { readTruth } from './template-sites/read-truth.ts';
import { TEMPLATE_SITES } from './template-sites/sites.ts';

const HELP = `npm run bench -- canonical-sites [flags]

  --only <a,b>         of ${TEMPLATE_SITES.map(({ name }) => name).join(', ')}
`;

/** A page with this share of its own content in its target is no distinct page: nothing is lost with it. */
const NEARLY_ALL = 0.9;

export async function benchCanonicalSites(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['only']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const only = values.only?.split(',');
  const figures: CanonicalFigures[] = [];
  for (const site of TEMPLATE_SITES.filter(({ name }) => only?.includes(name) ?? true)) {
    figures.push(measureLinks(await readTruth(site, workFolder)));
    report(`${site.name}: measured`);
  }
  const folder = only === undefined ? resultsFolder : join(workFolder, 'results');
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'canonical-sites');
  await writeFile(`${path}.json`, `${JSON.stringify(figures, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(figures));
  process.stdout.write(`\n${tables(figures)}\n`);
  report(`written: ${path}.md and .json`);
  return figures.every(({ lost }) => lost.every(isContained)) ? 0 : 1;
}

function isContained({ containment }: LostPage): boolean {
  return containment >= NEARLY_ALL;
}

function tables(figures: readonly CanonicalFigures[]): string {
  const sum = (kinds: readonly KindFigures[], of: 'tried' | 'believed' | 'tooLittleText') =>
    kinds.reduce((total, kind) => total + kind[of], 0);
  const rows = figures.map(({ site, right, wrong, lost }) => [
    site,
    `${sum(right, 'believed')} of ${sum(right, 'tried')}`,
    String(sum(right, 'tooLittleText')),
    `${lost.filter((page) => !isContained(page)).length} of ${sum(wrong, 'tried')}`,
    String(lost.filter(isContained).length),
  ]);
  const all = figures.flatMap(({ lost }) => lost);
  const lines = all.map(
    ({ page, target, resemblance, containment }) =>
      `- ${page} names ${target}: J = ${resemblance.toFixed(2)}, and ${percent(containment)} of the page are in the target`,
  );
  const headings = ['site', 'right links honoured', 'too little text', 'distinct pages lost', 'pages that add nothing'];
  return [markdownRows(headings, rows), '', ...lines].join('\n');
}

function markdown(figures: readonly CanonicalFigures[]): string {
  const kinds = (of: 'right' | 'wrong') => (figures[0]?.[of] ?? []).map(({ kind }) => kind).join('; ');
  return `# canonical links between pages of real sites

60 pages of each site and kind. Right links lead from a version of a page to the page (${kinds('right')}).
Wrong links lead to another page (${kinds('wrong')}). Pages and versions come in random order, and
each is sketched with the template as it is known then. The pages that wrong links make duplicates are listed with the share of common
runs of three words in their own content (J, Jaccard). A page that adds nothing has at least ${percent(NEARLY_ALL)} of its own content in its target.

${tables(figures)}

- nothing of this depends on the machine: the same files give the same figures
`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
