import type { Policy } from '../policy.ts';

/**
 * The rule people know from Nutch: an interval that grows while nothing changes and shrinks when something does
 * (nutch-interval.ts). What is due by it comes, the longest overdue first. Without a floor: it has a longest interval of its
 * own.
 */
export const nutch: Policy = {
  name: 'nutch',
  value: ({ elapsedMs, intervalMs }) => elapsedMs - intervalMs,
  floorless: true,
};
