/** Turns rows into tables, one per variant, and adds the aims; for the terminal and for bench/results. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../report/machine.ts';
import type { PreparedCrawler, Spread } from '../report/summary.ts';
import { alignedRows, figure, markdownRows, ratio } from '../report/tables.ts';
import { compareUpdates, isReached, MOST_BYTES, MOST_TIME, type UpdateRow } from './compare.ts';
import { CONTENDERS, OURS } from './contenders.ts';
import { JUDGED_SHARE, JUDGED_VARIANT, type RefreshOptions } from './options.ts';
import { drawPicture } from './picture.ts';
import type { UpdateRun } from './run-update.ts';
import { VARIANT_RULES, type Variant } from './variants.ts';

export interface RefreshResults {
  readonly options: RefreshOptions;
  readonly machine: Machine;
  readonly server: string;
  readonly crawlers: readonly PreparedCrawler[];
  /** One sentence for each contender that could not make its first copy and so has no runs. */
  readonly withoutCopy: readonly string[];
  readonly runs: readonly UpdateRun[];
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string;

const HEADINGS = ['who', 'changed', 'seconds', 'requests', 'MB sent', 'peak MB', 'needless', 'time', 'bytes', 'CPU'];

export function textReport(results: RefreshResults): string {
  const rows = compareUpdates(results.runs);
  const tables = results.options.variants.map((variant) => `${variant}\n${variantTable(rows, variant, alignedRows)}`);
  return [...tables, notes(results, rows).join('\n')].join('\n\n');
}

/** Returns the path without the file extension. The picture is drawn only when its folder is given. */
export async function writeRefreshResults(
  folder: string,
  pictureFolder: string | null,
  results: RefreshResults,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'refresh');
  const rows = compareUpdates(results.runs);
  const crawlers = results.crawlers.map(({ crawler, preparation }) => ({ name: crawler.name, ...preparation }));
  await writeFile(`${path}.json`, `${JSON.stringify({ ...results, crawlers, rows }, undefined, 2)}\n`);
  await writeFile(`${path}.md`, markdown(results, rows));
  if (pictureFolder !== null) await writeFile(join(pictureFolder, 'refresh.svg'), drawPicture(rows));
  return path;
}

function markdown(results: RefreshResults, rows: readonly UpdateRow[]): string {
  const { options, machine, server } = results;
  const tables = options.variants.map(
    (variant) =>
      `## ${variant}\n\n${VARIANT_RULES[variant].sentence}.\n\n${variantTable(rows, variant, markdownRows)}\n`,
  );
  return `# refresh

A copy of a site of ${options.pages.toLocaleString('en')} pages is brought up to date after some of them changed; medians of ${options.repeat} round(s), seed
${options.seed}. \`time\`, \`bytes\` and \`CPU\` are shares of a full crawl in the same round (median and range): 0.10× is a tenth of it.
\`MB sent\` are heads and bodies by the server's log; \`needless\` are pages sent that had not changed.

${tables.join('\n')}
${notes(results, rows)
  .map((note) => `- ${note}\n`)
  .join(
    '',
  )}- machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ${machine.date} UTC
- server: ${server}, on the same machine
`;
}

function variantTable(rows: readonly UpdateRow[], variant: Variant, layOut: Rows): string {
  const chosen = rows.filter((row) => row.variant === variant);
  const shares = [...new Set(chosen.map(({ share }) => share))];
  const cells = shares.flatMap((share) =>
    CONTENDERS.flatMap(({ name, title }) => {
      const row = chosen.find((each) => each.share === share && each.contender === name);
      return row === undefined ? [] : [[title, `${share} %`, ...cellsOf(row)]];
    }),
  );
  return layOut(HEADINGS, cells);
}

function cellsOf(row: UpdateRow): string[] {
  return [
    figure(row.wallSeconds, 2),
    figure(row.requests, 0),
    figure(row.sentMb, 1),
    figure(row.peakRssMb, 0),
    figure(row.needless, 0),
    share(row.timeRatio),
    share(row.byteRatio),
    ratio(row.cpuRatio),
  ];
}

/** Small values get one more digit, because one aim is one in twenty. */
function share(spread: Spread | undefined): string {
  if (spread === undefined || spread.median >= 0.1) return ratio(spread);
  const show = (value: number) => value.toFixed(3);
  return `${show(spread.median)}× (${show(spread.min)}–${show(spread.max)})`;
}

function notes({ options, crawlers, withoutCopy, runs }: RefreshResults, rows: readonly UpdateRow[]): string[] {
  const reached = isReached(rows);
  const goal = `to reach with ${JUDGED_SHARE} % changed and ${JUDGED_VARIANT}: all changes found, at most ${MOST_TIME.toFixed(3)} of the time and ${MOST_BYTES.toFixed(3)} of the bytes of a full crawl`;
  const versions = crawlers.map(({ crawler, preparation }) =>
    preparation.ready
      ? `${crawler.name} ${preparation.version}`
      : `${crawler.name} not available: ${preparation.reason}`,
  );
  const isScaled = options.slowPages < options.pages && runs.some(({ contender }) => contender === 'scrapy');
  const scaled = `scrapy is slow: it has ${options.slowPages.toLocaleString('en')} pages, made the same way, and one round; its seconds, requests and bytes are scaled to ${options.pages.toLocaleString('en')}`;
  const ours = runs.filter(({ contender, failure }) => contender === OURS && failure === undefined);
  const checked = `in ${ours.length} runs of orbweaver refresh the copy was the site afterwards, page by page, and every change was told and nothing else`;
  const failed = runs
    .filter(({ failure }) => failure !== undefined)
    .map((run) => `${run.contender}, ${run.variant}, ${run.share} %, round ${run.round}: ${run.failure}`);
  return [
    ...(reached === undefined ? [] : [`${goal}: ${reached ? 'reached' : 'NOT reached'}`]),
    ...(ours.length > 0 ? [checked] : []),
    ...(isScaled ? [scaled] : []),
    ...withoutCopy,
    ...failed,
    ...versions,
  ];
}
