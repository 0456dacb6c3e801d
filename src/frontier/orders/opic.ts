import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';
import { ScoreBook } from '../score-book.ts';

/**
 * Most cash first (OPIC, on-line page importance): a page that is fetched hands its cash on to the pages it links to, in equal
 * parts, and the URL that has gathered most is next. Starves nobody, by the aging of ranks.
 */
export const opic: Order = {
  name: 'opic',
  follows: 'score',
  book: () => new ScoreBook(0),
  rank: ({ score, foundAt }) => agingRank(score, foundAt),
};
