/** Writes the figures of the template on real sites, as JSON and as a table in Markdown. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownRows } from '../report/tables.ts';
import type { SiteFigures } from './measure.ts';

/** The aim: so many of the characters of each site are classified right. */
export const LEAST_RIGHT = 0.97;

const HEADINGS = [
  'site',
  'pages',
  'right at the end',
  'right while learning',
  'template, share of all characters',
  'template missed',
  'own content lost',
];

export function siteRows(figures: readonly SiteFigures[]): string {
  return markdownRows(
    HEADINGS,
    figures.map(({ site, isHeldBack, pages, template, atEnd, whileLearning }) => [
      isHeldBack ? `${site} (held back)` : site,
      pages.toLocaleString('en'),
      ...[atEnd.right, whileLearning.right, template, atEnd.templateMissed, atEnd.ownLost].map((share) =>
        share.toFixed(3),
      ),
    ]),
  );
}

export async function writeTemplateSites(folder: string, figures: readonly SiteFigures[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'template-sites');
  await writeFile(`${path}.json`, `${JSON.stringify(figures, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(figures));
  return path;
}

function markdown(figures: readonly SiteFigures[]): string {
  const reached = figures.filter(({ atEnd }) => atEnd.right >= LEAST_RIGHT).length;
  const leftOut = figures.reduce((sum, site) => sum + site.leftOut, 0);
  return `# templates of real sites

The share of the characters of documentation sites that the learned template classifies right: the template at the end for all pages, and
while it is learned page by page. \`template missed\` is the share of the template that is taken for own content, \`own content lost\` the
share of the own content that is taken for template, both at the end. ${reached} of ${figures.length} sites reach ${LEAST_RIGHT}.

The truth is in bench/template-sites/sites.ts: the elements that are template, written by hand. Tables of contents of a single page count
neither way, and neither do blocks of up to 40 characters inside the content that three in ten pages of the site or of a folder share.
No threshold was chosen on the sites that are held back, but their figures were seen meanwhile, and errors on Django were read once.

${siteRows(figures)}

- ${leftOut} pages are left out, because the crawler and parse5 do not find the same words on them
- nothing of this depends on the machine: the same files give the same figures
`;
}
