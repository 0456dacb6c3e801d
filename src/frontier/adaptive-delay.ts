/**
 * The delay of a host for which none was set: a few times as long as its answers take, so that a server under load is
 * asked less, never under a second and never over half a minute; doubled each time the host shows strain.
 */
const LEAST_MS = 1_000;
const MOST_MS = 30_000;
/** The host works for us at most a fifth of the time. */
const FACTOR = 4;
/** How much one answer moves the delay. */
const WEIGHT = 0.25;

export function adaptDelay(
  delayMs: number | null,
  answer: { readonly tookMs: number; readonly strained: boolean } | null,
): number {
  if (delayMs === null || answer === null) return LEAST_MS;
  const aim = answer.strained ? delayMs * 2 : answer.tookMs * FACTOR;
  const moved = answer.strained ? aim : delayMs + (aim - delayMs) * WEIGHT;
  return Math.round(Math.min(MOST_MS, Math.max(LEAST_MS, moved)));
}
