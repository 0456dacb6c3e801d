import type { Order } from '../order.ts';

/**
 * Deepest first, and equal depths in the order of discovery (E2): the crawl follows one branch to its end before it
 * starts the sibling. The depth limit ends each branch, so no URL waits for ever.
 */
export const depthFirst: Order = { name: 'depth-first', rank: ({ depth }) => -depth };
