/**
 * The edits that a refresh found on many pages, such as a new year in every footer. In: the change log. Out: each edit
 * once, with the number of its pages.
 *
 * What always holds: the edits are counted in the store, so memory does not grow with them, and a refresh that follows
 * a killed one also counts the changes of the killed one. In a cluster, the changes of all workers count.
 */
import type { Store } from '../../store/contract.ts';

/** Fewer pages are listed one by one, because such a list can be read at a glance. */
export const LEAST_PAGES = 10;
const MOST_EDITS = 20;
/** The number of the last change before the refresh that runs now, or that was killed. */
const NOTE = 'edits-after';

type EditStore = Pick<Store, 'note' | 'setNote' | 'lastChange' | 'sharedEdits'>;

/** An edit of several pages. It is part of `refresh --json`, which is a stable contract. */
export interface EditSummary {
  /** The fingerprint of the edit. */
  readonly edit: string;
  readonly pages: number;
  readonly level: string | null;
  readonly part: string | null;
  /** The first URLs. */
  readonly examples: readonly string[];
}

/** Called before the first commit of a refresh. Returns the number after which the changes count. */
export async function beginEdits(store: EditStore): Promise<number> {
  const last = await store.lastChange();
  const noted = (await store.note(NOTE)) ?? '';
  if (/^\d{1,15}$/.test(noted)) return Math.min(Number(noted), last);
  await store.setNote(NOTE, String(last));
  return last;
}

/** Called after the last commit: the edits of most pages first. */
export async function endEdits(store: EditStore, after: number): Promise<readonly EditSummary[]> {
  const through = await store.lastChange();
  const edits = await store.sharedEdits({ after, through, least: LEAST_PAGES, limit: MOST_EDITS });
  await store.setNote(NOTE, '');
  return edits.map(({ firstSeq: _, ...edit }) => edit);
}
