import type { Policy } from '../policy.ts';

/**
 * The rule people know from Nutch: an interval that grows while nothing changes and shrinks when something does
 * (nutch-interval.ts). What is due by it comes, the most overdue first, measured by its interval: where the budget is too small
 * for all, every interval is longer by the same factor. Without a floor: it has a longest interval of its own.
 */
export const nutch: Policy = {
  name: 'nutch',
  value: ({ elapsedMs, intervalMs }) => (elapsedMs >= intervalMs ? elapsedMs / intervalMs : -1),
  floorless: true,
};
