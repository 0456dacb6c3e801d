/** What to look at, best first: pages that were not looked at for too long, then by value. Each is made when it is asked for. */
import type { PageColumns } from './page-columns.ts';
import type { PageCursor } from './page-cursor.ts';

export interface PlannedLook {
  readonly id: number;
  /** Expected milliseconds of freshness, times the weight: whatever the policy goes by. */
  readonly gain: number;
  /** That it has changed. */
  readonly chance: number;
  /** It waited for the longest interval. */
  readonly forced: boolean;
}

export class Plan {
  readonly #columns: PageColumns;
  readonly #cursor: PageCursor;
  readonly #nowMs: number;
  readonly #forced: Uint32Array;
  readonly #best: Uint32Array;

  constructor(columns: PageColumns, cursor: PageCursor, nowMs: number, forced: Uint32Array, best: Uint32Array) {
    this.#columns = columns;
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
    cursor.moveTo(this.#columns.blockOf(place), this.#columns.rowOf(place), this.#nowMs);
    return { id: cursor.id, gain: cursor.gain(), chance: cursor.chance(), forced };
  }
}
