/**
 * The benchmark of Markdown: what comes back of real pages after their Markdown was rendered to HTML by another program.
 *
 * In: flags. Out: a table on stdout, and bench/results/markdown-sites.json and .md. A partial run writes to
 * bench/work/results instead, and always to missing.json there, which has each part that did not come back. What always
 * holds: outline and Markdown are Orbweaver's own code; the renderer, both trees and the rule for data tables are not
 * (markdown-sites/). No time is measured.
 */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeMarkdown } from '../src/content/markdown/write-markdown.ts';
import { PageTree } from '../src/content/page-tree.ts';
import { outlinePage } from '../src/page/outline/outline.ts';
import { Comparison, PARTS, type Share } from './markdown-sites/compare.ts';
import { readParts } from './markdown-sites/read-parts.ts';
import { loadRenderer, type Renderer } from './markdown-sites/renderer.ts';
import { BadOption, readFlags, wholeNumber } from './options.ts';
import { markdownRows } from './report/tables.ts';
import { htmlFilesBelow, unpackPackage } from './site/debian-package.ts';
import { SITE_HOST } from './site/read-site.ts';
import { decoded, shuffled } from './template-sites/read-truth.ts';
import { TEMPLATE_SITES } from './template-sites/sites.ts';

const USUAL_PAGES = 40;
const SEED = 1;
/** Sites whose pages were looked at while the writer was made. The others were never tried before. */
const KNOWN: readonly string[] = [
  ...['Python', 'PostgreSQL', 'cppreference', 'Debian policy', 'SQLite', 'Django', 'Octave', 'libstdc++'],
];
const POLICY = { name: 'Debian policy', package: 'debian-policy', folder: 'usr/share/doc/debian-policy' };
const SITES = [...TEMPLATE_SITES, POLICY].map(({ name, package: from, folder }) => ({ name, package: from, folder }));

const HELP = `npm run bench -- markdown-sites [flags]

  --only <a,b>         of ${SITES.map(({ name }) => name).join(', ')}
  --pages <n>          random pages of each site (default ${USUAL_PAGES})

The sites are documentation packages of Debian. They are downloaded with apt-get and unpacked into bench/work.
`;

interface SiteResult extends Pick<Comparison, 'shares' | 'asText' | 'codeLinks' | 'noteLinks'> {
  readonly site: string;
  readonly isKnown: boolean;
  readonly pages: number;
}

export async function benchMarkdownSites(
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
  const only = values.only?.split(',');
  const unknown = only?.find((name) => !SITES.some((site) => site.name === name));
  if (unknown !== undefined) throw new BadOption(`--only: there is no site "${unknown}"`);
  const pages = values.pages === undefined ? USUAL_PAGES : wholeNumber('pages', values.pages);
  const renderer = await loadRenderer(workFolder, report);
  const [results, missing]: [SiteResult[], Comparison['missing']] = [[], []];
  for (const site of SITES.filter(({ name }) => only?.includes(name) ?? true)) {
    const folder = join(await unpackPackage(workFolder, site.package), site.folder);
    const files = shuffled(await htmlFilesBelow(folder), SEED).slice(0, pages);
    const comparison = compareFiles(folder, files, renderer);
    const { shares, asText, codeLinks, noteLinks } = comparison;
    const isKnown = KNOWN.includes(site.name);
    results.push({ site: site.name, isKnown, pages: files.length, shares, asText, codeLinks, noteLinks });
    missing.push(...comparison.missing);
    report(`${site.name}: ${PARTS.map((part) => `${part} ${ratio(shares[part])}`).join(', ')}`);
  }
  const isPartial = only !== undefined || values.pages !== undefined;
  const path = join(isPartial ? join(workFolder, 'results') : resultsFolder, 'markdown-sites');
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(`${path}.json`, `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(`${path}.md`, textOf(results, renderer));
  await writeFile(join(workFolder, 'markdown-sites-missing.json'), JSON.stringify(missing, undefined, 1));
  process.stdout.write(`\n${rowsOf(results)}\n`);
  report(`written: ${path}.md and .json`);
  return 0;
}

function compareFiles(folder: string, files: readonly string[], renderer: Renderer): Comparison {
  const comparison = new Comparison();
  for (const file of files) {
    const bytes = readFileSync(join(folder, file));
    const outline = outlinePage(bytes, 'text/html');
    if (outline === null) continue;
    const url = `${SITE_HOST}/${encodeURI(file)}`;
    const html = renderer.render(writeMarkdown(new PageTree(outline), null, url));
    comparison.add(url, readParts(decoded(bytes), url), readParts(html, url));
  }
  return comparison;
}

function ratio({ all, same }: Share): string {
  return all === 0 ? '–' : `${same.toLocaleString('en')} of ${all.toLocaleString('en')}`;
}

function percent({ all, same }: Share): string {
  return all === 0 ? '–' : `${(Math.floor((same / all) * 10_000) / 100).toFixed(2)} % of ${all.toLocaleString('en')}`;
}

function sumOf(shares: readonly Share[]): Share {
  return shares.reduce((sum, { all, same }) => ({ all: sum.all + all, same: sum.same + same }), { all: 0, same: 0 });
}

function rowsOf(results: readonly SiteResult[]): string {
  const headings = ['site', 'headings', 'links', 'code blocks', 'data cells', 'data tables without spans'];
  const wanted = ['headings', 'links', 'codeBlocks', 'dataCells', 'grids'] as const;
  const rows = results.map(({ site, isKnown, shares }) => [
    isKnown ? site : `${site} (new)`,
    ...wanted.map((part) => percent(shares[part])),
  ]);
  const sums = [true, false].map((isKnown) => {
    const part = results.filter((result) => result.isKnown === isKnown);
    return [
      isKnown ? '**known sites**' : '**new sites**',
      ...wanted.map((of) => percent(sumOf(part.map((x) => x.shares[of])))),
    ];
  });
  return markdownRows(headings, [...rows, ...sums]);
}

function textOf(results: readonly SiteResult[], { version }: Renderer): string {
  const other = sumOf(results.map(({ shares }) => shares.otherCells));
  const asText = sumOf(results.map((result) => result.asText));
  const notes = sumOf(results.map(({ noteLinks }) => noteLinks));
  const count = (number: number) => number.toLocaleString('en');
  return `# Markdown of real pages, rendered again

${results[0]?.pages ?? 0} random pages of each site, seed ${SEED}. Each page is written as Markdown as a whole, without choosing its main content.
${version} with its plugin for footnotes renders it, and the tree that parse5 builds of the result is compared with the tree of the page.
A part came back if a part of the same kind has the same words (in code blocks the same lines), and for a heading its level, for a link its absolute target. Data tables are those that the standard of HTML suggests: with a caption, header cells, a head,
\`headers\`, \`scope\` or a border. The comparison shares no rule with the writer (bench/markdown-sites/read-parts.ts).

${rowsOf(results)}

- cells of other tables: ${count(other.same)} of ${count(other.all)} came back as cells; of the rest, ${count(asText.same)} of ${count(asText.all)} are text outside of tables
- links in code blocks are lost: ${count(results.reduce((sum, { codeLinks }) => sum + codeLinks, 0))}
- links to a mark of the same page that look like footnotes: ${count(notes.same)} of ${count(notes.all)} came back as footnotes or links
- "new" are sites whose pages were not looked at while the writer was made
- nothing of this depends on the machine: the same files give the same figures
`;
}
