import { MOST_GAIN_SHARE } from '../gain.ts';
import type { Policy } from '../policy.ts';

/** The largest expected gain first: with the rates known, this is the schedule with the highest freshness there is (gain.ts). */
export const adaptive: Policy = {
  name: 'adaptive',
  value: (page) => page.gain(),
  atMost: ({ elapsedMs, weight, isClaimed }) =>
    isClaimed ? Number.POSITIVE_INFINITY : elapsedMs * weight * MOST_GAIN_SHARE,
};
