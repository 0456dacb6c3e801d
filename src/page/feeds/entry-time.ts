/**
 * The times that sitemaps and feeds give: W3C date and time (a date alone, too), and the dates of RFC 822 in RSS. What is
 * neither is 0, as is what lies before the web or centuries ahead.
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
  // A time without a zone is taken as UTC: the same on every machine.
  const ms = Date.parse(hasZone(written) ? written : `${written.replace(' ', 'T')}Z`);
  return ms >= EARLIEST_MS && ms < LATEST_MS ? ms : 0;
}

/** A date alone is UTC by the standard of the language, and what RSS gives nearly always has a zone. */
function hasZone(written: string): boolean {
  return !/^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/.test(written);
}
