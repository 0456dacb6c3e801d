/** `orbweaver crawl <url...>`: crawl and keep a copy; on a folder that has one, go on with it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resolveOptions } from '../core/options.ts';
import { startCrawl } from '../crawl/crawl.ts';
import type { CrawlSummary } from '../crawl/crawl-summary.ts';
import type { DemoWeb } from '../demo/demo-web.ts';
import { COMMON_FLAGS, CRAWL_FLAGS, parseArguments, stringFlag, switchFlag } from './arguments.ts';
import type { Command } from './command.ts';
import { PLACE_FLAGS } from './named-crawl.ts';
import { optionSources } from './option-sources.ts';
import { showProgress } from './progress.ts';
import { count } from './readable.ts';
import { EXIT_INTERRUPTED, untilStopped } from './until-stopped.ts';

export const crawlCommand: Command = {
  help: {
    usage: 'orbweaver crawl <url...> [flags]',
    about: `Crawls the sites of the URLs and keeps a copy in the data folder. Running it again on the same folder goes on where it
stopped, however it stopped. With no URL it goes on with the folder's crawl or, in a new folder, crawls a demo web
that it serves itself.`,
    examples: [
      'orbweaver crawl https://example.com/ --limit 1000',
      'orbweaver crawl https://example.com/docs/ --scope prefix --dir docs-copy',
      'orbweaver crawl                      # the demo web, on this machine',
    ],
    flags: {
      ...PLACE_FLAGS,
      ...COMMON_FLAGS,
      ...CRAWL_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('crawl', words, crawlCommand.help.flags);
    const dir = stringFlag(args, 'dir', 'orbweaver-data');
    const options = resolveOptions(optionSources(args, dir));
    const isDemo = args.words.length === 0 && !existsSync(join(dir, 'crawl.db'));
    // Loaded only here: an HTTP server is much to load for a crawl that needs none.
    const demo = isDemo ? await (await import('../demo/demo-web.ts')).startDemoWeb() : null;
    if (demo) process.stderr.write(`No URL given: crawling the demo web at ${demo.seeds[0]} into ${dir}\n`);
    try {
      const summary = await crawlUntilStopped(dir, demo?.seeds ?? args.words, demo ? demoOptions(options) : options);
      report(summary, switchFlag(args, 'json'), dir, demo);
      return summary.ending === 'interrupted' ? EXIT_INTERRUPTED : 0;
    } finally {
      await demo?.close();
    }
  },
};

/** The demo is one web on several hosts; its retries and delays are there to be seen, not to be waited for. */
function demoOptions<T extends { readonly scope: string }>(options: T): T {
  return { ...options, scope: 'any', patience: 3_000, patternBudget: 15 };
}

function crawlUntilStopped(
  dir: string,
  seeds: readonly string[],
  options: Parameters<typeof startCrawl>[0]['options'],
): Promise<CrawlSummary> {
  return untilStopped(startCrawl({ dir, seeds, options }), showProgress(process.stderr));
}

function report(summary: CrawlSummary, json: boolean, dir: string, demo: DemoWeb | null): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(summary)}\n`);
    return;
  }
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
  } = summary;
  const ended = { done: 'Done', limit: 'Limit reached', interrupted: 'Interrupted, all saved' }[ending];
  process.stdout.write(
    `${ended}: ${count(pages)} pages and ${count(duplicates)} duplicates of ${count(hosts)} hosts in ${seconds.toFixed(1)} s ` +
      `(${count(Math.round(pagesPerSecond))} pages/s, ${(bytes / 1e6).toFixed(1)} MB, ${peakRssMb} MB of memory)\n` +
      `${count(failed)} failed, ${count(skipped)} skipped, ${count(waiting)} waiting\n` +
      (harvest === undefined ? '' : `${Math.round(100 * harvest)} % of the pages are on topic (harvest rate)\n`),
  );
  const again = `--dir ${dir}`;
  process.stdout.write(
    demo || ending !== 'interrupted'
      ? `Look at it: orbweaver status ${again}    orbweaver export --format jsonl ${again}\n`
      : `Go on: orbweaver crawl ${again}\n`,
  );
}
