/**
 * Delivers an edit of many pages once. In: a window, which is a fixed range of the change log, and its changes in
 * order. Out: for each change whether it is delivered alone, for all pages with the same edit, or not at all.
 *
 * What always holds: the answer depends on the window and the store alone, so a batch that is delivered again is equal.
 * The first change of an edit stands for the others of the window, so the order of the changes stays.
 */
import type { ChangeEntry, SharedEdit, Store } from '../../store/contract.ts';
import { LEAST_PAGES } from '../refresh/shared-edits.ts';

/** The changes above `after`, up to `through`. */
export interface EditRangeOfLog {
  readonly after: number;
  readonly through: number;
}

/** Edits whose counts are remembered: an edit of many pages would be counted again for each hundred of them. */
const MOST_REMEMBERED = 10_000;
/** Changes before a window that show whether an edit is one of many pages. */
const LOOK_BACK = 1_000;
const EDITS_AT_ONCE = 20;

type EditStore = Pick<Store, 'sharedEdits' | 'lastChange'>;

export class EditWindow {
  readonly #store: EditStore;
  readonly #range: EditRangeOfLog;
  readonly #known = new Map<string, SharedEdit | null>();

  constructor(store: EditStore, range: EditRangeOfLog) {
    this.#store = store;
    this.#range = range;
  }

  get through(): number {
    return this.#range.through;
  }

  /** Reads the edits of these changes. */
  async read(entries: readonly ChangeEntry[]): Promise<void> {
    if (this.#known.size > MOST_REMEMBERED) this.#known.clear();
    const unread = entries.flatMap((entry) => editOf(entry) ?? []).filter((edit) => !this.#known.has(edit));
    if (unread.length === 0) return;
    const among = [...new Set(unread)];
    const range = { ...this.#range, least: LEAST_PAGES, limit: among.length, among };
    for (const edit of among) this.#known.set(edit, null);
    for (const shared of await this.#store.sharedEdits(range)) this.#known.set(shared.edit, shared);
  }

  /** The edit that many changes of the window share with this one, which must have been read; null if it is alone. */
  sharedBy(entry: ChangeEntry): SharedEdit | null {
    const edit = editOf(entry);
    return (edit !== null && this.#known.get(edit)) || null;
  }
}

/** Whether an edit of many pages is among the changes after this one, and may reach more pages. */
export async function hasSharedEdit(store: EditStore, arrived: number): Promise<boolean> {
  const through = await store.lastChange();
  if (through === arrived) return false;
  const recent = { after: Math.max(0, arrived - LOOK_BACK), through: Math.min(through, arrived + LOOK_BACK) };
  const shared = await store.sharedEdits({ ...recent, least: LEAST_PAGES, limit: EDITS_AT_ONCE });
  if (shared.length === 0) return false;
  const among = shared.map(({ edit }) => edit);
  return (await store.sharedEdits({ ...recent, after: arrived, least: 1, limit: 1, among })).length > 0;
}

export function editOf({ kind, edit }: ChangeEntry): string | null {
  return kind === 'changed' ? edit : null;
}
