/** `orbweaver export --format mirror`: checks the flags, shows the progress and prints the summary. */
import { type MirrorSummary, writeMirror } from '../../copy/mirror/mirror.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { MirrorProgress } from '../../core/events.ts';
import { resolveTable } from '../../core/options/option-table.ts';
import { CRAWL_OPTIONS } from '../../core/options/options.ts';
import type { UrlState } from '../../store/contract.ts';
import { type FlagTable, type ParsedArguments, switchFlag } from '../arguments.ts';
import { momentFlag } from '../moment.ts';
import { withCrawl } from '../named-crawl.ts';
import { printJson, printLines, say } from '../output.ts';
import { showEvents } from '../progress.ts';
import { count, plural, sizeText } from '../text/readable.ts';

/** The flags that only this format has. */
export const MIRROR_FLAGS: FlagTable = {
  out: { hint: '<folder>', help: 'for mirror: write into this folder, which is new, empty or an earlier mirror' },
  at: { hint: '<time>', help: 'for mirror: the copy as it was at this time (default: as it is now)' },
  json: { hint: '', help: 'for mirror: print one JSON object with counts at the end' },
};

export function exportMirror(args: ParsedArguments, states: ReadonlySet<UrlState> | null): Promise<number> {
  const folder = args.flags.out as string | undefined;
  if (folder === undefined || folder === '') {
    throw new OrbweaverError('ERR_USAGE', 'a mirror has many files; name a folder for them with --out <folder>');
  }
  for (const flag of ['output', 'force']) {
    if (args.flags[flag] === undefined) continue;
    throw new OrbweaverError('ERR_USAGE', `--${flag} is for formats with one file; a mirror takes --out <folder>`);
  }
  const atMs = momentFlag(args, 'at');
  return withCrawl(args, async (store, { place, sources }) => {
    const { share } = resolveTable({ share: CRAWL_OPTIONS.share }, sources);
    const stop = showEvents(process.stderr, 'mirror/progress', progressText);
    const summary = await writeMirror({ store, where: place, folder, atMs, states, share }).finally(stop);
    if (switchFlag(args, 'json')) printJson({ folder, ...summary });
    else printLines(sentences(summary, folder));
    if (summary.unreadable > 0) {
      const what = plural(summary.unreadable, 'response');
      say(`orbweaver: the archive could not return ${what}; orbweaver verify finds out why`);
    }
  });
}

function progressText({ step, done, of, bytes }: MirrorProgress): string {
  if (step === 'plan') return `planning the mirror  ${count(done)} URLs`;
  return `writing the mirror  ${count(done)} of ${count(of ?? done)} files  ${sizeText(bytes)}`;
}

function sentences(summary: MirrorSummary, folder: string): string[] {
  const { files, pages, bytes, unchanged, removed, rewritten, absolute, leftOut } = summary;
  return [
    `${folder} has ${plural(files, 'file')} (${sizeText(bytes)}), ${count(pages)} of them pages.`,
    `References: ${count(rewritten)} lead to files of the mirror, ${count(absolute)} to the web, ${count(leftOut)} were left out.`,
    ...(unchanged + removed > 0 ? [`${plural(unchanged, 'file')} unchanged, ${count(removed)} removed.`] : []),
    `Open ${folder}/index.html in a browser.`,
  ];
}
