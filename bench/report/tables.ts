/** Figures as tables: summaries in, aligned text for the terminal or Markdown out. */
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
  const rows = [HEADINGS, ...summaries.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
  return [...lines, ...notesOf(summaries)].join('\n');
}

export function markdownTable(summaries: readonly CrawlerSummary[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = line(HEADINGS.map((_, column) => (column === 0 ? '---' : '---:')));
  const versions = summaries
    .filter((each) => each.version !== '')
    .map((each) => `- ${each.crawler} ${each.version}; stores ${each.stores}`);
  const notes = notesOf(summaries).map((note) => `- ${note}`);
  return [line(HEADINGS), rule, ...summaries.map((each) => line(cellsOf(each))), '', ...versions, ...notes].join('\n');
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

function figure(spread: Spread | undefined, digits: number): string {
  return spread === undefined
    ? '–'
    : spread.median.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** With its range in brackets, so that nobody takes a noisy median for a fact. */
function ratio(spread: Spread | undefined): string {
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
