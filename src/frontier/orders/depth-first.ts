import type { Order } from '../order.ts';

/**
 * Deepest first, equals in the order of discovery (E2): one branch is followed to its end before its sibling is begun. The
 * depth limit is what ends a branch, so nothing waits for ever.
 */
export const depthFirst: Order = { name: 'depth-first', rank: ({ depth }) => -depth };
