/** The rule of Nutch's AdaptiveFetchSchedule with the defaults of its code: a fifth longer, a fifth shorter, within limits. */
const LONGER = 1.2;
const SHORTER = 0.8;
const LEAST_MS = 60_000;
const MOST_MS = 365 * 86_400_000;
/** Of a page that was looked at once. */
export const FIRST_INTERVAL_MS = 30 * 86_400_000;

export function nextInterval(intervalMs: number, changed: boolean): number {
  const next = (intervalMs > 0 ? intervalMs : FIRST_INTERVAL_MS) * (changed ? SHORTER : LONGER);
  return Math.min(MOST_MS, Math.max(LEAST_MS, next));
}
