/** Whether a chain of redirects, or of canonical URLs, comes back to where it began. */
import { contentKey } from './contents.ts';
import { BY_CONTENT } from './copies.ts';
import type { WorkingSet } from './working-set.ts';

/** Chains are followed this far: each step beyond the first costs a question. */
const MAX_CHAIN = 100;

export type Chain = 'redirects' | 'duplicates';

/** Whether the chain that begins at `from` comes by `id`. */
export async function leadsTo(set: WorkingSet, id: number, from: number, by: Chain): Promise<boolean> {
  const next = by === 'redirects' ? redirectOf : originalOf;
  let at: number | null = from;
  for (let step = 0; at !== null && step < MAX_CHAIN; step++) {
    if (at === id) return true;
    at = await next(set, at);
  }
  return false;
}

/** Shared: of two who close a ring from both sides at once, one waits for the other and sees it. */
async function redirectOf({ urls }: WorkingSet, id: number): Promise<number | null> {
  await urls.find([id], 'shared');
  return urls.get(id)?.redirect_to ?? null;
}

/** What a page is a duplicate of. */
async function originalOf({ urls, pages, contents }: WorkingSet, id: number): Promise<number | null> {
  await urls.find([id], 'shared');
  await pages.find([id], 'free');
  const page = pages.get(id);
  if (page?.duplicate_of !== BY_CONTENT) return page?.duplicate_of ?? null;
  const key = contentKey(page.digest);
  await contents.load([key]);
  return contents.originalOf(key)?.id ?? null;
}
