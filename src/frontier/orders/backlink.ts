import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';

/**
 * The URLs with the most back-links first, in four ranked lists, where higher lists are served more often (W18).
 * A URL moves up each time the number of its back-links has doubled. No URL starves: the lowest list gets one
 * fetch in fifteen, and ranks age.
 */
export const backlink: Order = {
  name: 'backlink',
  follows: 'backlinks',
  lists: [8, 4, 2, 1],
  rank: ({ backlinks, foundAt }) => agingRank(backlinks, foundAt),
};
