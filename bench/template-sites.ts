/**
 * The benchmark of the template: how many characters of real sites are classified right as template or own content.
 *
 * In: flags. Out: a table on stdout, progress on stderr, and bench/results/template-sites.json and .md. A partial run
 * writes to bench/work/results instead. What always holds: page stage and template are the crawler's own code, the
 * truth comes from selectors that were written by hand, and no time is measured. The exit code is 1 when a site stays
 * below the aim.
 */
import { join } from 'node:path';
import { BadOption, readFlags, wholeNumber } from './options.ts';
import { measureSite, type SiteFigures } from './template-sites/measure.ts';
import { readTruth, USUAL_PAGES } from './template-sites/read-truth.ts';
import { LEAST_RIGHT, siteRows, writeTemplateSites } from './template-sites/report.ts';
import { TEMPLATE_SITES } from './template-sites/sites.ts';

const HELP = `npm run bench -- template-sites [flags]

  --only <a,b>         of ${TEMPLATE_SITES.map(({ name }) => name).join(', ')}
  --pages <n>          random pages of each site (default ${USUAL_PAGES}, and all pages of cppreference)
  --quick              100 pages of each site

The sites are documentation packages of Debian. They are downloaded with apt-get and unpacked into bench/work.
`;

export async function benchTemplateSites(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['only', 'pages']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const pages = values.pages ?? (values.quick ? '100' : undefined);
  const only = values.only?.split(',');
  const unknown = only?.find((name) => !TEMPLATE_SITES.some((site) => site.name === name));
  if (unknown !== undefined) throw new BadOption(`--only: there is no site "${unknown}"`);
  const figures: SiteFigures[] = [];
  for (const site of TEMPLATE_SITES.filter(({ name }) => only?.includes(name) ?? true)) {
    const read = pages === undefined ? site : { ...site, pages: wholeNumber('pages', pages) };
    figures.push(measureSite(await readTruth(read, workFolder)));
    report(`${site.name}: ${figures.at(-1)!.atEnd.right.toFixed(4)} of the characters are right at the end`);
  }
  const isPartial = only !== undefined || pages !== undefined;
  const written = await writeTemplateSites(isPartial ? join(workFolder, 'results') : resultsFolder, figures);
  process.stdout.write(`\n${siteRows(figures)}\n`);
  report(`written: ${written}.md and .json`);
  return figures.every(({ atEnd }) => atEnd.right >= LEAST_RIGHT) ? 0 : 1;
}
