/** `orbweaver crawl <url...>`: crawls and keeps a copy. If the folder already has a copy, the crawl continues. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { OrbweaverError } from '../../core/errors.ts';
import { resolveOptions } from '../../core/options/options.ts';
import { LOG_FLAG } from '../../core/text/log-lines.ts';
import { count, guessSentence, plural } from '../../core/text/readable.ts';
import { startCrawl } from '../../crawl/crawl.ts';
import type { CrawlSummary } from '../../crawl/crawl-summary.ts';
import {
  COMMON_FLAGS,
  type Command,
  CRAWL_FLAGS,
  type ParsedArguments,
  parseArguments,
  switchFlag,
} from '../arguments.ts';
import { showLiveView } from '../live-view.ts';
import { say } from '../log.ts';
import {
  ASSIGN_FLAG,
  CRAWLING_WORKER_FLAGS,
  type NamedCrawl,
  ownWords,
  PLACE_FLAGS,
  resolveCrawl,
  shellWord,
} from '../named-crawl.ts';
import { showProgress } from '../progress.ts';
import { DEMO_DIR, DEMO_RULES, demoSeedsIn, serveDemo, serveDemoAgain } from '../serve-demo.ts';
import { leaselessSentence } from '../text/refresh-sentences.ts';
import { leftOutSentence, seedSentences, waitingHostSentences } from '../text/trouble-sentences.ts';
import { printEnd, untilStopped } from '../until-stopped.ts';

export const command: Command = {
  help: {
    usage: 'orbweaver crawl <url...> [flags]',
    about: `Crawls the sites of the URLs and keeps a copy in the data folder. If the crawl stops for any reason, the same command
continues it, and so does the command without URLs and rules: the seeds and the rules are stored with the crawl. A flag
that is given again replaces the stored rule. Headers, logins, proxies and keys are never stored: give them again.
Without a URL, a folder and a crawl to continue, the command crawls a demo web that it serves itself into
./orbweaver-demo.
With --store the crawl is kept in a PostgreSQL database instead, and workers on other machines can join it (orbweaver
work). This process is the first worker and stays until the whole crawl is done. Put the password into PGPASSWORD, or
the URL into ORBWEAVER_STORE; a password in --store is refused.`,
    examples: [
      'orbweaver crawl https://example.com/ --limit 1000',
      'orbweaver crawl https://example.com/docs/ --scope prefix --dir docs-copy',
      'orbweaver crawl                      # the demo web, on this machine',
      'orbweaver crawl https://example.com/ --serve   # with a live view in the browser',
      'orbweaver crawl https://example.com/ --store postgres://crawler@db.example/crawls --name news',
      'orbweaver crawl https://example.com/ --store postgres://crawler@db.example/crawls --plan',
    ],
    flags: {
      ...PLACE_FLAGS,
      add: { hint: '', help: 'add the URLs to the seeds of an existing crawl that has none of them' },
      serve: { hint: '', help: 'show the crawl in a browser while it runs, and stay open until Ctrl-C' },
      plan: { hint: '', help: 'with --store: only plan the crawl; orbweaver work carries it out' },
      assign: ASSIGN_FLAG,
      ...CRAWLING_WORKER_FLAGS,
      log: LOG_FLAG,
      ...COMMON_FLAGS,
      ...CRAWL_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('crawl', words, command.help.flags);
    const crawl = await crawlOrDemo(args);
    refuseDatabases(args.words);
    const { dir, cluster } = crawl.place;
    const { allowPrivate, sitemapOnly } = resolveOptions(crawl.sources);
    const isNew = cluster === null && !existsSync(join(dir, 'crawl.db'));
    const isDemo = args.words.length === 0 && isNew;
    if (isDemo && Array.isArray(allowPrivate)) throw noSeedBut(allowPrivate);
    if (isDemo) refuseOtherFolder(args, dir);
    const demoAt = cluster === null ? await demoSeedsIn(dir) : null;
    const demo = isDemo ? await serveDemo(dir) : demoAt && (await serveDemoAgain(demoAt));
    const plansOnly = switchFlag(args, 'plan');
    const view = (isDemo || switchFlag(args, 'serve')) && cluster === null ? await showLiveView(dir) : null;
    try {
      const request = {
        dir,
        seeds: isDemo ? demo!.seeds : args.words,
        sources: isDemo ? [...crawl.sources, DEMO_RULES] : crawl.sources,
        adds: switchFlag(args, 'add'),
        isDemo,
        ...(cluster && { cluster: { ...(await joining(crawl, args.words)), plansOnly } }),
      };
      const summary = await untilStopped(startCrawl(request), showProgress(process.stderr));
      const lines = plansOnly ? planLines(summary, crawl) : endLines(summary, crawl, ownWords(args));
      const exitCode = printEnd(summary, lines, switchFlag(args, 'json'));
      if (sitemapOnly && !plansOnly && summary.pages + summary.duplicates <= args.words.length) {
        say(
          'No sitemap lists a page, so only the given URLs were fetched. Without --sitemap-only, links are followed.',
        );
      }
      // The demo of a script ends by itself.
      if (switchFlag(args, 'serve') || process.stderr.isTTY) await view?.untilSignal();
      return exitCode;
    } finally {
      await view?.close();
      await demo?.close();
    }
  },
};

/** The crawl that the user names. Without a URL and a crawl to continue, it is the crawl of the demo web. */
async function crawlOrDemo(args: ParsedArguments): Promise<NamedCrawl> {
  const crawl = await resolveCrawl(args);
  const { dir, cluster } = crawl.place;
  if (args.words.length > 0 || args.flags.dir !== undefined || cluster !== null) return crawl;
  return ['crawl.db', 'archive'].some((name) => existsSync(join(dir, name))) ? crawl : resolveCrawl(args, DEMO_DIR);
}

/**
 * With URLs a crawl begins. Without URLs there must be a crawl to continue. A new assignment of hosts holds at once,
 * before the plan stores it.
 */
async function joining(crawl: NamedCrawl, seeds: readonly string[]) {
  const assigning = crawl.sources.some(({ given }) => given.assign !== undefined) ? crawl.options.assign : null;
  return (await import('./work.ts')).clusterEntryOf(crawl, seeds.length > 0 ? 'begin' : 'work', assigning);
}

/** The word after --allow-private is the value of the flag, but the user may have meant it as the URL. */
function noSeedBut(allowed: readonly string[]): OrbweaverError {
  const message = `the URL to start from is missing: ${allowed.join(', ')} was read as the value of --allow-private; write URLs with https://`;
  return new OrbweaverError('ERR_USAGE', message);
}

/** A folder without a crawl is most often a misspelt one, so the demo web is crawled only into its own folder. */
function refuseOtherFolder({ flags }: ParsedArguments, dir: string): void {
  if (flags.dir === undefined || resolve(dir) === resolve(DEMO_DIR) || existsSync(join(dir, 'archive'))) return;
  throw new OrbweaverError(
    'ERR_USAGE',
    `there is no crawl in ${dir} to continue; check the folder, or give the URL to start from: orbweaver crawl ` +
      `<url> --dir ${shellWord(dir)}; the demo web is crawled without --dir`,
  );
}

/** The message does not repeat the word, because the word may contain a password. */
function refuseDatabases(words: readonly string[]): void {
  if (!words.some((word) => /^postgres(?:ql)?:/i.test(word))) return;
  throw new OrbweaverError('ERR_USAGE', 'write the URL of a database after --store, without a password');
}

function endLines(summary: CrawlSummary, { again }: NamedCrawl, own: string): string[] {
  const {
    ending,
    pages,
    duplicates,
    hosts,
    bytes,
    seconds,
    pagesPerSecond,
    peakRssMb,
    harvest,
    guesses,
    withoutLease = [],
  } = summary;
  const ended = { done: 'Done', limit: 'Limit reached', interrupted: 'Interrupted, all saved', failed: 'Failed' }[
    ending
  ];
  return [
    `${ended}: ${plural(pages, 'page')} and ${plural(duplicates, 'duplicate')} of ${plural(hosts, 'host')} in ${seconds.toFixed(1)} s ` +
      `(${count(Math.round(pagesPerSecond))} pages/s, ${(bytes / 1e6).toFixed(1)} MB, ${peakRssMb} MB of memory)`,
    leftOutSentence(summary),
    ...seedSentences(summary, again),
    ...waitingHostSentences(summary),
    ...(harvest === undefined ? [] : [`${Math.round(100 * harvest)} % of the pages are on topic (harvest rate)`]),
    ...(guesses === undefined ? [] : [guessSentence(guesses)]),
    ...withoutLease.map(leaselessSentence),
    ending === 'interrupted'
      ? `Continue: orbweaver crawl ${again}${own}`
      : `Look at it: orbweaver status ${again}    orbweaver export --format jsonl ${again}`,
    ...(ending === 'limit' ? [`Continue: orbweaver crawl ${again}${own} --limit <n>    (0: no limit)`] : []),
  ];
}

function planLines({ waiting, pages, hosts }: CrawlSummary, { title, again }: NamedCrawl): string[] {
  return [
    `Planned ${title}: ${plural(waiting, 'URL')} of ${plural(hosts, 'host')} waiting, the copy has ${plural(pages, 'page')}.`,
    `Work on it, on any machine: orbweaver work ${again}`,
  ];
}
