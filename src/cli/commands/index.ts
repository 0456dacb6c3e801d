/** `orbweaver index`: brings the search index of a copy up to date, or makes it again. */

import { count, plural } from '../../core/text/readable.ts';
import { type IndexSummary, startIndex } from '../../crawl/following/search/run-index.ts';
import { COMMON_FLAGS, type Command, parseArguments, refuseWords, switchFlag } from '../arguments.ts';
import { PLACE_FLAGS, resolveCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { unreadLines } from '../text/index-sentences.ts';
import { EXIT_INTERRUPTED, untilStopped } from '../until-stopped.ts';

const EXIT_UNFINISHED = 1;

export const command: Command = {
  help: {
    usage: 'orbweaver index [flags]',
    about: `Brings the search index of a copy up to date from the archive. A crawl or refresh does the same beside its own work,
except with --no-search. The command continues where the last run stopped, tries again the pages that could not be read,
and requests nothing from any site. With --store it makes the index of this machine, in --dir, from the archive files
that this machine can read. With --versions it makes the index of all stored versions, for search --at and search
--versions; no other command does. Exit code: 0 everything is done, 1 something is left, 11 interrupted.`,
    examples: [
      'orbweaver index --dir docs-copy',
      'orbweaver index --rebuild --json',
      'orbweaver index --versions',
      'orbweaver index --store postgres://crawler@db.example/crawls --archive /mnt/archive --dir search-here',
    ],
    flags: {
      ...PLACE_FLAGS,
      versions: { hint: '', help: 'make or update the index of all stored versions, for search --at and --versions' },
      rebuild: { hint: '', help: 'begin again with an empty index' },
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('index', words, command.help.flags);
    refuseWords('index', args, 'it indexes the whole copy');
    const { place, sources } = await resolveCrawl(args);
    const kind = switchFlag(args, 'versions') ? 'versions' : 'pages';
    const request = { place, sources, kind, rebuild: switchFlag(args, 'rebuild') } as const;
    const summary = await untilStopped(startIndex(request), () => {});
    if (switchFlag(args, 'json')) printJson(summary);
    else printLines(linesOf(summary, kind));
    if (summary.ending === 'interrupted') return EXIT_INTERRUPTED;
    return summary.followers.every(({ isDone }) => isDone) ? 0 : EXIT_UNFINISHED;
  },
};

function linesOf({ followers, pages, unread, seconds }: IndexSummary, kind: 'pages' | 'versions'): string[] {
  const lines = followers.map(({ name, followed, isDone, failure }) => {
    const end = isDone ? 'up to date' : `not finished: ${failure ?? 'interrupted'}; run the command again`;
    return `${name}: ${plural(followed, 'URL')} followed in ${seconds.toFixed(1)} s, ${count(pages)} ${kind}, ${end}`;
  });
  return [...lines, ...unreadLines(unread)];
}
