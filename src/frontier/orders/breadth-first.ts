import type { Order } from '../order.ts';

/**
 * Nearest to the seeds first (E2). No URL starves: for each URL, only finitely many URLs are
 * at the same depth or nearer.
 */
export const breadthFirst: Order = { name: 'breadth-first', rank: ({ depth }) => depth };
