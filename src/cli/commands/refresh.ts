/** `orbweaver refresh`: brings the copy up to date at the cost of the changes alone, and lists the changes. */
import { OrbweaverError } from '../../core/errors.ts';
import type { RefreshProgress } from '../../core/events.ts';
import { ASKING_OPTIONS, flagName } from '../../core/options/options.ts';
import { resolveRefreshOptions } from '../../core/options/refresh-options.ts';
import { settleRules } from '../../core/options/stored-rules.ts';
import { LOG_FLAG } from '../../core/text/log-lines.ts';
import { count } from '../../core/text/readable.ts';
import { demoSeeds } from '../../crawl/earlier-runs.ts';
import { readRules } from '../../crawl/place/data-folder.ts';
import { withStoreAt } from '../../crawl/place/open-store.ts';
import { type RefreshSummary, startRefresh } from '../../crawl/refresh.ts';
import {
  COMMON_FLAGS,
  type Command,
  CRAWL_FLAGS,
  countFlag,
  parseArguments,
  REFRESH_FLAGS,
  refuseWords,
  switchFlag,
} from '../arguments.ts';
import { listChanges } from '../list-changes.ts';
import { PLACE_FLAGS, resolveCrawl, WORKER_FLAGS, workerNameOf } from '../named-crawl.ts';
import { clockText, newestTrouble, showEvents } from '../progress.ts';
import { serveDemoAgain } from '../serve-demo.ts';
import { refreshSentences } from '../text/refresh-sentences.ts';
import { printEnd, untilStopped } from '../until-stopped.ts';

const DEFAULT_ROWS = 20;
const MOST_ROWS = 1_000_000;

export const command: Command = {
  help: {
    usage: 'orbweaver refresh [flags]',
    about: `Brings the copy in the data folder up to date and lists the changes. It visits every page, or as many as --budget and
--time allow, the most useful visits first. Servers do not send most of the unchanged pages again. If the watcher, the
sitemaps or the feeds of a site have proved correct, the pages that they do not report are skipped, except for spot
checks. New pages are fetched. With --watch the refresh continues until it is stopped.`,
    examples: [
      'orbweaver refresh --dir docs-copy',
      'orbweaver refresh --budget 500 --dry-run',
      'orbweaver refresh --watch --every 10m --feed changes.atom',
      'orbweaver refresh --only "*/prices/*" --on-change ./tell-me.sh',
    ],
    flags: {
      ...PLACE_FLAGS,
      ...WORKER_FLAGS,
      log: LOG_FLAG,
      ...COMMON_FLAGS,
      'dry-run': { hint: '', help: 'show which pages would be visited, and send no request' },
      show: { hint: '<n>', help: `with --dry-run: number of pages to show (default ${DEFAULT_ROWS})` },
      ...REFRESH_FLAGS,
      ...Object.fromEntries(ASKING_OPTIONS.map(flagName).map((flag) => [flag, CRAWL_FLAGS[flag]!])),
    },
  },

  async run(words) {
    const args = parseArguments('refresh', words, command.help.flags);
    refuseWords('refresh', args, 'to visit only some pages: --only "<pattern>"');
    const crawl = await resolveCrawl(args);
    const { place, sources, again } = crawl;
    const refresh = resolveRefreshOptions(sources);
    if (sources[0]!.given.every !== undefined && !refresh.watch) {
      throw new OrbweaverError('ERR_USAGE', '--every needs --watch: without --watch there is only one round');
    }
    // This fails if the folder has no copy, so that the refresh does not create one.
    const { rules, lastChange, demoAt } = await withStoreAt(place, async (store) => ({
      rules: await readRules(store),
      lastChange: await store.lastChange(),
      demoAt: await demoSeeds(store),
    }));
    if (switchFlag(args, 'dry-run')) {
      const { previewRefresh } = await import('./refresh-preview.ts');
      const rows = countFlag(args, 'show', DEFAULT_ROWS, MOST_ROWS);
      await previewRefresh(place, settleRules(sources, rules), rows, switchFlag(args, 'json'));
      return 0;
    }
    const worker = { name: workerNameOf(crawl), leaseMs: crawl.options.lease };
    const demo = demoAt && (await serveDemoAgain(demoAt));
    let summary: RefreshSummary;
    try {
      const running = startRefresh({ dir: place.dir, place, worker, sources });
      summary = await untilStopped(running, showEvents(process.stderr, 'refresh/progress', progressText));
    } finally {
      await demo?.close();
    }
    const isJson = switchFlag(args, 'json');
    const listed = isJson ? [] : await listChanges(place, lastChange, summary.edits);
    return printEnd(summary, refreshSentences(summary, listed, again), isJson);
  },
};

function progressText(progress: RefreshProgress): string {
  const { elapsedMs, looked, planned, newPages, changed, noise, reread, gone, failed, trouble, bytes } = progress;
  const parts = [
    clockText(elapsedMs),
    `${count(looked)} of ${count(Math.max(planned, looked))} pages`,
    `${count(newPages)} new`,
    `${count(changed)} changed`,
    ...(noise > 0 ? [`${count(noise)} noise`] : []),
    ...(reread > 0 ? [`${count(reread)} parsed for images`] : []),
    ...(gone > 0 ? [`${count(gone)} gone`] : []),
    `${count(failed)} failing${newestTrouble(trouble)}`,
    `${(bytes / 1e6).toFixed(1)} MB`,
  ];
  return parts.join('  ');
}
