import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';
import { ScoreBook } from '../score-book.ts';

/**
 * Most cash first (OPIC, on-line page importance). A fetched page passes its cash in equal parts to the pages that it
 * links to. The URL with the most cash is next. No URL starves, because ranks age.
 */
export const opic: Order = {
  name: 'opic',
  follows: 'score',
  book: () => new ScoreBook(0),
  rank: ({ score, foundAt }) => agingRank(score, foundAt),
};
