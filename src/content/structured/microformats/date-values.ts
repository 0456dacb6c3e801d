/**
 * The dates of microformats. They may be written in parts, each in an element with the class `value` (the value class
 * pattern): a date, a time and a zone. A time without a date belongs to the date before it.
 */

const DATE = /^(?:\d{4}-\d{2}-\d{2}|\d{4}-\d{3})$/;
const TIME =
  /^(\d{1,2})(?::(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)? ?(am|pm|a\.m\.|p\.m\.)? ?(Z|[+-]\d{1,2}:?(?:\d{2})?)?$/i;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2}|\d{4}-\d{3})([T ])(\d.{0,40})$/;
const ZONE = /^(?:Z|[+-]\d{1,2}:?(?:\d{2})?)$/i;

export interface DateValue {
  readonly value: string;
  /** The date alone, for a following time that has none. */
  readonly date: string | null;
}

/** A date in one piece. */
export function normalizeDate(text: string, earlierDate: string | null): DateValue {
  if (earlierDate !== null && TIME.test(text)) return normalizeDate(`${earlierDate} ${text}`, null);
  const match = DATE_TIME.exec(text);
  const time = match === null ? null : normalizeTime(match[3] as string);
  if (match === null || time === null) return { value: text, date: DATE.test(text) ? text : null };
  const date = calendarDate(match[1] as string);
  return { value: `${date}${match[2]}${time}`, date };
}

/** A date in parts. Returns null if no part is a date or a time. */
export function joinDateParts(parts: readonly string[], earlierDate: string | null): DateValue | null {
  let date: string | null = null;
  let time: string | null = null;
  let zone = '';
  for (const part of parts) {
    if (DATE_TIME.test(part)) return normalizeDate(part, null);
    if (DATE.test(part)) date ??= part;
    else if (ZONE.test(part)) zone ||= part;
    else if (TIME.test(part)) time ??= part;
  }
  date ??= earlierDate;
  if (date === null && time === null) return null;
  if (date === null || time === null) return { value: `${date ?? time ?? ''}${zone}`, date };
  return { ...normalizeDate(`${date} ${time}${zone}`, null), date };
}

/** `7:30 pm` becomes `19:30`. A zone stays as it is written, with or without a colon. */
function normalizeTime(text: string): string | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [, hourText, minute = '00', second, half, zone] = match as unknown as [
    string,
    string,
    ...(string | undefined)[],
  ];
  let hour = hourText;
  if (half !== undefined) {
    const number = Number(hourText);
    if (/^a/i.test(half) && number === 12) hour = '00';
    if (/^p/i.test(half) && number < 12) hour = String(number + 12);
  }
  return `${hour.padStart(2, '0')}:${minute}${second === undefined ? '' : `:${second}`}${(zone ?? '').toUpperCase()}`;
}

/** `2013-034`, a day of the year, becomes a day of a month. */
function calendarDate(date: string): string {
  if (date.length !== 8) return date;
  const time = Date.UTC(Number(date.slice(0, 4)), 0, Number(date.slice(5)));
  return new Date(time).toISOString().slice(0, 10);
}
