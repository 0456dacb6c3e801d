import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';

/**
 * Most linked-to first, as four ranked frontiers of which the higher ones are served oftener (W18). A URL moves up each time
 * its back-links have doubled. Starves nobody: the lowest frontier gets one fetch in fifteen, and ranks age.
 */
export const backlink: Order = {
  name: 'backlink',
  follows: 'backlinks',
  lists: [8, 4, 2, 1],
  rank: ({ backlinks, foundAt }) => agingRank(backlinks, foundAt),
};
