/**
 * The newest changes for a feed. In: changes, newest first. Out: the same, but an edit of many pages on one day is one
 * of them. What always holds: the result depends on the changes alone, so a feed that is written again is equal. Memory
 * grows with the number of shown changes and of different edits of these days.
 */
import type { ChangeEntry } from '../../store/contract.ts';
import { EDIT_EXAMPLES } from '../../store/records/change-rows.ts';
import { LEAST_PAGES } from '../refresh/shared-edits.ts';
import type { DeliveredEdit } from './delivered-change.ts';
import { editOf } from './edit-window.ts';

export interface NewestChange {
  readonly entry: ChangeEntry;
  readonly edit: DeliveredEdit | null;
}

/** Equal edits of one day. */
interface Group {
  readonly newest: ChangeEntry;
  pages: number;
  /** The changes of the group that were met last: the oldest of those met so far, oldest last. */
  oldest: ChangeEntry[];
}

const DAY_MS = 86_400_000;

export class NewestChanges {
  readonly #limit: number;
  readonly #joinsEdits: boolean;
  /** Changes of their own, and the newest change of each group. */
  #items: ChangeEntry[] = [];
  readonly #groups = new Map<string, Group>();

  constructor(limit: number, joinsEdits: boolean) {
    this.#limit = limit;
    this.#joinsEdits = joinsEdits;
  }

  /** Whether nothing older can be shown. Called before each change. A group may grow until its day is over. */
  isCompleteAt(atMs: number): boolean {
    if (this.#items.length < this.#limit) return false;
    if (!this.#joinsEdits) return true;
    return dayOf(this.#items[this.#limit - 1]!.atMs) !== dayOf(atMs);
  }

  add(entry: ChangeEntry): void {
    const edit = this.#joinsEdits ? editOf(entry) : null;
    if (edit === null) {
      this.#items.push(entry);
      return;
    }
    const key = `${edit} ${dayOf(entry.atMs)}`;
    const group = this.#groups.get(key) ?? { newest: entry, pages: 0, oldest: [] };
    this.#groups.set(key, group);
    group.pages++;
    group.oldest = [...group.oldest.slice(-(LEAST_PAGES - 1)), entry];
    if (group.pages < LEAST_PAGES) this.#items.push(entry);
    if (group.pages === LEAST_PAGES) {
      const joined = new Set(group.oldest.slice(1));
      this.#items = this.#items.filter((item) => !joined.has(item));
    }
  }

  get shown(): readonly NewestChange[] {
    return this.#items.slice(0, this.#limit).map((entry) => {
      const edit = this.#joinsEdits ? editOf(entry) : null;
      const group = edit === null ? undefined : this.#groups.get(`${edit} ${dayOf(entry.atMs)}`);
      return group === undefined || group.pages < LEAST_PAGES ? { entry, edit: null } : shownGroup(group);
    });
  }
}

/** The oldest change gives the group a number that stays while the group grows. */
function shownGroup({ newest, pages, oldest }: Group): NewestChange {
  const first = oldest.at(-1)!;
  const examples = oldest
    .slice(-EDIT_EXAMPLES)
    .reverse()
    .map(({ url }) => url);
  const { level, part, edit } = first;
  return { entry: { ...first, atMs: newest.atMs }, edit: { edit: edit!, pages, level, part, examples } };
}

function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS);
}
