/** `orbweaver follow`: does the work that follows commits, without a crawl or refresh. */

import { plural } from '../../core/text/readable.ts';
import { startFollow } from '../../crawl/following/follow.ts';
import { SEARCH_INDEX } from '../../crawl/following/search/search-follower.ts';
import { COMMON_FLAGS, type Command, parseArguments, refuseWords, switchFlag } from '../arguments.ts';
import { PLACE_FLAGS, resolveCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { EXIT_INTERRUPTED, untilStopped } from '../until-stopped.ts';

const EXIT_UNFINISHED = 1;

export const command: Command = {
  help: {
    usage: 'orbweaver follow [flags]',
    about: `Does the work that follows the changes of a copy: it describes changes that nobody has described yet, from the versions
in the archive, and brings the search index up to date. A refresh does the same beside its own work (descriptions only
with a listener). The command continues where the last run stopped, and requests nothing from any site. Exit code: 0 everything is done, 1 something is left, 11 interrupted.`,
    examples: ['orbweaver follow --dir docs-copy', 'orbweaver follow --reset --json'],
    flags: {
      ...PLACE_FLAGS,
      reset: {
        hint: '',
        help: 'start from the first change; a description that exists stays, the search index is made again',
      },
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('follow', words, command.help.flags);
    refuseWords('follow', args, 'it follows the whole copy');
    const { place, sources } = await resolveCrawl(args);
    const running = startFollow({ place, sources, reset: switchFlag(args, 'reset') });
    const summary = await untilStopped(running, () => {});
    if (switchFlag(args, 'json')) printJson(summary);
    else {
      printLines(
        summary.followers.map(({ name, followed, isDone, failure }) => {
          const end = isDone ? 'up to date' : `not finished: ${failure ?? 'interrupted'}; run the command again`;
          return `${name}: ${plural(followed, name === SEARCH_INDEX ? 'URL' : 'change')} followed in ${summary.seconds.toFixed(1)} s, ${end}`;
        }),
      );
    }
    if (summary.ending === 'interrupted') return EXIT_INTERRUPTED;
    return summary.followers.every(({ isDone }) => isDone) ? 0 : EXIT_UNFINISHED;
  },
};
