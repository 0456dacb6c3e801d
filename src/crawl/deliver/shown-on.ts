/**
 * A changed image is a change of the pages that show it. In: changes that are to be told. Out: of each image among them the pages
 * that show it. All are looked for together: who links to a URL is found by reading every list of links there is.
 */
import type { ChangeEntry, Store } from '../../store/contract.ts';
import { MAX_SHOWN_ON } from './told-change.ts';
import { readDifference } from './told-difference.ts';

/** By the id of the image. */
export async function pagesShowing(
  store: Pick<Store, 'linksToEach'>,
  entries: readonly ChangeEntry[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const ids = [...new Set(entries.filter(isChangedImage).map(({ id }) => id))];
  if (ids.length === 0) return NONE;
  const links = await store.linksToEach(ids, MAX_SHOWN_ON);
  return new Map(ids.map((id, i) => [id, links[i]!.map(({ url }) => url)]));
}

const NONE: ReadonlyMap<number, readonly string[]> = new Map();

function isChangedImage({ change }: ChangeEntry): boolean {
  // Most changes are of pages, and need not be parsed to see that.
  return change?.includes('"image":{') === true && readDifference(change)?.image != null;
}
