/**
 * Parses the times in sitemaps and feeds: W3C date and time (also a date alone), and the RFC 822 dates of RSS. Any
 * other text is 0. A time before 1990 or from 2200 on is also 0.
 */
const W3C = /^\d{4}(?:-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?)?$/i;
const RFC_822 =
  /^(?:[A-Za-z]{3,9},?\s+)?\d{1,2}\s+[A-Za-z]{3,9}\s+\d{2,4}\s+\d{2}:\d{2}(?::\d{2})?(?:\s+(?:[A-Z]{1,4}|[+-]\d{4}))?$/;
const MAX_CHARS = 40;
const EARLIEST_MS = Date.UTC(1990, 0);
const LATEST_MS = Date.UTC(2200, 0);

export function entryTimeMs(text: string): number {
  const written = text.trim();
  if (written.length > MAX_CHARS || !(W3C.test(written) || RFC_822.test(written))) return 0;
  // A time without a zone is read as UTC, so that the result is the same on every machine.
  const ms = Date.parse(hasZone(written) ? written : `${written.replace(' ', 'T')}Z`);
  return ms >= EARLIEST_MS && ms < LATEST_MS ? ms : 0;
}

/** True for a date alone, because JavaScript reads it as UTC. RSS dates nearly always have a zone. */
function hasZone(written: string): boolean {
  return !/^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/.test(written);
}
