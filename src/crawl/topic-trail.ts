import type { ClaimedUrl, TopicTrail } from '../store/contract.ts';

/** The trail a URL was found on. */
export function trailOf({ inherited, stepsOff }: ClaimedUrl): TopicTrail | null {
  return inherited === null || stepsOff === null ? null : { inherited, stepsOff };
}
