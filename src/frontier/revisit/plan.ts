/** The pages to visit, best first: overdue pages, then the others by value. Each entry is made when it is read. */
import type { PageColumns } from './page-columns.ts';
import type { PageCursor } from './page-cursor.ts';
import type { PageGroups } from './page-groups.ts';

export interface PlannedVisit {
  readonly id: number;
  readonly host: number;
  /** Expected milliseconds of freshness, times the weight. It is the same for all policies. */
  readonly gain: number;
  /** The chance that the page has changed. */
  readonly chance: number;
  /** True if the page has waited for the longest interval. */
  readonly forced: boolean;
}

/** The pages that are chosen for a plan, by their places in the columns. */
export interface ChosenPages {
  readonly nowMs: number;
  readonly forced: Uint32Array;
  readonly best: Uint32Array;
}

export class Plan {
  readonly #columns: PageColumns;
  readonly #groups: PageGroups;
  readonly #cursor: PageCursor;
  readonly #chosen: ChosenPages;

  constructor(columns: PageColumns, groups: PageGroups, cursor: PageCursor, chosen: ChosenPages) {
    this.#columns = columns;
    this.#groups = groups;
    this.#cursor = cursor;
    this.#chosen = chosen;
  }

  get length(): number {
    return this.#chosen.forced.length + this.#chosen.best.length;
  }

  get forced(): number {
    return this.#chosen.forced.length;
  }

  *[Symbol.iterator](): Generator<PlannedVisit> {
    for (const place of this.#chosen.forced) yield this.#look(place, true);
    for (const place of this.#chosen.best) yield this.#look(place, false);
  }

  /** The chance and the gain refer to the time of the plan, but use everything that is known when they are read. */
  #look(place: number, forced: boolean): PlannedVisit {
    const cursor = this.#cursor;
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    cursor.moveTo(block, row, this.#chosen.nowMs);
    const host = this.#groups.hostOf(block.groups[row]!);
    return { id: cursor.id, host, gain: cursor.gain(), chance: cursor.chance(), forced };
  }
}
