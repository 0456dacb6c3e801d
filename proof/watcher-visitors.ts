/**
 * Fifty hostile visitors attack a watcher for ten minutes. Honest crawlers follow the site with `refresh --watch` while
 * its pages change. The proof measures the time from a change on the disk to its arrival in each copy, first without
 * the visitors and then with them, in the same run.
 *
 * `words`: the minutes with visitors, for example `npm run proof -- watcher-visitors -- 1`.
 */
import { join } from 'node:path';
import { bundleWatcher } from '../build/bundle-watcher.ts';
import { letIn, timesOf, VisitedSite } from '../testbed/watcher/visited-site.ts';
import type { Proof } from './proof.ts';

const VISITORS = 50;
const CRAWLERS = 3;
const PAGES = 300;
const EVERY = '5s';
const BETWEEN_MS = 1_000;
const MINUTES = 10;
/** Time without visitors, as a share of the time with visitors. It comes first. */
const ALONE_SHARE = 0.3;
/** A change that has not arrived after this time is lost. */
const WAIT_MS = 120_000;
const MOST_TIMES = 2;

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;

export const proof: Proof = {
  claim: `${VISITORS} hostile visitors at a watcher keep no change from honest crawlers, nor hold it up for long.`,

  async run({ workFolder, report, words }) {
    const visitedMs = Number(words[0] ?? MINUTES) * 60_000;
    const bundle = await bundleWatcher(join(workFolder, 'orbweaver-watcher.mjs'));
    const folder = join(workFolder, 'site');
    const plan = { folder, watcher: bundle.path, pages: PAGES, crawlers: CRAWLERS, every: EVERY };
    const site = await VisitedSite.open(plan);
    try {
      report(`${CRAWLERS} crawlers follow the site; without visitors first.`);
      const alone = await site.measure(visitedMs * ALONE_SHARE, BETWEEN_MS, WAIT_MS);
      const before = timesOf(alone);
      report(`median ${seconds(before.median)}, 95 % within ${seconds(before.p95)}; now ${VISITORS} visitors come.`);
      const visitors = await letIn(site.watcherPort, VISITORS);
      const visited = await site.measure(visitedMs, BETWEEN_MS, WAIT_MS);
      const asked = await visitors.stop();
      const after = timesOf(visited);
      const { peakRssMb, cpuSeconds } = site.watcherUse;
      const bound = MOST_TIMES * before.median;
      const inTime = visited.filter(({ tookMs }) => tookMs !== null && tookMs <= bound).length;
      const aloneInTime = alone.filter(({ tookMs }) => tookMs !== null && tookMs <= bound).length;
      const share = (part: number, all: number) => `${((100 * part) / all).toFixed(1)} %`;
      const times = (now: number, then: number) => `${seconds(now)}, ${(now / then).toFixed(2)} times as long`;
      return {
        rows: [
          {
            what: 'changes that did not arrive, without visitors',
            target: '0',
            measured: `${before.lost} of ${alone.length}`,
            holds: before.lost === 0,
          },
          {
            what: 'changes that did not arrive, with visitors',
            target: '0',
            measured: `${after.lost} of ${visited.length}`,
            holds: after.lost === 0,
          },
          {
            what: 'median time from change to arrival, with visitors',
            target: `at most ${MOST_TIMES} times that without, ${seconds(before.median)}`,
            measured: times(after.median, before.median),
            holds: after.median <= bound,
          },
          {
            what: 'time within which 95 % arrived, with visitors',
            target: `at most ${MOST_TIMES} times that without, ${seconds(before.p95)}`,
            measured: times(after.p95, before.p95),
            holds: after.p95 <= MOST_TIMES * before.p95,
          },
        ],
        notes: [
          `${CRAWLERS} crawlers with refresh --watch --every ${EVERY}, ${PAGES} pages, a change every ${BETWEEN_MS / 1_000} s; the watcher with its defaults.`,
          `Within twice the median without visitors: ${share(aloneInTime, alone.length)} of the changes without visitors, ${share(inTime, visited.length)} with them. The longest took ${seconds(before.longest)} and ${seconds(after.longest)}.`,
          `The watcher used ${Math.round(peakRssMb)} MB at most and ${cpuSeconds.toFixed(1)} s of CPU time in the whole run.`,
          `Half of the visitors shared one address, the others had one each. What they asked, and how they were answered (0: cut off or not waited for): ${Object.entries(
            asked,
          )
            .map(([kind, { asked: count, statuses }]) => `${kind} ${count} ${JSON.stringify(statuses)}`)
            .join('; ')}.`,
          `What the crawlers said: ${[...new Set(site.warnings.map((line) => line.replace(/(?:evil|circle|orbweaver)-\w+/, '<name>')))].join(' | ')}`,
        ],
        details: { before, after, asked },
      };
    } finally {
      await site.close();
    }
  },
};
