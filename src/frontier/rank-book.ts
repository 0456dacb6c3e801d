/**
 * PageRank as far as it is known: computed over the stored graph from time to time, estimated in between. The estimate of a URL
 * is what every URL has, plus what the pages fetched since then pass on to it.
 */
import { ScoreBook } from './score-book.ts';

const DAMPING = 0.85;

export class RankBook extends ScoreBook {
  readonly wantsPageRank = true;

  get start(): number {
    return (1 - DAMPING) / Math.max(1, this.known);
  }

  handOut(page: number): number {
    return DAMPING * this.score(page);
  }

  /** URLs found since the ranks were begun keep their estimates. */
  correct(ranks: Float32Array): void {
    this.scores.set(ranks.length > this.known + 1 ? ranks.subarray(0, this.known + 1) : ranks);
    this.compareAll();
  }
}
