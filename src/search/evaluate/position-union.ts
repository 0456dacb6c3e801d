/** The positions of several terms on a page, as if they were one term. */
import { NO_POSITION, type PositionCursor } from '../index/segment/position-cursor.ts';

export interface Positions {
  /** Goes to a page. Pages must be asked for in ascending order, each once. */
  seek(page: number): boolean;
  /** The next position on the page; NO_POSITION after the last one. */
  next(): number;
}

export class PositionUnion implements Positions {
  readonly #cursors: readonly PositionCursor[];
  readonly #heads: number[];

  constructor(cursors: readonly PositionCursor[]) {
    this.#cursors = cursors;
    this.#heads = cursors.map(() => NO_POSITION);
  }

  seek(page: number): boolean {
    let isThere = false;
    for (const [i, cursor] of this.#cursors.entries()) {
      const has = cursor.seek(page);
      this.#heads[i] = has ? cursor.next() : NO_POSITION;
      isThere ||= has;
    }
    return isThere;
  }

  next(): number {
    const next = Math.min(...this.#heads);
    if (next === NO_POSITION) return next;
    for (const [i, cursor] of this.#cursors.entries()) if (this.#heads[i] === next) this.#heads[i] = cursor.next();
    return next;
  }
}
