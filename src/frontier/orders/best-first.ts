import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';
import { ScoreBook } from '../score-book.ts';

/**
 * Best first (E1). The score combines PageRank over the known graph and the cash that flows in along links. The numbers
 * of links in and out count a little. No URL starves, because ranks age.
 */
export const bestFirst: Order = {
  name: 'best-first',
  follows: 'score',
  book: () => new ScoreBook(RANK_POWER),
  rank: ({ score, backlinks, forwardLinks, foundAt }) =>
    agingRank(score * (1 + backlinks) ** LINKS_IN * (1 + forwardLinks) ** LINKS_OUT, foundAt),
};

/** Nearly PageRank alone. A little cash helps where the ranks are older than the last pages (docs/orders.md). */
const RANK_POWER = 0.95;
/**
 * PageRank already includes the links in, so they decide only between near equals. The same
 * holds for the expected links out.
 */
const LINKS_IN = 0.02;
const LINKS_OUT = 0.01;
