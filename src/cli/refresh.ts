/** `orbweaver refresh`: bring the copy up to date at the cost of what changed, and say what did. */
import { OrbweaverError } from '../core/errors.ts';
import { ASKING_OPTIONS, flagName, resolveOptions } from '../core/options.ts';
import { resolveRefreshOptions } from '../core/refresh-options.ts';
import { keptGiven } from '../crawl/data-folder.ts';
import { type RefreshSummary, startRefresh } from '../crawl/refresh.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { COMMON_FLAGS, CRAWL_FLAGS, parseArguments, REFRESH_FLAGS, stringFlag, switchFlag } from './arguments.ts';
import type { Command } from './command.ts';
import { CONFIG_FLAG, optionSources } from './option-sources.ts';
import { count, percent, sizeText } from './readable.ts';
import { showRefreshProgress } from './refresh-progress.ts';
import { EXIT_INTERRUPTED, untilStopped } from './until-stopped.ts';

export const refreshCommand: Command = {
  help: {
    usage: 'orbweaver refresh [flags]',
    about: `Brings the copy in the data folder up to date and says what changed: every page is looked at, most of them without being
sent again, or as many as --budget and --time allow, those with the most to gain first. What sitemaps and feeds tell is
used where it has proved true. New pages that turn up are fetched. With --watch it goes on until it is stopped.`,
    examples: [
      'orbweaver refresh --dir docs-copy',
      'orbweaver refresh --budget 500 --dry-run',
      'orbweaver refresh --watch --every 10m --feed changes.atom',
      'orbweaver refresh --only "*/prices/*" --on-change ./tell-me.sh',
    ],
    flags: {
      ...COMMON_FLAGS,
      config: CONFIG_FLAG,
      'dry-run': { hint: '', help: 'show what would be looked at, and ask nobody' },
      show: { hint: '<n>', help: 'with --dry-run: show this many pages (default 20)' },
      ...REFRESH_FLAGS,
      ...Object.fromEntries(ASKING_OPTIONS.map(flagName).map((flag) => [flag, CRAWL_FLAGS[flag]!])),
    },
  },

  async run(words) {
    const args = parseArguments('refresh', words, refreshCommand.help.flags);
    if (args.words.length > 0) {
      throw new OrbweaverError(
        'ERR_USAGE',
        `orbweaver refresh takes no "${args.words[0]}"; for some pages only: --only "<pattern>"`,
      );
    }
    const dir = stringFlag(args, 'dir', 'orbweaver-data');
    const sources = optionSources(args, dir);
    const refresh = resolveRefreshOptions(sources);
    if (switchFlag(args, 'dry-run')) {
      const { previewRefresh } = await import('./refresh-preview.ts');
      await previewRefresh(dir, refresh, stringFlag(args, 'show', '20'), switchFlag(args, 'json'));
      return 0;
    }
    const options = resolveOptions([...sources, { from: 'rules of the crawl', given: await crawledWith(dir) }]);
    const summary = await untilStopped(startRefresh({ dir, options, refresh }), showRefreshProgress(process.stderr));
    process.stdout.write(switchFlag(args, 'json') ? `${JSON.stringify(summary)}\n` : summaryText(summary, dir));
    return summary.ending === 'interrupted' ? EXIT_INTERRUPTED : 0;
  },
};

/** A folder without a copy is refused here, before one is made. */
async function crawledWith(dir: string): Promise<Record<string, unknown>> {
  const store = readSqliteStore(dir);
  try {
    return await keptGiven(store);
  } finally {
    await store.close();
  }
}

function summaryText(summary: RefreshSummary, dir: string): string {
  const { ending, changed, changedBy, noise, unchanged, reread, moved, gone, failed, refused, left } = summary;
  const ended = { done: 'Up to date', limit: 'Budget used', interrupted: 'Interrupted, all saved' }[ending];
  const kinds = Object.entries(changedBy).map(([kind, pages]) => `${kind} ${count(pages)}`);
  const some = (number: number, words: string): string[] => (number === 0 ? [] : [`${count(number)} ${words}`]);
  const found = [
    `${count(summary.new)} new`,
    `${count(changed)} changed${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}`,
    ...some(noise, 'changed only in noise'),
    `${count(unchanged)} unchanged${reread === 0 ? '' : ` (${count(reread)} of them read anew for their images)`}`,
    ...some(moved, 'moved'),
    ...some(gone, 'gone'),
    ...some(failed, 'failing'),
    ...some(refused, 'refused'),
    ...some(left, 'left for another time'),
  ];
  const share = summary.fullCrawlBytes === 0 ? 0 : summary.bytes / summary.fullCrawlBytes;
  return (
    `${ended} in ${summary.seconds.toFixed(1)} s: ${found.join(', ')}\n` +
    `${count(summary.requests)} requests and ${sizeText(summary.bytes)}; a full crawl would have been about ` +
    `${sizeText(summary.fullCrawlBytes)}${share < 1 ? ` (this was ${percent(share)} of it)` : ''}\n` +
    (changed + summary.new > 0
      ? `Look at it: orbweaver diff <url> --dir ${dir}    orbweaver history <url> --dir ${dir}\n`
      : '')
  );
}
