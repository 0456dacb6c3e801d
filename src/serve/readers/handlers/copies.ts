/** The counts and the state of a copy. */
import { clusterStatus } from '../../../copy/cluster-status.ts';
import { flagName } from '../../../core/options/options.ts';
import { seedsNoted } from '../../../crawl/earlier-runs.ts';
import { readIndexStatus } from '../../../crawl/following/search/index-status.ts';
import { readRules } from '../../../crawl/place/data-folder.ts';
import type { Cluster } from '../../../store/cluster.ts';
import type { Counts } from '../../../store/contract.ts';
import type { CopyDetail, CopySummary } from '../../contract/copies.ts';
import type { Live } from '../../contract/live.ts';
import { shellWords } from '../../runs/command-words.ts';
import { runOf, toChart, toRun } from '../../runs/run-state.ts';
import type { Handlers } from '../answer-route.ts';
import type { OpenCopy } from '../open-copies.ts';
import { latestPages } from './latest-pages.ts';

const MOST_SEEDS = 5;
const LATEST_SHOWN = 20;
const MOST_WORKERS = 200;

export const handlers: Handlers = {
  getCopy: async ({ open }) => {
    const { store, copy } = open;
    const counts = await store.counts();
    const search = await readIndexStatus(store, copy.place).catch(() => null);
    const files = await store.archiveFiles();
    const rules = await readRules(store);
    const { states, reasons, retrying, wireBytes, judged, onTopic } = counts;
    return {
      summary: await summaryOf(open, counts, search !== null),
      states,
      reasons: reasons as Record<string, number>,
      retrying,
      archive: { files: files.size, bytes: [...files.values()].reduce((sum, bytes) => sum + bytes, 0) },
      receivedBytes: wireBytes,
      command: shellWords('crawl', copy.again),
      refreshCommand: shellWords('refresh', copy.again),
      secrets: (rules?.secrets ?? []).map((name) => `--${flagName(name)}`),
      followers: await followersOf(open),
      search: search && { pages: search.pages, bytes: search.bytes, behind: search.behind },
      damaged: await store.damagedCaptures(),
      topic: judged === 0 ? null : { judged, onTopic },
    } satisfies CopyDetail;
  },

  getLive: async ({ open }) => {
    const { store, copy } = open;
    const { live, state, isStale } = runOf(copy, null);
    const { cluster } = store;
    const workers = cluster === undefined ? [] : await workersOf(cluster);
    return {
      ...{ run: live && toRun(live, state), chart: live && toChart(live), isStale },
      latest: await latestPages(store, LATEST_SHOWN),
      workers,
    } satisfies Live;
  },
};

async function workersOf(cluster: Cluster): Promise<Live['workers']> {
  const { workers } = clusterStatus(await cluster.workers(), await cluster.nowMs());
  return workers.slice(0, MOST_WORKERS).map((worker) => ({
    name: worker.name,
    state: worker.state,
    machine: worker.machine,
    pages: worker.pages,
    pagesPerSecond: worker.pagesPerSecond,
    errors: worker.errors,
    memoryMb: worker.memoryMb,
    hosts: worker.hosts,
    requests: worker.requests,
    silentSeconds: worker.silentSeconds,
    lastError: worker.lastError,
  }));
}

async function summaryOf({ store, copy }: OpenCopy, counts: Counts, isSearchable: boolean): Promise<CopySummary> {
  const { states, retrying, hosts, bytes } = counts;
  const lastLookMs = await store.lastLookMs();
  return {
    ...{ id: copy.id, title: copy.title, hosts, bytes, isSearchable },
    kind: copy.place.cluster === null ? 'folder' : 'database',
    state: runOf(copy, null).state,
    problem: null,
    seeds: (await seedsNoted(store)).slice(0, MOST_SEEDS),
    pages: states.fetched,
    waiting: states.waiting,
    failed: states.failed + retrying,
    skipped: states.skipped,
    changes: await store.lastChange(),
    refreshedAt: lastLookMs === null ? null : new Date(lastLookMs).toISOString(),
    canRun: copy.place.cluster === null,
  };
}

async function followersOf({ store }: OpenCopy): Promise<CopyDetail['followers']> {
  const nowMs = Date.now();
  const newest = await store.lastChange();
  return (await store.followers()).map(({ name, position, heldUntilMs }) => ({
    name,
    // The position of a follower of changes is the number of a change; others have positions of their own.
    behind: position !== null && /^\d+$/.test(position) ? Math.max(0, newest - Number(position)) : null,
    isActive: heldUntilMs > nowMs,
  }));
}
