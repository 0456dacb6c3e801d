/**
 * The benchmark of the main content of documentation, forums, shops and listings, judged against hand-made truth.
 *
 * In: flags. Out: a table on stdout, progress on stderr, and bench/results/main-content-sites.json and .md. A partial
 * run writes to bench/work/results instead. What always holds: each page is judged alone, without the template of its
 * host, and no time is measured. The exit code is 1 when the mean of all pages stays below the aim.
 */
import { join } from 'node:path';
import { findMainContent } from '../src/content/main/main-content.ts';
import { PageTree } from '../src/content/page-tree.ts';
import { outlinePage } from '../src/page/outline/outline.ts';
import { LEAST_F1, meanF1, type PageScore, scoreRows, writeMainContentSites } from './main-content-sites/report.ts';
import { scoreText } from './main-content-sites/score.ts';
import { readPage, TRUTH, trueText } from './main-content-sites/truth.ts';
import { readFlags } from './options.ts';

const HELP = `npm run bench -- main-content-sites [flags]

  --repositories <folder>  the public repositories of bench/main-content-sites/truth.json, each in <folder>/owner/name
                           at the commit that the file names

The documentation packages are downloaded with apt-get and unpacked into bench/work. Pages of repositories that are not
in the folder are named and left out; the run is then partial.
`;

export async function benchMainContentSites(
  args: readonly string[],
  workFolder: string,
  resultsFolder: string,
  report: (text: string) => void,
): Promise<number> {
  const values = readFlags(args, ['repositories']);
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const scores: PageScore[] = [];
  const missing = new Set<string>();
  for (const page of TRUTH.pages) {
    const bytes = await readPage(page, workFolder, values.repositories);
    if (bytes === null) {
      missing.add(page.source);
      continue;
    }
    const outline = outlinePage(bytes, 'text/html');
    const found = outline === null ? '' : findMainContent(new PageTree(outline)).text;
    scores.push({ page, score: scoreText(trueText(bytes, page), found) });
  }
  for (const source of missing) report(`missing: ${source}`);
  if (scores.length === 0) return 1;
  const folder = missing.size > 0 ? join(workFolder, 'results') : resultsFolder;
  const written = await writeMainContentSites(folder, scores);
  process.stdout.write(`\n${scoreRows(scores)}\n`);
  report(`written: ${written}.md and .json`);
  return meanF1(scores) >= LEAST_F1 ? 0 : 1;
}
