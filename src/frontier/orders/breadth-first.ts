import type { Order } from '../order.ts';

/** Nearest to the seeds first (E2). Starves nobody: only finitely many URLs are as near or nearer than any given one. */
export const breadthFirst: Order = { name: 'breadth-first', rank: ({ depth }) => depth };
