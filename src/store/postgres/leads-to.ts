/** Whether a chain of redirects, or of canonical URLs, comes back to where it began. */
import type { WorkingSet } from './working-set.ts';

/** Longer chains are taken for no ring: they cost a question each step. */
const MOST_STEPS = 64;

export async function leadsTo(set: WorkingSet, id: number, from: number, by: 'redirects'): Promise<boolean> {
  let at: number | null = from;
  for (let step = 0; at !== null && step < MOST_STEPS; step++) {
    if (at === id) return true;
    await set.urls.find([at], 'free');
    at = set.urls.get(at)?.redirect_to ?? null;
  }
  return by === undefined;
}
