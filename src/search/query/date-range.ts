/**
 * Ranges of time, as `date:` and `changed:` have them. In: a text such as 2026, 2026-10, 2026-10-01..2026-11-01,
 * ..2026, >=2026-10, 7d or today. Out: milliseconds since 1970; the end does not belong to the range. All times are in
 * UTC, and `formatDateRange` writes a text that is read as the same range.
 */

export interface DateRange {
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

const DAY_MS = 86_400_000;
const MAX_TEXT_CHARS = 100;
/** The end of this year has four digits, too. */
const LAST_YEAR = 9_998;
const UNITS_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: DAY_MS,
  w: 7 * DAY_MS,
  m: 30 * DAY_MS,
  y: 365 * DAY_MS,
};
const LAST = /^(?:(?:last|past)[ _-]?)?(\d{1,4})?[ _-]?(hours?|days?|weeks?|months?|years?|[hdwmy])$/;
const MOMENT = /^(\d{4})(?:[-/](\d\d?)(?:[-/](\d\d?)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{3}))?)?z?)?)?)?$/;
const COMPARISON = /^(>=|<=|>|<|=)(.*)$/;

/** Null if the text is no range. `onTurned` is called if the range ends before it begins; its ends are exchanged. */
export function readDateRange(given: string, nowMs: number, onTurned: () => void): DateRange | null {
  if (given.length > MAX_TEXT_CHARS) return null;
  const text = given.trim().toLowerCase();
  const named = readNamed(text, nowMs);
  if (named !== null) return named;
  const compared = COMPARISON.exec(text);
  if (compared !== null) return readCompared(compared[1]!, readMoment(compared[2]!.trim()));
  const ends = endsOf(text);
  if (ends === null) return readMoment(text);
  const [from, to] = ends.map(readMoment);
  // An end that cannot be read is not the same as an open end.
  if ((!isOpen(ends[0]) && !from) || (!isOpen(ends[1]) && !to) || (!from && !to)) return null;
  if (!from || !to || from.fromMs! < to.toMs!) return { fromMs: from?.fromMs ?? null, toMs: to?.toMs ?? null };
  onTurned();
  return { fromMs: to.fromMs, toMs: from.toMs };
}

/** The ends of `2026-01..2026-03`, or of `[2026-01 TO 2026-03]`, which Lucene has. */
function endsOf(text: string): [string, string] | null {
  const isBracketed = /^[[{]/.test(text) && /[\]}]$/.test(text);
  const [inside, sign] = isBracketed ? [text.slice(1, -1), ' to '] : [text, '..'];
  const at = inside.indexOf(sign);
  return at === -1 ? null : [inside.slice(0, at).trim(), inside.slice(at + sign.length).trim()];
}

function isOpen(end: string): boolean {
  return end === '' || end === '*';
}

function readNamed(text: string, nowMs: number): DateRange | null {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  if (text === 'today') return { fromMs: todayMs, toMs: null };
  if (text === 'yesterday') return { fromMs: todayMs - DAY_MS, toMs: todayMs };
  const last = LAST.exec(text);
  if (last === null) return null;
  const fromMs = nowMs - Number(last[1] ?? 1) * UNITS_MS[last[2]![0]!]!;
  return isWritable(fromMs) ? { fromMs, toMs: null } : null;
}

function readCompared(sign: string, moment: DateRange | null): DateRange | null {
  if (moment === null) return null;
  switch (sign) {
    case '>=':
      return { fromMs: moment.fromMs, toMs: null };
    case '>':
      return isWritable(moment.toMs!) ? { fromMs: moment.toMs, toMs: null } : null;
    case '<=':
      return { fromMs: null, toMs: moment.toMs };
    case '<':
      return { fromMs: null, toMs: moment.fromMs };
    default:
      return moment;
  }
}

/** A year, a month, a day, a minute, a second or a millisecond, from its begin to its end. */
function readMoment(text: string): DateRange | null {
  const found = MOMENT.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second, ms] = found.slice(1).map((part) => Number(part ?? Number.NaN));
  const has = (part: number | undefined): part is number => !Number.isNaN(part);
  const at = (...parts: [number, number, number?, number?, number?, number?, number?]) => Date.UTC(...parts);
  if (year! < 1000 || year! > LAST_YEAR) return null;
  if (!has(month)) return { fromMs: at(year!, 0), toMs: at(year! + 1, 0) };
  if (month < 1 || month > 12) return null;
  if (!has(day)) return { fromMs: at(year!, month - 1), toMs: at(year!, month) };
  const dayMs = at(year!, month - 1, day);
  if (day < 1 || new Date(dayMs).getUTCMonth() !== month - 1) return null;
  if (!has(hour) || !has(minute)) return { fromMs: dayMs, toMs: dayMs + DAY_MS };
  if (hour > 23 || minute > 59 || (has(second) && second > 59)) return null;
  const fromMs = dayMs + (hour * 60 + minute) * 60_000 + (has(second) ? second * 1_000 : 0) + (has(ms) ? ms : 0);
  return { fromMs, toMs: fromMs + (has(ms) ? 1 : has(second) ? 1_000 : 60_000) };
}

const FIRST_MS = Date.UTC(1000, 0);
const LAST_MS = Date.UTC(LAST_YEAR + 1, 0);

/** True for a time that a range can begin with. */
export function isWritable(ms: number): boolean {
  return ms >= FIRST_MS && ms < LAST_MS;
}

/** The shortest text of the range. */
export function formatDateRange({ fromMs, toMs }: DateRange): string {
  if (fromMs === null) return toMs === null ? '..' : `..${formatEnd(toMs)}`;
  if (toMs === null) return `${formatBegin(fromMs)}..`;
  const whole = formatBegin(fromMs);
  const read = readMoment(whole.toLowerCase());
  const end = formatEnd(toMs);
  if (read?.toMs === toMs) return whole;
  return end.length < whole.length && readMoment(end.toLowerCase())?.fromMs === fromMs ? end : `${whole}..${end}`;
}

/** The shortest text of a moment that begins at this time. */
function formatBegin(ms: number): string {
  const text = new Date(ms).toISOString();
  for (const [chars, rest] of [
    [4, '-01-01T00:00:00.000Z'],
    [7, '-01T00:00:00.000Z'],
    [10, 'T00:00:00.000Z'],
    [16, ':00.000Z'],
    [19, '.000Z'],
  ] as const) {
    if (text.endsWith(rest) && text.length - rest.length === chars) return text.slice(0, chars);
  }
  return text.slice(0, 23);
}

/** The shortest text of a moment that ends before this time. */
function formatEnd(ms: number): string {
  const text = new Date(ms - 1).toISOString();
  for (const chars of [4, 7, 10, 16, 19]) {
    if (readMoment(text.slice(0, chars).toLowerCase())?.toMs === ms) return text.slice(0, chars);
  }
  return text.slice(0, 23);
}
