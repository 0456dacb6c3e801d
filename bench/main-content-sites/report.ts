/** Writes the figures of the main content of real sites, as JSON and as a table in Markdown. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownRows } from '../report/tables.ts';
import { meanOf, type Score } from './score.ts';
import { SITE_KINDS, type SitePage } from './truth.ts';

/** The aim for the mean of all pages. */
export const LEAST_F1 = 0.93;

export interface PageScore {
  readonly page: SitePage;
  readonly score: Score;
}

const HEADINGS = ['kind', 'half', 'pages', 'F1', 'precision', 'recall'];

export function scoreRows(scores: readonly PageScore[]): string {
  const rows: string[][] = [];
  for (const kind of [...SITE_KINDS, 'all'] as const) {
    const ofKind = scores.filter(({ page }) => kind === 'all' || page.kind === kind);
    const dev = ofKind.filter(({ page }) => page.heldBack === undefined);
    const held = ofKind.filter(({ page }) => page.heldBack === true);
    const halves: [string, PageScore[]][] = [
      ['development', dev],
      ['held back', held],
      ['both', ofKind],
    ];
    for (const [half, part] of halves) {
      if (part.length === 0) continue;
      const { f1, precision, recall } = meanOf(part.map(({ score }) => score));
      rows.push([kind, half, String(part.length), ...[f1, precision, recall].map((value) => value.toFixed(3))]);
    }
  }
  return markdownRows(HEADINGS, rows);
}

/** The mean F1 of all pages. */
export function meanF1(scores: readonly PageScore[]): number {
  return meanOf(scores.map(({ score }) => score)).f1;
}

export async function writeMainContentSites(folder: string, scores: readonly PageScore[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'main-content-sites');
  const pages = scores.map(({ page: { kind, source, path: file, heldBack }, score }) => ({
    kind,
    source,
    path: file,
    ...(heldBack === true ? { heldBack } : {}),
    f1: Number(score.f1.toFixed(3)),
    precision: Number(score.precision.toFixed(3)),
    recall: Number(score.recall.toFixed(3)),
  }));
  await writeFile(`${path}.json`, `${JSON.stringify(pages, undefined, 1)}\n`);
  await writeFile(`${path}.md`, markdown(scores));
  return path;
}

function markdown(scores: readonly PageScore[]): string {
  return `# main content of real sites

F1 of shingles of four words against hand-made truth, as the mean over the pages, with the means of precision and recall. The aim is
${LEAST_F1} for all pages. The truth and its policy are in bench/main-content-sites: for each page the elements that hold its main content,
written by hand before any extraction of the page was seen. No extraction of a page that is held back was looked at, but the means of
both halves were watched while rules were chosen, so those that are held back are a little too good. Pages of one template are in the
same half. Each page is judged alone, without the template of its host.

${scoreRows(scores)}

- nothing of this depends on the machine: the same files give the same figures
`;
}
