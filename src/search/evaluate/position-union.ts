/** The positions of several terms on a page, as if they were one term. */
import type { PositionsOnPage } from '../index/segment/position-cursor.ts';

export class PositionUnion implements PositionsOnPage {
  positions = new Int32Array(64);
  from = 0;
  to = 0;
  readonly #cursors: readonly PositionsOnPage[];

  constructor(cursors: readonly PositionsOnPage[]) {
    this.#cursors = cursors;
  }

  seek(page: number): boolean {
    let having = 0;
    this.to = 0;
    for (const cursor of this.#cursors) {
      if (!cursor.seek(page)) continue;
      having++;
      this.#append(cursor);
    }
    if (having > 1) this.#sort();
    return having > 0;
  }

  #append({ positions, from, to }: PositionsOnPage): void {
    const end = this.to + to - from;
    if (end > this.positions.length) {
      const grown = new Int32Array(2 * end);
      grown.set(this.positions);
      this.positions = grown;
    }
    for (let at = from; at < to; at++) this.positions[this.to++] = positions[at] as number;
  }

  /** Two terms may stand at the same place. */
  #sort(): void {
    const { positions } = this;
    const end = this.to;
    positions.subarray(0, end).sort();
    this.to = 1;
    for (let at = 1; at < end; at++) {
      if (positions[at] !== positions[at - 1]) positions[this.to++] = positions[at] as number;
    }
  }
}
