/**
 * `orbweaver links <url>`: shows the pages that link to a page, and the URLs that it links to (P6). It only reads, so
 * it works during a crawl.
 */
import { findUrl } from '../../copy/find-url.ts';
import { type LinkFacts, readLinks, type UrlLinks } from '../../copy/read-links.ts';
import { unknownSentences } from '../../copy/sentences/url-sentences.ts';
import { collectUrlFacts } from '../../copy/url-facts.ts';
import { rankOrNull } from '../../core/text/readable.ts';
import type { Store, UrlRecord } from '../../store/contract.ts';
import {
  COMMON_FLAGS,
  type Command,
  countFlag,
  type ParsedArguments,
  parseArguments,
  requireOneUrl,
  switchFlag,
} from '../arguments.ts';
import { PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { linkSentences } from '../text/link-sentences.ts';

const DEFAULT_LIMIT = 50;
/** The limit exists because each shown link may require reading a page from the archive. */
const MOST_SHOWN = 100_000;
const REDIRECTS_SHOWN = 5;

export const command: Command = {
  help: {
    usage: 'orbweaver links <url> [--from | --to] [flags]',
    about: `Shows the pages that link to a URL, highest PageRank first, and the URLs that it links to, each with the text of the link
and its style and position on the page. The totals are exact, even if only some links are shown. A link to a URL that
redirects here counts only for that URL; a hint names it.`,
    examples: [
      'orbweaver links https://example.com/about',
      'orbweaver links https://example.com/ --from --limit 10',
      'orbweaver links https://example.com/ --json | jq -r ".from[].url"',
    ],
    flags: {
      ...PLACE_FLAGS,
      from: { hint: '', help: 'show only the pages that link to it' },
      to: { hint: '', help: 'show only the URLs that it links to' },
      limit: {
        hint: '<n>',
        help: `number of links to show in each direction (default ${DEFAULT_LIMIT}; 0 shows only the totals)`,
      },
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('links', words, command.help.flags);
    const text = requireOneUrl('links', args.words);
    const wanted = linksWanted(args);
    return withCrawl(args, async (store, { place, again }) => {
      const { url, record } = await findUrl(store, text);
      const links = record === null ? nothingKnown(url) : await readLinks(store, place, record, wanted);
      if (switchFlag(args, 'json')) printJson(asJson(links));
      else if (record === null) printLines([url, ...unknownSentences(await collectUrlFacts(store, text))]);
      else printLines(linkSentences(links, wanted, await redirectsOf(store, record), again));
    });
  },
};

function linksWanted(args: ParsedArguments): { from: number; to: number } {
  const both = switchFlag(args, 'from') === switchFlag(args, 'to');
  const limit = countFlag(args, 'limit', DEFAULT_LIMIT, MOST_SHOWN);
  return { from: both || switchFlag(args, 'from') ? limit : 0, to: both || switchFlag(args, 'to') ? limit : 0 };
}

async function redirectsOf(store: Store, { id, redirectTo }: UrlRecord) {
  return { to: redirectTo, from: await store.redirectsTo(id, REDIRECTS_SHOWN) };
}

function nothingKnown(url: string): UrlLinks {
  return { url, backlinks: 0, forwardLinks: 0, rank: 0, from: [], to: [] };
}

/** The object that `--json` prints. The fields are a contract. */
function asJson({ url, backlinks, forwardLinks, rank, from, to }: UrlLinks): Record<string, unknown> {
  return { url, backlinks, forwardLinks, rank: rankOrNull(rank), from: from.map(linkAsJson), to: to.map(linkAsJson) };
}

function linkAsJson({ url, title, anchor, elsewhere, ...link }: LinkFacts): Record<string, unknown> {
  const { visibility, position, distance, rank } = link;
  return { url, title, anchor, elsewhere, visibility, position, distance, rank: rankOrNull(rank) };
}
