/** What to look at, best first: pages that were not looked at for too long, then by value. Each is made when it is asked for. */
import type { PageColumns } from './page-columns.ts';
import type { PageCursor } from './page-cursor.ts';
import type { PageGroups } from './page-groups.ts';

export interface PlannedLook {
  readonly id: number;
  readonly host: number;
  /** Expected milliseconds of freshness, times the weight: whatever the policy goes by. */
  readonly gain: number;
  /** That it has changed. */
  readonly chance: number;
  /** It waited for the longest interval. */
  readonly forced: boolean;
}

export class Plan {
  readonly #columns: PageColumns;
  readonly #groups: PageGroups;
  readonly #cursor: PageCursor;
  readonly #nowMs: number;
  readonly #forced: Uint32Array;
  readonly #best: Uint32Array;

  constructor(
    columns: PageColumns,
    groups: PageGroups,
    cursor: PageCursor,
    nowMs: number,
    forced: Uint32Array,
    best: Uint32Array,
  ) {
    this.#columns = columns;
    this.#groups = groups;
    this.#cursor = cursor;
    this.#nowMs = nowMs;
    this.#forced = forced;
    this.#best = best;
  }

  get length(): number {
    return this.#forced.length + this.#best.length;
  }

  get forced(): number {
    return this.#forced.length;
  }

  *[Symbol.iterator](): Generator<PlannedLook> {
    for (const place of this.#forced) yield this.#look(place, true);
    for (const place of this.#best) yield this.#look(place, false);
  }

  /** The chance and the gain are of the time of the plan, from all that is known when they are asked for. */
  #look(place: number, forced: boolean): PlannedLook {
    const cursor = this.#cursor;
    const block = this.#columns.blockOf(place);
    const row = this.#columns.rowOf(place);
    cursor.moveTo(block, row, this.#nowMs);
    const host = this.#groups.hostOf(block.groups[row]!);
    return { id: cursor.id, host, gain: cursor.gain(), chance: cursor.chance(), forced };
  }
}
