/**
 * Reads the changes that the text of a refresh lists one by one. In: the copy, the last change before the refresh, and
 * the edits that it reports once for many pages. Out: the other changes that count, the first of them described.
 */
import { EntryDescriber } from '../copy/describe-entry.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { withStoreAt } from '../crawl/place/open-store.ts';
import type { RefreshSummary } from '../crawl/refresh.ts';
import type { ChangeEntry } from '../store/contract.ts';
import { MOST_CHANGES_SHOWN } from './text/refresh-sentences.ts';

/** Changes that are read. The first ones are shown, the others are only counted. */
const MOST_READ = 10_000;

export function listChanges(
  where: Where,
  lastChange: number,
  edits: RefreshSummary['edits'],
): Promise<readonly ChangeEntry[]> {
  const shared = new Set(edits.map(({ edit }) => edit));
  return withStoreAt(where, async (store) => {
    const changes = await store.changes(lastChange, MOST_READ);
    const listed = changes.filter(
      ({ kind, edit }) => kind !== 'noise' && !(kind === 'changed' && shared.has(edit ?? '')),
    );
    const describer = new EntryDescriber(store, where);
    const shown: ChangeEntry[] = [];
    for (const entry of listed.slice(0, MOST_CHANGES_SHOWN)) shown.push(await describer.described(entry));
    return [...shown, ...listed.slice(MOST_CHANGES_SHOWN)];
  });
}
