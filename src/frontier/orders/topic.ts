import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';

/**
 * Most promising for the topic first (P3). The relevance comes from the words of the link, the words around it and the
 * words of its URL, and from the relevance of the page that contains it. Off-topic branches sink. No URL starves,
 * because ranks age. URLs below the threshold are cut; they do not wait.
 */
export const topic: Order = {
  name: 'topic',
  follows: 'relevance',
  rank: ({ relevance, foundAt }) => agingRank(relevance, foundAt),
};
