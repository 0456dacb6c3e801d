/**
 * Measures the cost of updating a copy of a site with a watcher and without one. In: options. Out: measured runs.
 *
 * The site, its changes, the copies and the checks come from the refresh benchmark (bench/refresh). What always holds:
 * every copy was made before the change, rounds are interleaved, and the server counts the sent pages.
 */
import { join } from 'node:path';
import type { RunPlace } from '../measure/run-crawler.ts';
import { CONTENDERS, type ContenderName } from '../refresh/contenders.ts';
import { type FirstCopy, makeFirstCopy } from '../refresh/kept-copies.ts';
import { runUpdate, type UpdateRun } from '../refresh/run-update.ts';
import { SiteStates } from '../refresh/site-states.ts';
import type { Variant } from '../refresh/variants.ts';
import type { ServerProgram } from '../web/serve.ts';
import type { WatcherOptions } from './options.ts';

/** One compared way: the contender, and the information that the site gives. */
export interface Way {
  readonly title: string;
  readonly contender: ContenderName;
  readonly variant: Variant;
}

export const WAYS: readonly Way[] = [
  { title: 'refresh, watcher', contender: 'refresh', variant: 'watcher' },
  { title: 'refresh, validators', contender: 'refresh', variant: 'validators' },
  { title: 'refresh, sitemap', contender: 'refresh', variant: 'sitemap' },
  { title: 'wget -N -r', contender: 'wget', variant: 'validators' },
  { title: 'crawl, full', contender: 'crawl', variant: 'validators' },
];

export interface FarRun extends UpdateRun {
  readonly answerAfterMs: number;
}

export async function measureRefreshes(
  options: WatcherOptions,
  workFolder: string,
  server: ServerProgram,
  report: (text: string) => void,
): Promise<FarRun[]> {
  const { pages, share, seed, repeat, timeoutMs, answerAfterMs } = options;
  const variants = [...new Set(WAYS.map(({ variant }) => variant))];
  const only = [...new Set(WAYS.map(({ contender }) => contender))];
  const shape = { pages, slowPages: pages, shares: [share], variants, only, repeat, seed, timeoutMs, partial: true };
  const states = await SiteStates.before(shape, workFolder, report);
  const place: RunPlace = { workFolder: join(workFolder, 'watcher'), server, timeoutMs };

  const copies: { way: Way; copy: FirstCopy }[] = [];
  for (const way of WAYS) {
    const contender = CONTENDERS.find(({ name }) => name === way.contender)!;
    const { ready, reason } = await prepared(contender.crawler, workFolder, report);
    const copy: FirstCopy = ready
      ? await makeFirstCopy(place, contender, states.asItWas(contender, way.variant), way.variant)
      : { ready, reason };
    report(`first copy, ${way.title}: ${copy.ready ? 'ready' : copy.reason}`);
    copies.push({ way, copy });
  }
  report('changing the site');
  await states.change([share]);

  const runs: FarRun[] = [];
  for (let round = 1; round <= repeat; round++) {
    for (const lateMs of answerAfterMs) {
      for (const { way, copy } of copies) {
        if (!copy.ready) continue;
        const contender = CONTENDERS.find(({ name }) => name === way.contender)!;
        const site = states.asItIs(contender, way.variant, share);
        const far: RunPlace = { ...place, answerAfterMs: lateMs };
        const run = await runUpdate(far, contender, copy.folder, site, { variant: way.variant, share, round });
        runs.push({ ...run, answerAfterMs: lateMs });
        const figures = `${run.wallSeconds.toFixed(2)} s, ${run.requests} requests, ${(run.sentBytes / 1e6).toFixed(2)} MB`;
        report(
          `${round}/${repeat} after ${lateMs} ms ${way.title}: ${figures}${run.failure ? ` FAILED: ${run.failure}` : ''}`,
        );
      }
    }
  }
  return runs;
}

type Prepared = { readonly ready: true; readonly reason: '' } | { readonly ready: false; readonly reason: string };
const known = new Map<string, Prepared>();

async function prepared(
  crawler: (typeof CONTENDERS)[number]['crawler'],
  workFolder: string,
  report: (text: string) => void,
): Promise<Prepared> {
  const before = known.get(crawler.name);
  if (before !== undefined) return before;
  const found = await crawler.prepare(workFolder, (text) => report(`${crawler.name}: ${text}`));
  const result: Prepared = found.ready ? { ready: true, reason: '' } : { ready: false, reason: found.reason };
  known.set(crawler.name, result);
  return result;
}
