/**
 * Whether a chain of redirects, or of canonical URLs, returns to its start.
 *
 * The partner for SQLite is store/sqlite/commit/loop-check.ts; the
 * shared contract test is test/store/contract/duplicates.ts.
 */

import { contentKey } from '../rows/contents.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import { BY_CONTENT } from './copies.ts';

/** Chains are followed this far. Each step after the first costs a query. */
const MAX_CHAIN = 100;

export type Chain = 'redirects' | 'duplicates';

/** Whether the chain that begins at `from` passes `id`. */
export async function leadsBack(set: WorkingSet, id: number, from: number, by: Chain): Promise<boolean> {
  const next = by === 'redirects' ? redirectOf : originalOf;
  let at: number | null = from;
  for (let step = 0; at !== null && step < MAX_CHAIN; step++) {
    if (at === id) return true;
    at = await next(set, at);
  }
  return false;
}

/**
 * The lock is shared: if two transactions close a loop from both sides
 * at once, one waits for the other and sees its redirect.
 */
async function redirectOf({ urls }: WorkingSet, id: number): Promise<number | null> {
  await urls.load([id], 'shared');
  return urls.get(id)?.redirect_to ?? null;
}

/** The URL that a page is a duplicate of. */
async function originalOf({ urls, pages, contents }: WorkingSet, id: number): Promise<number | null> {
  await urls.load([id], 'shared');
  await pages.load([id], 'free');
  const page = pages.get(id);
  if (page?.duplicate_of !== BY_CONTENT) return page?.duplicate_of ?? null;
  const key = contentKey(page.digest);
  await contents.load([key]);
  return contents.originalOf(key);
}
