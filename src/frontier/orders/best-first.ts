import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';
import { RankBook } from '../rank-book.ts';

/**
 * Best first (E1): by PageRank as far as the graph is known, and a little by links in and out. PageRank is recomputed over the
 * stored graph as it grows; in between a fetched page passes its own on to the pages it links to. Starves nobody, by the
 * aging of ranks.
 */
export const bestFirst: Order = {
  name: 'best-first',
  follows: 'score',
  book: () => new RankBook(),
  rank: ({ score, backlinks, forwardLinks, foundAt }) =>
    agingRank(score * (1 + backlinks) ** LINKS_IN * (1 + forwardLinks) ** LINKS_OUT, foundAt),
};

/** PageRank holds the links in already, so they only decide between near equals, and so do the links out that are expected. */
const LINKS_IN = 0.02;
const LINKS_OUT = 0.01;
