import type { Policy } from '../policy.ts';

/** In proportion to the importance (W19): a page of twice the weight has waited enough after half the time. */
export const rank: Policy = { name: 'rank', value: ({ elapsedMs, weight }) => elapsedMs * weight };
