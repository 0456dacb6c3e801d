/** Holds reading to a rate. In: bytes that are about to be read. Out: a promise that is kept when they may be. */
import type { Clock } from '../core/clock.ts';
import type { Pace } from './file-bytes.ts';

/** Sleeps shorter than this are put off: a timer is not exact enough. */
const LEAST_SLEEP_MS = 5;
/** What was not read in time is not made up for: a crawl beside it would be disturbed all the more. */
const MOST_BEHIND_MS = 100;

export function paceOf(bytesPerSecond: number | null, clock: Pick<Clock, 'now' | 'after'>): Pace {
  if (bytesPerSecond === null) return async () => {};
  let freeAtMs = clock.now();
  return async (bytes) => {
    const nowMs = clock.now();
    freeAtMs = Math.max(freeAtMs, nowMs - MOST_BEHIND_MS);
    const waitMs = freeAtMs - nowMs;
    freeAtMs += (bytes / bytesPerSecond) * 1_000;
    if (waitMs >= LEAST_SLEEP_MS) await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  };
}
