import type { Policy } from '../policy.ts';

/**
 * Only what a source says has changed (W14, W19), the largest gain first. Without a floor: the source alone drives it, and what it
 * does not tell is not looked at.
 */
export const watcher: Policy = {
  name: 'watcher',
  value: (page) => (page.isClaimed ? page.gain() : -1),
  floorless: true,
};
