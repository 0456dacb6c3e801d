import { agingRank } from '../aging.ts';
import type { Order } from '../order.ts';

/**
 * Most promising for the topic first (P3): from the words of the link, around it and of its URL, and from how far the page it
 * was found on is on the topic. Off-topic branches sink. Starves nobody, by the aging of ranks; what lies below the
 * threshold is cut off, which is no waiting.
 */
export const topic: Order = {
  name: 'topic',
  follows: 'relevance',
  rank: ({ relevance, foundAt }) => agingRank(relevance, foundAt),
};
