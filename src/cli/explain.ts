/** `orbweaver explain <url>`: its state and why. Every URL that was not fetched can say why. */
import { REASONS } from '../core/reasons.ts';
import { tellUrl, type UrlStory } from '../crawl/url-story.ts';
import { readSqliteStore } from '../store/sqlite/sqlite-store.ts';
import { COMMON_FLAGS, parseArguments, stringFlag, switchFlag } from './arguments.ts';
import type { Command } from './command.ts';
import { isoOrNull } from './readable.ts';
import { theOneUrl } from './the-one-url.ts';
import { sentences } from './url-sentences.ts';

export const explainCommand: Command = {
  help: {
    usage: 'orbweaver explain <url> [flags]',
    about: `Says all that the crawl knows of one URL: its state and why, how it was found, where it leads, whether and when it is
tried again, what robots.txt says, and where it is in the archive. For a URL the crawl has not met: which rule would
keep it out.`,
    examples: ['orbweaver explain https://example.com/lost', 'orbweaver explain https://example.com/ --json'],
    flags: COMMON_FLAGS,
  },

  async run(words) {
    const args = parseArguments('explain', words, explainCommand.help.flags);
    const text = theOneUrl('explain', args.words);
    const store = readSqliteStore(stringFlag(args, 'dir', 'orbweaver-data'));
    try {
      const story = await tellUrl(store, text);
      const lines = switchFlag(args, 'json') ? [JSON.stringify(asJson(story))] : sentences(story, Date.now());
      process.stdout.write(`${lines.join('\n')}\n`);
      return 0;
    } finally {
      await store.close();
    }
  },
};

/** What `--json` prints: the fields are a contract. */
function asJson(story: UrlStory): Record<string, unknown> {
  const { record, via, redirects, redirectsLoop, robots, host, instead } = story;
  const reason = record === null ? story.keptOutBy : record.reason;
  const capture = record?.capture ?? null;
  return {
    url: story.url,
    known: record !== null,
    state: record?.state ?? null,
    reason,
    why: reason === null ? null : REASONS[reason],
    depth: record?.depth ?? null,
    via,
    original: record?.original ?? null,
    redirects: redirects.map(({ url }) => url),
    redirectsLoop,
    failures: record?.failures ?? 0,
    triedAgainAt: record?.state === 'waiting' ? isoOrNull(record.dueAtMs) : null,
    hostBlockedUntil: isoOrNull(host?.manners.blockedUntilMs || null),
    instead,
    duplicateOf: record?.duplicateOf ?? null,
    canonical: record?.canonical ?? null,
    title: record?.digest ? record.title : null,
    robots: { state: robots.state, allowed: robots.state === 'not-asked' ? null : robots.refusal === null },
    capture: capture && { ...capture, fetchedAtMs: undefined, fetchedAt: isoOrNull(capture.fetchedAtMs) },
  };
}
