/**
 * Whether a chain of redirects returns to its start.
 *
 * The partner for SQLite is store/sqlite/commit/loop-check.ts; the
 * shared contract test is test/store/contract/duplicates.ts.
 */
import type { WorkingSet } from '../rows/working-set.ts';

/** Chains are followed this far. Each step after the first costs a query. */
const MAX_CHAIN = 100;

/**
 * Whether the chain that begins at `from` passes `id`. The lock is shared: if two transactions close a loop from both
 * sides at once, one waits for the other and sees its redirect.
 */
export async function leadsBack({ urls }: WorkingSet, id: number, from: number): Promise<boolean> {
  let at: number | null = from;
  for (let step = 0; at !== null && step < MAX_CHAIN; step++) {
    if (at === id) return true;
    await urls.load([at], 'shared');
    at = urls.get(at)?.redirect_to ?? null;
  }
  return false;
}
