/**
 * `orbweaver export` in a format that is a folder of files: checks the flags, shows the progress and prints the
 * summary.
 */
import { ContentReader } from '../../copy/content-reader.ts';
import type { FileForm } from '../../copy/files/file-form.ts';
import { exportFiles, type FilesSummary } from '../../copy/files/write-files.ts';
import { markdownForm } from '../../copy/markdown/markdown-form.ts';
import { MIRROR_FORM } from '../../copy/mirror/mirror-form.ts';
import { tablesForm } from '../../copy/tables/tables-form.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { FilesProgress } from '../../core/events.ts';
import { resolveTable } from '../../core/options/option-table.ts';
import { CRAWL_OPTIONS } from '../../core/options/options.ts';
import { count, plural, sizeText } from '../../core/text/readable.ts';
import type { Store, UrlState } from '../../store/contract.ts';
import { type FlagTable, type ParsedArguments, switchFlag } from '../arguments.ts';
import { say } from '../log.ts';
import { momentFlag } from '../moment.ts';
import { withCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { showEvents } from '../progress.ts';

const FORMS: Readonly<Record<FilesFormat, (store: Store) => FileForm>> = {
  markdown: (store) => markdownForm(new ContentReader(store)),
  mirror: () => MIRROR_FORM,
  tables: (store) => tablesForm(new ContentReader(store)),
};
export const FILES_FORMATS = ['markdown', 'mirror', 'tables'] as const;
export type FilesFormat = (typeof FILES_FORMATS)[number];

/** The flags that only these formats have. */
export const FILES_FLAGS: FlagTable = {
  out: {
    hint: '<folder>',
    help: 'for markdown, mirror and tables: write into this folder, which is new, empty or an earlier export',
  },
  at: {
    hint: '<time>',
    help: 'for markdown, mirror, tables and --content: the copy as it was at this time (default: as it is now)',
  },
  json: { hint: '', help: 'for markdown, mirror and tables: print one JSON object with counts at the end' },
};

export function exportFolder(
  args: ParsedArguments,
  format: FilesFormat,
  states: ReadonlySet<UrlState> | null,
): Promise<number> {
  const folder = args.flags.out as string | undefined;
  if (folder === undefined || folder === '') {
    throw new OrbweaverError('ERR_USAGE', `${format} is a folder with many files; name it with --out <folder>`);
  }
  for (const flag of ['output', 'force']) {
    if (args.flags[flag] === undefined) continue;
    throw new OrbweaverError('ERR_USAGE', `--${flag} is for formats with one file; ${format} takes --out <folder>`);
  }
  const atMs = momentFlag(args, 'at');
  return withCrawl(args, async (store, { place, sources }) => {
    const { share } = resolveTable({ share: CRAWL_OPTIONS.share }, sources);
    const stop = showEvents(process.stderr, 'files/progress', progressText);
    const summary = await exportFiles({
      ...{ store, where: place, folder, atMs, states, share },
      form: FORMS[format](store),
    }).finally(stop);
    if (switchFlag(args, 'json')) printJson({ folder, ...summary });
    else printLines(sentences(summary, format, folder));
    if (summary.unreadable > 0) {
      const what = plural(summary.unreadable, 'response');
      say(`orbweaver: the archive could not return ${what}; orbweaver verify finds out why`);
    }
  });
}

function progressText({ step, done, of, bytes }: FilesProgress): string {
  if (step === 'plan') return `planning the files  ${count(done)} URLs`;
  return `writing the files  ${count(done)} of ${count(of ?? done)} files  ${sizeText(bytes)}`;
}

function sentences(summary: FilesSummary, format: FilesFormat, folder: string): string[] {
  const { files, pages, bytes, unchanged, removed, rewritten, absolute, leftOut } = summary;
  const again = unchanged + removed > 0 ? [`${plural(unchanged, 'file')} unchanged, ${count(removed)} removed.`] : [];
  if (format === 'tables') {
    const lost = `${plural(leftOut, 'table')} missing or incomplete, because a page is longer than the limits allow.`;
    return [
      `${folder} has ${plural(files, 'table')} (${sizeText(bytes)}) of ${plural(pages, 'page')}; index.csv lists them.`,
      ...(leftOut > 0 ? [lost] : []),
      ...again,
    ];
  }
  return [
    `${folder} has ${plural(files, 'file')} (${sizeText(bytes)}), ${count(pages)} of them pages.`,
    `References: ${count(rewritten)} lead to files of the folder, ${count(absolute)} to the web, ${count(leftOut)} were left out.`,
    ...again,
    ...(format === 'mirror' ? [`Open ${folder}/index.html in a browser.`] : []),
  ];
}
