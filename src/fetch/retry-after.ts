/** Longer waits are cut to this: a server must not be able to park a URL for years. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/** Retry-After (RFC 9110 §10.2.3): seconds or an HTTP date. Garbage gives null; a date in the past gives 0. */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim();
  if (text === '' || text.length > 64) return null;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  // Date.parse also takes bare numbers and ISO dates; an HTTP date begins with the name of a day.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return null;
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) return null;
  return Math.min(Math.max(0, atMs - nowMs), MAX_RETRY_AFTER_MS);
}
