/**
 * The link graph for one who reads it over and over: what a store across a network has sent once is kept here, as far as there is room.
 * Segments are asked for in order; in comes the number of one, out goes the next.
 */
import type { GraphSegment, Store } from '../store/contract.ts';

export class NearSegments {
  readonly #store: Pick<Store, 'segments'>;
  readonly #mostBytes: number;
  /** The first ones, without a gap. */
  readonly #kept: GraphSegment[] = [];
  #keptBytes = 0;
  #at = 0;

  constructor(store: Pick<Store, 'segments'>, mostBytes: number) {
    this.#store = store;
    this.#mostBytes = mostBytes;
  }

  /** The one after `seq`; from the first again after 0. */
  async next(seq: number): Promise<GraphSegment | undefined> {
    if (seq === 0) this.#at = 0;
    const kept = this.#kept[this.#at];
    if (kept !== undefined) {
      this.#at++;
      return kept;
    }
    const [segment] = await this.#store.segments(seq, 1);
    if (segment && this.#isNextToKeep(seq) && this.#keptBytes + segment.lists.length <= this.#mostBytes) {
      this.#kept.push(segment);
      this.#keptBytes += segment.lists.length;
      this.#at++;
    }
    return segment;
  }

  #isNextToKeep(seq: number): boolean {
    return (this.#kept.at(-1)?.seq ?? 0) === seq;
  }
}
