/** Limits the read rate. In: the number of bytes to read. Out: a promise that resolves when they may be read. */
import type { Clock } from '../core/clock.ts';
import type { Pace } from './file-bytes.ts';

/** Shorter sleeps are postponed, because a timer is not precise enough. */
const LEAST_SLEEP_MS = 5;
/** A longer delay is not made up for: a burst of reads would disturb a crawl that runs at the same time. */
const MAX_BEHIND_MS = 100;

export function paceOf(bytesPerSecond: number | null, clock: Pick<Clock, 'now' | 'after'>): Pace {
  if (bytesPerSecond === null) return async () => {};
  let freeAtMs = clock.now();
  return async (bytes) => {
    const nowMs = clock.now();
    freeAtMs = Math.max(freeAtMs, nowMs - MAX_BEHIND_MS);
    const waitMs = freeAtMs - nowMs;
    freeAtMs += (bytes / bytesPerSecond) * 1_000;
    if (waitMs >= LEAST_SLEEP_MS) await new Promise<void>((resolve) => clock.after(waitMs, resolve));
  };
}
