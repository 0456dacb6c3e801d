/** Runs a refresh in the test's own process and reads the changes that it recorded. */
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { type RefreshSummary, type RunningRefresh, startRefresh } from '../../../src/crawl/refresh.ts';
import type { ChangeEntry } from '../../../src/store/contract.ts';
import { readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';

/** Runs a refresh to its end. */
export async function refreshHere(dir: string, given: GivenOptions = {}): Promise<RefreshSummary> {
  return (await startRefreshHere(dir, given)).summary;
}

export async function startRefreshHere(dir: string, given: GivenOptions = {}): Promise<RunningRefresh> {
  return startRefresh({ dir, sources: [{ from: 'test', given: { patience: '0s', ...given } }] });
}

/** All changes of pages, in order. */
export async function changesIn(dir: string): Promise<readonly ChangeEntry[]> {
  const store = readSqliteStore(dir);
  try {
    return await store.changes(0, 1_000_000);
  } finally {
    await store.close();
  }
}

/** `kind path` of each change. */
export async function told(dir: string, origin: string): Promise<string[]> {
  return (await changesIn(dir)).map(({ kind, url }) => `${kind} ${url.replace(origin, '')}`);
}
