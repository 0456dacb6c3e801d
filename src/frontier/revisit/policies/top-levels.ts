import type { Policy } from '../policy.ts';

/** Only the pages nearest to the seeds, all of them alike (W19); deeper ones come when the floor asks for them. */
export function topLevels(levels: number): Policy {
  return { name: 'top-levels', value: ({ elapsedMs, depth }) => (depth < levels ? elapsedMs : -1) };
}
