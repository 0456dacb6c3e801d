/** Writes how far up the right pages are, as JSON and as tables in Markdown. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownRows } from '../report/tables.ts';
import { KINDS, type KnownItem } from './known-items.ts';
import { type Figures, figuresOf } from './measure.ts';
import type { PaperFigures } from './paper-queries.ts';
import type { SeeAlsoFigures } from './see-also.ts';
import { SEARCH_SITES } from './sites.ts';

export const CONTENDERS = { orbweaver: 'Orbweaver', bm25: 'plain BM25', fts5: 'SQLite FTS5' } as const;
export type ContenderName = keyof typeof CONTENDERS;

export interface Answered extends KnownItem {
  /** The rank of the first right page; 0 if it was not found. */
  readonly ranks: Readonly<Record<ContenderName, number>>;
}

const NAMES = Object.keys(CONTENDERS) as ContenderName[];

export function isBetter(answered: readonly Answered[]): boolean {
  const test = answered.filter(({ site }) => halfOf(site) === 'test');
  const asked = test.length > 0 ? test : answered;
  const mean = (name: ContenderName) => figuresOf(asked.map(({ ranks }) => ranks[name])).reciprocalRank;
  return mean('orbweaver') >= mean('bm25');
}

export function figureTables(answered: readonly Answered[]): string {
  const groups: [string, (one: Answered) => boolean][] = [
    ['all', () => true],
    ['tuning sites', ({ site }) => halfOf(site) === 'tuning'],
    ['test sites', ({ site }) => halfOf(site) === 'test'],
    ...SEARCH_SITES.map(({ name }): [string, (one: Answered) => boolean] => [name, ({ site }) => site === name]),
    ...KINDS.map((kind): [string, (one: Answered) => boolean] => [kind, (one) => one.kind === kind]),
  ];
  const rows = groups.flatMap(([name, belongs]) => {
    const chosen = answered.filter(belongs);
    return chosen.length === 0 ? [] : [[name, String(chosen.length), ...NAMES.map((each) => cell(chosen, each))]];
  });
  return markdownRows(['queries', 'number', ...NAMES.map((name) => CONTENDERS[name])], rows);
}

export interface Relevance {
  readonly answered: readonly Answered[];
  readonly paper: readonly PaperFigures[];
  readonly seeAlso: readonly SeeAlsoFigures[];
}

export function seeAlsoTable(seeAlso: readonly SeeAlsoFigures[]): string {
  return markdownRows(
    ['site', 'pages', 'similar pages', 'search for the title'],
    seeAlso.map(({ site, similar, title }) => [site, String(similar.queries), shares(similar), shares(title)]),
  );
}

function shares({ reciprocalRank, first, inTen }: Figures): string {
  return [reciprocalRank, first, inTen].map((value) => value.toFixed(3)).join(' / ');
}

export function paperTable(paper: readonly PaperFigures[]): string {
  const percent = (part: number, all: number) => (all === 0 ? '–' : `${((100 * part) / all).toFixed(0)} %`);
  return markdownRows(
    ['query', 'results', 'very relevant', 'relevant', 'recall', 'precision', 'relevant of the first 5'],
    paper.map(({ query, results, explain, relevant, known, inFive }) => [
      ...[query, String(results), String(explain), String(relevant - explain)],
      ...[percent(relevant, known), percent(relevant, results), String(inFive)],
    ]),
  );
}

function cell(answered: readonly Answered[], name: ContenderName): string {
  return shares(figuresOf(answered.map(({ ranks }) => ranks[name])));
}

function halfOf(name: string): 'tuning' | 'test' {
  return SEARCH_SITES.find((site) => site.name === name)!.half;
}

export async function writeRelevance(folder: string, relevance: Relevance): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'search-relevance');
  await writeFile(`${path}.json`, `${JSON.stringify(relevance, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(relevance));
  return path;
}

function markdown({ answered, paper, seeAlso }: Relevance): string {
  return `# known pages

Queries whose right page is known, because the authors of the documentation name it in their index, or because only one page has the
heading. The index pages are not in the crawl. A question is an entry of the index with words around it, such as "how to use …". In each
cell: mean reciprocal rank / share of the queries with a right page first / among the first ten. All contenders search the same pages;
plain BM25 has the words and stems of Orbweaver (k1 1.2, b 0.75).

${figureTables(answered)}

Recall and precision of five queries (E11), over a pool that is judged in bench/search-relevance/judged.json:

${paperTable(paper)}

Similar pages: whether a page comes up that the authors name under "See also", in the same three figures:

${seeAlsoTable(seeAlso)}
`;
}
