/** `orbweaver crawl <url...>`: crawls and keeps a copy. If the folder already has a copy, the crawl continues. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';
import { resolveOptions } from '../../core/options/options.ts';
import { startCrawl } from '../../crawl/crawl.ts';
import type { CrawlSummary } from '../../crawl/crawl-summary.ts';
import type { DemoWeb } from '../../demo/demo-web.ts';
import { COMMON_FLAGS, type Command, CRAWL_FLAGS, parseArguments, switchFlag } from '../arguments.ts';
import { ASSIGN_FLAG, type NamedCrawl, PLACE_FLAGS, resolveCrawl, WORKER_FLAGS } from '../named-crawl.ts';
import { printJson, printLines, say } from '../output.ts';
import { showProgress } from '../progress.ts';
import { count, guessSentence, plural } from '../text/readable.ts';
import { leaselessSentence } from '../text/refresh-sentences.ts';
import { EXIT_INTERRUPTED, untilStopped } from '../until-stopped.ts';

export const command: Command = {
  help: {
    usage: 'orbweaver crawl <url...> [flags]',
    about: `Crawls the sites of the URLs and keeps a copy in the data folder. If the crawl stops for any reason, the same command
continues it. Without a URL, the command continues the crawl of the folder; in a new folder it crawls a demo web that it
serves itself.
With --store the crawl is kept in a PostgreSQL database instead, and workers on other machines can join it (orbweaver
work). This process is the first worker and stays until the whole crawl is done. Put the password into PGPASSWORD, or
the URL into ORBWEAVER_STORE; a password in --store is refused.`,
    examples: [
      'orbweaver crawl https://example.com/ --limit 1000',
      'orbweaver crawl https://example.com/docs/ --scope prefix --dir docs-copy',
      'orbweaver crawl                      # the demo web, on this machine',
      'orbweaver crawl https://example.com/ --store postgres://crawler@db.example/crawls --name news',
      'orbweaver crawl https://example.com/ --store postgres://crawler@db.example/crawls --plan',
    ],
    flags: {
      ...PLACE_FLAGS,
      plan: { hint: '', help: 'with --store: only plan the crawl; orbweaver work carries it out' },
      assign: ASSIGN_FLAG,
      ...WORKER_FLAGS,
      ...COMMON_FLAGS,
      ...CRAWL_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('crawl', words, command.help.flags);
    const crawl = await resolveCrawl(args);
    refuseDatabases(args.words);
    const { dir, cluster } = crawl.place;
    const options = resolveOptions(crawl.sources);
    const isDemo = args.words.length === 0 && cluster === null && !existsSync(join(dir, 'crawl.db'));
    if (isDemo && Array.isArray(options.allowPrivate)) throw noSeedBut(options.allowPrivate);
    // The demo web is imported only here: an HTTP server is expensive to load, and a crawl does not need it.
    const demo = isDemo ? await (await import('../../demo/demo-web.ts')).startDemoWeb() : null;
    if (demo) say(`No URL given: crawling the demo web at ${demo.seeds[0]} into ${dir}`);
    const plansOnly = switchFlag(args, 'plan');
    try {
      const request = {
        dir,
        seeds: demo?.seeds ?? args.words,
        options: demo ? demoOptions(options) : options,
        ...(cluster && { cluster: { ...(await joining(crawl, args.words)), plansOnly } }),
      };
      const summary = await untilStopped(startCrawl(request), showProgress(process.stderr));
      if (switchFlag(args, 'json')) printJson(summary);
      else printLines((plansOnly ? planLines : endLines)(summary, crawl, demo));
      return summary.ending === 'interrupted' ? EXIT_INTERRUPTED : 0;
    } finally {
      await demo?.close();
    }
  },
};

/** With URLs a crawl begins. Without URLs there must be a crawl to continue. */
async function joining(crawl: NamedCrawl, seeds: readonly string[]) {
  return (await import('./work.ts')).clusterEntryOf(crawl, seeds.length > 0 ? 'begin' : 'work');
}

/** The word after --allow-private is the value of the flag, but the user may have meant it as the URL. */
function noSeedBut(allowed: readonly string[]): OrbweaverError {
  const message = `the URL to start from is missing: ${allowed.join(', ')} was read as the value of --allow-private; write URLs with https://`;
  return new OrbweaverError('ERR_USAGE', message);
}

/** The message does not repeat the word, because the word may contain a password. */
function refuseDatabases(words: readonly string[]): void {
  if (!words.some((word) => /^postgres(?:ql)?:/i.test(word))) return;
  throw new OrbweaverError('ERR_USAGE', 'write the URL of a database after --store, without a password');
}

/** The demo is one web on several hosts. It should show retries and delays without making the user wait for them. */
function demoOptions<T extends { readonly scope: string }>(options: T): T {
  return { ...options, scope: 'any', patience: 3_000, patternBudget: 15 };
}

function endLines(summary: CrawlSummary, { again }: NamedCrawl, demo: DemoWeb | null): string[] {
  const {
    ending,
    pages,
    duplicates,
    failed,
    skipped,
    waiting,
    hosts,
    bytes,
    seconds,
    pagesPerSecond,
    peakRssMb,
    harvest,
    guesses,
    withoutLease = [],
  } = summary;
  const ended = { done: 'Done', limit: 'Limit reached', interrupted: 'Interrupted, all saved' }[ending];
  return [
    `${ended}: ${plural(pages, 'page')} and ${plural(duplicates, 'duplicate')} of ${plural(hosts, 'host')} in ${seconds.toFixed(1)} s ` +
      `(${count(Math.round(pagesPerSecond))} pages/s, ${(bytes / 1e6).toFixed(1)} MB, ${peakRssMb} MB of memory)`,
    `${count(failed)} failed, ${count(skipped)} skipped, ${count(waiting)} waiting`,
    ...(harvest === undefined ? [] : [`${Math.round(100 * harvest)} % of the pages are on topic (harvest rate)`]),
    ...(guesses === undefined ? [] : [guessSentence(guesses)]),
    ...withoutLease.map(leaselessSentence),
    demo || ending !== 'interrupted'
      ? `Look at it: orbweaver status ${again}    orbweaver export --format jsonl ${again}`
      : `Continue: orbweaver crawl ${again}`,
  ];
}

function planLines({ waiting, pages, hosts }: CrawlSummary, { title, again }: NamedCrawl): string[] {
  return [
    `Planned ${title}: ${plural(waiting, 'URL')} of ${plural(hosts, 'host')} waiting, the copy has ${plural(pages, 'page')}.`,
    `Work on it, on any machine: orbweaver work ${again}`,
  ];
}
