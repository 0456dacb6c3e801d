/**
 * Reads a time as pages write it. In: a text. Out: an ISO 8601 string with as much as the text states: a date, a time
 * without a zone, or a time with its zone. A zone is never guessed.
 */

const ISO =
  /^(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?\s{0,3}(Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?/i;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?(Z|[+-]\d{4})?$/;
const DAY_FIRST =
  /^(?:[a-z]{3,9}\.?,? )?(\d{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\.?,? (\d{4})(?:,? (\d{1,2}):(\d{2})(?::(\d{2}))? ?(Z|UTC|GMT|[+-]\d{4})?)?/i;
const MONTH_FIRST =
  /^(?:[a-z]{3,9}\.?,? )?([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:,?(?: at)? (\d{1,2}):(\d{2})(?::(\d{2}))? ?(am|pm)?)?/i;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MAX_LENGTH = 100;
const SPACES = /\s+/g;

export function readDateText(raw: string): string | undefined {
  if (raw.length > MAX_LENGTH * 4) return undefined;
  const text = raw.replace(SPACES, ' ').trim().slice(0, MAX_LENGTH);
  const iso = ISO.exec(text) ?? COMPACT.exec(text);
  if (iso !== null)
    return format(iso[1], iso[2], iso[3], { hour: iso[4], minute: iso[5], second: iso[6], zone: iso[7] });
  const day = DAY_FIRST.exec(text);
  if (day !== null) {
    return format(day[3], month(day[2]), day[1], { hour: day[4], minute: day[5], second: day[6], zone: day[7] });
  }
  const first = MONTH_FIRST.exec(text);
  if (first === null) return undefined;
  const hour = first[7] === undefined ? first[4] : hour24(first[4], first[7]);
  return format(first[3], month(first[1]), first[2], { hour, minute: first[5], second: first[6], zone: undefined });
}

interface TimeParts {
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
  readonly zone: string | undefined;
}

function format(year = '', month = '', day: string | undefined, time: TimeParts): string | undefined {
  const [y, m, d] = [Number(year), Number(month), day === undefined ? 1 : Number(day)];
  // A year outside this range is a placeholder such as 0001-01-01.
  if (y < 1400 || y > 2200 || m < 1 || m > 12 || d < 1 || d > 31) return undefined;
  const date = `${year}-${month.padStart(2, '0')}${day === undefined ? '' : `-${day.padStart(2, '0')}`}`;
  const { hour, minute, second, zone } = time;
  if (hour === undefined || minute === undefined) return date;
  if (Number(hour) > 24 || Number(minute) > 59) return date;
  return `${date}T${hour.padStart(2, '0')}:${minute}${second === undefined ? '' : `:${second}`}${zoneOf(zone)}`;
}

function zoneOf(zone: string | undefined): string {
  if (zone === undefined) return '';
  if (/^[a-z]/i.test(zone)) return 'Z';
  const digits = zone.replace(':', '').padEnd(5, '0');
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

function month(name: string | undefined): string {
  return String(MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1);
}

function hour24(hour = '', half: string): string {
  const number = Number(hour) % 12;
  return String(/^p/i.test(half) ? number + 12 : number);
}
