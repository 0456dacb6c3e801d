/**
 * Parses a time in the past as people and archives write it. In: an ISO 8601 date or date-time, or the
 * digits of a WARC timestamp; both may be shortened. Out: the last millisecond of the written period, since
 * "as it was in November" means the end of November; null if the text is no time. A time without a zone is
 * UTC, like every time that Orbweaver prints.
 */
const SEPARATED =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?( ?(?:Z|UTC)|[+-]\d{2}(?::?\d{2})?)?)?)?)?$/i;
const DIGITS = /^(\d{4})(?:(\d{2})(?:(\d{2})(?:T?(\d{2})(?:(\d{2})(?:(\d{2})Z?)?)?)?)?)?$/i;

export const MOMENT_HINT =
  'a time such as 2026-11-15, 2026-11-15T10:30:00Z or 20261115103000 (UTC if it has no time zone)';

export function parseMoment(text: string): number | null {
  const found = SEPARATED.exec(text) ?? DIGITS.exec(text);
  if (found === null) return null;
  const [, ...pieces] = found;
  const written = pieces.slice(0, 6).filter((piece) => piece !== undefined);
  const fields = written.map(Number);
  const startMs = utcMs(fields);
  if (!isSame(startMs, written)) return null;
  const [fraction, zone] = pieces.slice(6);
  const shiftMs = zoneMs(zone ?? '');
  if (shiftMs === null) return null;
  if (fraction !== undefined) return startMs + Number(fraction.slice(0, 3).padEnd(3, '9')) - shiftMs;
  fields[fields.length - 1]! += 1;
  return utcMs(fields) - 1 - shiftMs;
}

/** `Date.UTC` is not used, because it takes the year 50 for 1950. */
function utcMs([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second);
}

/** False if the date rolled over: a 31st of February becomes a day in March, hour 24 becomes the next day. */
function isSame(epochMs: number, written: readonly string[]): boolean {
  return new Date(epochMs).toISOString().replace(/\D/g, '').startsWith(written.join(''));
}

const MINUTE_MS = 60_000;

function zoneMs(zone: string): number | null {
  if (!/^[+-]/.test(zone)) return 0;
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const [hours, minutes] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}
