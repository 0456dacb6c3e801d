/**
 * Lives through the timelines of a site: a real crawl, and a real refresh for every look, of a web that shows at each
 * look what the pages showed then. In: the timelines and the times of the looks. Out: what each look at a page found.
 */
import { rm } from 'node:fs/promises';
import { startCrawl } from '../../src/crawl/crawl.ts';
import { startRefresh } from '../../src/crawl/refresh.ts';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { startWeb } from '../../testbed/web/local-web.ts';
import { readSnapshot, type SiteTimelines, type Snapshot, type Timeline } from './read-timelines.ts';

export interface FoundByLook {
  readonly page: string;
  /** From 1; the crawl is look 0. */
  readonly look: number;
  readonly hasOtherBytes: boolean;
  /** The text that matters on the page has changed since the last look. */
  readonly isReal: boolean;
  readonly isAlarm: boolean;
  /** `own` or `template`; null if it is not known or there was no alarm. */
  readonly part: string | null;
}

export interface Replay {
  readonly repository: string;
  readonly site: SiteTimelines;
  readonly timesMs: readonly number[];
  readonly learns: boolean;
  readonly dir: string;
}

export async function replaySite({ repository, site, timesMs, learns, dir }: Replay): Promise<readonly FoundByLook[]> {
  await rm(dir, { recursive: true, force: true });
  const web = await startWeb();
  let nowMs = timesMs[0]!;
  const pages = new Map(site.timelines.map((timeline, at) => [`/page/${at}`, timeline]));
  const bodies = new Map<string, Buffer>();
  for (const path of pages.keys()) {
    web.on(path, ({ response }) => {
      const body = bodies.get(path);
      response.writeHead(body ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(body);
    });
  }
  const given = { patience: '0s', scope: 'page', learnNoise: learns, watchers: false, sources: false };
  const sources = [{ from: 'the benchmark', given }];
  const found: FoundByLook[] = [];
  try {
    for (const [look, atMs] of timesMs.entries()) {
      const before = new Map(bodies);
      const sinceMs = nowMs;
      nowMs = atMs;
      for (const [path, timeline] of pages) {
        const snapshot = newestAt(timeline, atMs);
        if (snapshot !== null) bodies.set(path, await readSnapshot(repository, snapshot, timeline.path));
      }
      if (look === 0) {
        const seeds = [...pages.keys()].map((path) => web.url(path));
        await startCrawl({ dir, seeds, sources: [{ from: 'the benchmark', given: CRAWL }] }).summary;
        continue;
      }
      const after = await lastChange(dir);
      await startRefresh({ dir, sources }).summary;
      const alarms = await alarmsAfter(dir, after);
      for (const [path, timeline] of pages) {
        if (!before.has(path)) continue;
        const alarm = alarms.get(web.url(path));
        found.push({
          page: timeline.path,
          look,
          hasOtherBytes: !before.get(path)!.equals(bodies.get(path)!),
          isReal: timeline.changedMs.some((changedMs) => changedMs > sinceMs && changedMs <= atMs),
          isAlarm: alarm !== undefined,
          part: alarm ?? null,
        });
      }
    }
  } finally {
    await web.close();
    await rm(dir, { recursive: true, force: true });
  }
  return found;
}

const CRAWL = { scope: 'page', watchers: false, units: 1 };

function newestAt({ snapshots }: Timeline, atMs: number): Snapshot | null {
  return snapshots.findLast((snapshot) => snapshot.atMs <= atMs) ?? null;
}

async function lastChange(dir: string): Promise<number> {
  const store = readSqliteStore(dir);
  try {
    return await store.lastChange();
  } finally {
    await store.close();
  }
}

async function alarmsAfter(dir: string, after: number): Promise<ReadonlyMap<string, string>> {
  const store = readSqliteStore(dir);
  try {
    const changes = await store.changes(after, 10_000);
    return new Map(changes.filter(({ kind }) => kind === 'changed').map(({ url, part }) => [url, part ?? 'unknown']));
  } finally {
    await store.close();
  }
}
