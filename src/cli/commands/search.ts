/** `orbweaver search <query>`: searches the copy (E9). It only reads, so it works during a crawl. */
import { type CopyAnswer, type CopyResult, openSearch, type SearchedTime } from '../../copy/search/search-copy.ts';
import type { VersionTimes } from '../../copy/search/version-source.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { isoOrNull } from '../../core/text/readable.ts';
import {
  COMMON_FLAGS,
  type Command,
  countFlag,
  type ParsedArguments,
  parseArguments,
  stringFlag,
  switchFlag,
} from '../arguments.ts';
import { say } from '../log.ts';
import { momentFlag } from '../moment.ts';
import { PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { printJson, writeToStdout } from '../output.ts';
import { behindLine, searchLines } from '../text/search-lines.ts';
import { wantsColour } from './diff.ts';

const DEFAULT_LIMIT = 10;
const MOST_RESULTS = 1_000;
const MOST_OFFSET = 100_000;

export const command: Command = {
  help: {
    usage: 'orbweaver search <query> [flags]',
    about: `Searches the text of the copy: titles, content, URLs and the texts of links. Pages with all words come first, then pages
with some of them. Operators: AND OR NOT XOR NEAR/5 "exact phrase" -without +must prefix* ( ) =exact, and the filters
site: intitle: inurl: inanchor: filetype: lang: date: changed: link: depth:. docs/search-query.md has an example for each.`,
    examples: [
      'orbweaver search spider silk',
      `orbweaver search '"orb web" -garden site:example.com'`,
      `orbweaver search 'intitle:install (linux OR debian) date:2026' --limit 20`,
      'orbweaver search price --json | jq -r ".results[].url"',
      'orbweaver search opening hours --at 2026-10-01',
      'orbweaver search --like https://example.com/silk lang:en',
    ],
    flags: {
      ...PLACE_FLAGS,
      limit: { hint: '<n>', help: `number of results (default ${DEFAULT_LIMIT})` },
      offset: { hint: '<n>', help: 'leave out so many results from the beginning (default 0)' },
      'per-host': { hint: '<n>', help: 'show at most so many results of each host' },
      at: { hint: '<time>', help: 'search the pages as they were at this time; needs orbweaver index --versions' },
      versions: { hint: '', help: 'search all stored versions of the pages; needs orbweaver index --versions' },
      like: { hint: '<url>', help: 'find pages about the same subject as this page; a query is then optional' },
      facets: { hint: '', help: 'also count all matches by host, file type, language and year' },
      noindex: { hint: '', help: 'also show pages that ask not to be shown by search engines' },
      feedback: { hint: '', help: 'let the words of the best pages count, too: finds more of the same subject' },
      explain: { hint: '', help: 'show how the query was understood, and what each score consists of' },
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('search', words, command.help.flags);
    const text = queryText(args);
    const time = searchedTime(args);
    const wanted = {
      text,
      limit: countFlag(args, 'limit', DEFAULT_LIMIT, MOST_RESULTS),
      offset: countFlag(args, 'offset', 0, MOST_OFFSET),
      perHost: stringFlag(args, 'per-host', '') === '' ? null : countFlag(args, 'per-host', 0, MOST_RESULTS),
      withNoindex: switchFlag(args, 'noindex'),
      withFacets: switchFlag(args, 'facets'),
      explains: switchFlag(args, 'explain'),
      withFeedback: switchFlag(args, 'feedback'),
      like: (args.flags.like as string | undefined) ?? null,
    };
    return withCrawl(args, async (store, { place, again }) => {
      const searcher = await openSearch(store, place, time, again);
      try {
        const answer = await searcher.search(wanted);
        if (switchFlag(args, 'json')) printJson(asJson(answer));
        else {
          for (const { message } of answer.notes) say(message);
          if (answer.behind > 0) say(behindLine(answer.behind, again));
          const isOnlySimilar = wanted.like !== null && text.trim() === '';
          const colours = wantsColour(process.stdout.isTTY, process.env);
          await writeToStdout([
            `${searchLines(answer, { ...wanted, colours, again, time, isOnlySimilar }).join('\n')}\n`,
          ]);
        }
      } finally {
        searcher.close();
      }
    });
  },
};

function searchedTime(args: ParsedArguments): SearchedTime {
  const atMs = momentFlag(args, 'at');
  if (!switchFlag(args, 'versions')) return atMs === null ? 'now' : { atMs };
  if (atMs === null) return 'ever';
  throw new OrbweaverError('ERR_USAGE', '--at searches the versions of one time and --versions all; give one of them');
}

/** All words of the command line are one query. With --like, there may be none. */
function queryText({ words, flags }: ParsedArguments): string {
  const text = words.join(' ');
  if (text.trim() === '' && flags.like === undefined) {
    throw new OrbweaverError('ERR_USAGE', 'search needs a query, for example: orbweaver search "spider silk"');
  }
  return text;
}

/** The object that `--json` prints. The fields are a contract. */
function asJson(answer: CopyAnswer): Record<string, unknown> {
  const { total, results, notes, didYouMean, facets, cutPatterns, indexedPages, behind, seconds } = answer;
  return {
    total,
    results: results.map(resultAsJson),
    notes,
    didYouMean,
    ...(facets === null ? {} : { facets }),
    ...(cutPatterns.length === 0 ? {} : { cutPatterns }),
    indexedPages,
    ...(behind === 0 ? {} : { behind }),
    seconds,
  };
}

function resultAsJson(result: CopyResult): Record<string, unknown> {
  const { url, title, snippet, marks, score, hasAll, language, fileType, fetchedAtMs, scoreParts, versions } = result;
  return {
    ...{ url, title, snippet, marks, score, hasAll, language, fileType },
    fetchedAt: isoOrNull(fetchedAtMs),
    ...(versions === null ? {} : { until: isoOrNull(versions.untilMs) }),
    ...(versions === null || versions.matching.length === 0 ? {} : { versions: versions.matching.map(timesAsJson) }),
    ...(scoreParts === null ? {} : { scoreParts }),
  };
}

function timesAsJson({ fromMs, untilMs }: VersionTimes): Record<string, unknown> {
  return { fetchedAt: isoOrNull(fromMs), until: isoOrNull(untilMs) };
}
