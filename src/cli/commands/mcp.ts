/** `orbweaver mcp`: offers the copy to language models, over stdin and stdout (docs/mcp.md). */
import { OrbweaverError } from '../../core/errors.ts';
import type { OptionSource } from '../../core/options/option-table.ts';
import { CRAWL_OPTIONS, OPTION_NAMES } from '../../core/options/options.ts';
import { withStoreAt } from '../../crawl/place/open-store.ts';
import { serveMcp } from '../../mcp/serve-mcp.ts';
import { COMMON_FLAGS, type Command, parseArguments, refuseWords, switchFlag } from '../arguments.ts';
import { say } from '../log.ts';
import { PLACE_FLAGS, resolveCrawl } from '../named-crawl.ts';

export const command: Command = {
  help: {
    usage: 'orbweaver mcp [flags]',
    about: `Offers the copy to language models by the Model Context Protocol on stdin and stdout: search, read pages, links,
changes and differences. A program such as Claude Desktop or VS Code starts this command; docs/mcp.md has the settings.
Everything is read-only. With --allow-crawl a model may also fetch more URLs of hosts that the copy already has, within
the rules of the crawl, and refresh pages; each call is bounded in requests and time. Text of pages is marked as
untrusted in every answer.`,
    examples: [
      'orbweaver mcp --dir docs-copy',
      'orbweaver mcp --dir docs-copy --allow-crawl',
      'orbweaver mcp --store postgres://reader@db.example/crawls --name news',
      'claude mcp add docs -- npx orbweaver mcp --dir /home/me/docs-copy',
    ],
    flags: {
      ...PLACE_FLAGS,
      'allow-crawl': { hint: '', help: 'also offer the tools crawl and refresh, for hosts that the copy already has' },
      help: COMMON_FLAGS.help!,
    },
  },

  async run(words) {
    const args = parseArguments('mcp', words, command.help.flags);
    refuseWords('mcp', args, 'a model names the URLs');
    const { place, sources, title } = await resolveCrawl(args);
    const crawling = switchFlag(args, 'allow-crawl') ? sources.map(ownSettings) : null;
    if (crawling !== null && place.cluster !== null) {
      throw new OrbweaverError('ERR_USAGE', '--allow-crawl works with a data folder only; leave it out with --store');
    }
    // A folder without a crawl is most often a misspelt one.
    await withStoreAt(place, async () => {});
    const { stdin: input, stdout: output } = process;
    const server = serveMcp({ place, input, output, crawling, log: (line) => say(`orbweaver mcp: ${line}`) });
    say(`orbweaver mcp: serving ${title}${crawling === null ? ', read-only' : ''}; the client speaks on stdin`);
    process.once('SIGINT', server.stop);
    process.once('SIGTERM', server.stop);
    await server.done;
    return 0;
  },
};

/**
 * Rules, and everything about refreshes, stay as they are stored: a model must not cause what the user did not ask
 * for.
 */
function ownSettings({ from, given }: OptionSource): OptionSource {
  const kept = OPTION_NAMES.filter((name) => CRAWL_OPTIONS[name].kind !== 'rule' && given[name] !== undefined);
  return { from, given: Object.fromEntries(kept.map((name) => [name, given[name]])) };
}
