/** Formats figures as tables. In: summaries. Out: aligned text for the terminal, or Markdown. */
import type { CrawlerSummary, Spread } from './summary.ts';

const HEADINGS = [
  'crawler',
  'pages',
  'pages/s',
  'seconds',
  'CPU ms/page',
  'peak MB',
  'repeats',
  'gzip',
  'speed',
  'CPU',
  'memory',
];

export function textTable(summaries: readonly CrawlerSummary[]): string {
  return [alignedRows(HEADINGS, summaries.map(cellsOf)), ...notesOf(summaries)].join('\n');
}

export function markdownTable(summaries: readonly CrawlerSummary[]): string {
  const versions = summaries
    .filter((each) => each.version !== '')
    .map((each) => `- ${each.crawler} ${each.version}; stores ${each.stores}`);
  const notes = notesOf(summaries).map((note) => `- ${note}`);
  return [markdownRows(HEADINGS, summaries.map(cellsOf)), '', ...versions, ...notes].join('\n');
}

/** Aligns the first column to the left and figures to the right. */
export function alignedRows(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const aligned = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return all.map((row) => row.map(aligned).join('  ')).join('\n');
}

export function markdownRows(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(headings.map((_, column) => (column === 0 ? '---' : '---:')));
  return [line(headings), rule, ...rows.map(line)].join('\n');
}

function cellsOf(summary: CrawlerSummary): string[] {
  return [
    summary.crawler,
    summary.pagesAsked === 0 ? '–' : summary.pagesAsked.toLocaleString('en'),
    figure(summary.pagesPerSecond, 0),
    figure(summary.wallSeconds, 1),
    figure(summary.cpuMsPerPage, 2),
    figure(summary.peakRssMb, 0),
    summary.goodRuns === 0 ? '–' : String(summary.repeatedPages),
    summary.goodRuns === 0 ? '–' : summary.gzip ? 'yes' : 'no',
    ratio(summary.speedRatio),
    ratio(summary.cpuRatio),
    ratio(summary.memoryRatio),
  ];
}

export function figure(spread: Spread | undefined, digits: number): string {
  return spread === undefined
    ? '–'
    : spread.median.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Shows the range in brackets, so that a noisy median is not taken for a fact. */
export function ratio(spread: Spread | undefined): string {
  if (spread === undefined) return '–';
  const show = (value: number) => (value >= 10 ? value.toFixed(0) : value.toFixed(2));
  return `${show(spread.median)}× (${show(spread.min)}–${show(spread.max)})`;
}

function notesOf(summaries: readonly CrawlerSummary[]): string[] {
  const mostPages = Math.max(...summaries.map((summary) => summary.pagesAsked));
  return summaries.flatMap((summary) => [
    ...summary.notes.map((note) => `${summary.crawler}: ${note}`),
    ...(summary.failedRequests > 0
      ? [`${summary.crawler}: ${summary.failedRequests} requests were not answered with 200`]
      : []),
    ...(summary.pagesAsked > 0 && summary.pagesAsked < mostPages
      ? [
          `${summary.crawler} is slow and got a smaller web, made the same way: ${summary.pagesAsked.toLocaleString('en')} pages`,
        ]
      : []),
  ]);
}
