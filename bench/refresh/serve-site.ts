/**
 * Serves a site as a variant requires: its server and, where the variant has one, its watcher.
 *
 * The state of the watcher lies beside the copy and is copied with it, so the watcher knows the site from the time of
 * the copy. What always holds: the watcher has seen the whole site before a crawl starts. The time in which it finds
 * changes is not measured here but in bench/watcher/cost.ts.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUNDLE_PATH } from '../../build/bundle-watcher.ts';
import { RunningWatcher } from '../../testbed/watcher/running-watcher.ts';
import type { RunPlace } from '../measure/run-crawler.ts';
import { type RunningServer, serveWeb } from '../web/serve.ts';
import type { Site } from './sites.ts';
import { VARIANT_RULES, type Variant } from './variants.ts';

const POLL_MS = 50;

export function watcherState(copyFolder: string): string {
  return `${copyFolder}.watcher`;
}

export async function serveSite(
  place: RunPlace,
  site: Site,
  variant: Variant,
  copyFolder: string,
  logPath: string,
): Promise<Pick<RunningServer, 'stop'>> {
  const { validators, watcher: hasWatcher } = VARIANT_RULES[variant];
  const serverFolder = join(place.workFolder, 'server');
  const { answerAfterMs = 0 } = place;
  const watcher = hasWatcher ? await startWatcher(place, site, copyFolder) : null;
  try {
    const manners = { validators, answerAfterMs, reportPort: watcher?.port ?? null };
    const server = await serveWeb(place.server, site, serverFolder, logPath, manners);
    return {
      async stop() {
        await server.stop();
        await watcher?.stop();
      },
    };
  } catch (error) {
    await watcher?.stop();
    throw error;
  }
}

async function startWatcher(place: RunPlace, { plan, folder }: Site, copyFolder: string): Promise<RunningWatcher> {
  const { origin } = new URL(plan.seedUrl);
  const startedAtMs = Date.now();
  const watcher = await RunningWatcher.start({
    node: process.execPath,
    file: BUNDLE_PATH,
    words: [
      join(folder, plan.host(0)),
      ...['--url', origin, '--state', watcherState(copyFolder)],
      ...['--listen', '127.0.0.1:0', '--cpu', '100%', '--every', '1h'],
    ],
    cwd: place.workFolder,
    timeoutMs: place.timeoutMs,
  });
  // The watcher answers at once with its old state. It needs a sweep to know the current site.
  for (let head = await watcher.ready(origin, place.timeoutMs); Date.parse(head.at) < startedAtMs; ) {
    await sleep(POLL_MS);
    head = (await watcher.report(origin, '?limit=0')).head;
  }
  return watcher;
}
