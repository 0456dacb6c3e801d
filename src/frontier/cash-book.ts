/** The cash of OPIC: a page that is fetched hands on all it has. The first URLs known, the seeds, begin with one unit each. */
import { ScoreBook } from './score-book.ts';

export class CashBook extends ScoreBook {
  readonly wantsPageRank = false;
  /** Nothing was handed out yet: these are the seeds. */
  #begun = false;

  get start(): number {
    return this.#begun ? 0 : 1;
  }

  handOut(page: number): number {
    this.#begun = true;
    const cash = this.score(page);
    this.scores[page] = 0;
    return cash;
  }

  correct(): void {}
}
