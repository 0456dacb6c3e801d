import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';
import { ScoreBook } from '../score-book.ts';

/**
 * Best first (E1): by PageRank as far as the graph is known, by what flows in along links from where the crawl has been, and a
 * little by the numbers of links in and out. Starves nobody, by the aging of ranks.
 */
export const bestFirst: Order = {
  name: 'best-first',
  follows: 'score',
  book: () => new ScoreBook(RANK_POWER),
  rank: ({ score, backlinks, forwardLinks, foundAt }) =>
    agingRank(score * (1 + backlinks) ** LINKS_IN * (1 + forwardLinks) ** LINKS_OUT, foundAt),
};

/** Nearly PageRank alone; a little cash where the ranks are older than the last pages (docs/orders.md). */
const RANK_POWER = 0.95;
/** PageRank holds the links in already, so they only decide between near equals, and so do the links out that are expected. */
const LINKS_IN = 0.02;
const LINKS_OUT = 0.01;
