/**
 * Quiet hours: times in which listeners receive nothing. In: texts such as `22:00-07:00` or `sat,sun 00:00-24:00`. Out:
 * the end of the quiet time at a moment. A span that ends before it begins goes on into the next day; its weekday is
 * the one on which it begins.
 */
import { OrbweaverError } from '../../../core/errors.ts';
import { DAY_MINUTES, type LocalMoment, type LocalTime, MINUTE_MS, WEEKDAYS } from './local-time.ts';

interface QuietSpan {
  readonly weekdays: ReadonlySet<number>;
  readonly from: number;
  readonly to: number;
}

const SPAN = /^(?:([a-z]{3}(?:[,-][a-z]{3})*) )?(\d{1,2}:\d\d)-(\d{1,2}:\d\d)$/;
/** More jumps from the end of one span into the next one mean that the spans leave no time at all. */
const MAX_JUMPS = 1_000;
const WEEK_MS = 7 * DAY_MINUTES * MINUTE_MS;
/** 2024-01-01 was a Monday. */
const SOME_MONDAY_MS = 1_704_067_200_000;

export class QuietHours {
  readonly #spans: readonly QuietSpan[];
  readonly #time: LocalTime;

  constructor(texts: readonly string[], time: LocalTime) {
    this.#spans = texts.map(parseSpan);
    this.#time = time;
    if (this.endAfter(SOME_MONDAY_MS) === null) {
      throw new OrbweaverError('ERR_BAD_OPTION', '--quiet-hours leaves no time in which changes are delivered');
    }
  }

  /** The first time from `nowMs` on that is not quiet: `nowMs` itself outside of quiet hours. Null if there is none. */
  endAfter(nowMs: number): number | null {
    let atMs = nowMs;
    for (let jumps = 0; jumps < MAX_JUMPS && atMs - nowMs < WEEK_MS; jumps++) {
      const left = this.#minutesLeft(this.#time.at(atMs));
      if (left === 0) return atMs;
      atMs = this.#time.later(atMs, left);
    }
    return null;
  }

  /** Minutes until the end of the longest span that covers the moment; 0 if there is none. */
  #minutesLeft({ weekday, minute }: LocalMoment): number {
    const yesterday = (weekday + WEEKDAYS.length - 1) % WEEKDAYS.length;
    let left = 0;
    for (const { weekdays, from, to } of this.#spans) {
      const goesOn = to <= from;
      const end = goesOn ? to + DAY_MINUTES : to;
      if (weekdays.has(weekday) && minute >= from && minute < end) left = Math.max(left, end - minute);
      if (goesOn && weekdays.has(yesterday) && minute < to) left = Math.max(left, to - minute);
    }
    return left;
  }
}

function parseSpan(text: string): QuietSpan {
  const [, days, from, to] = SPAN.exec(text.trim().toLowerCase().replace(/\s+/g, ' ')) ?? [];
  const weekdays = days === undefined ? new Set(WEEKDAYS.keys()) : parseWeekdays(days);
  const [begin, end] = [parseTimeOfDay(from), parseTimeOfDay(to)];
  if (weekdays === null || begin === null || end === null || begin === end || begin === DAY_MINUTES) {
    throw new OrbweaverError(
      'ERR_BAD_OPTION',
      `--quiet-hours needs times such as 22:00-07:00 or "sat,sun 00:00-24:00", not "${text}"`,
    );
  }
  return { weekdays, from: begin, to: end };
}

/** `mon,wed` or `mon-fri`. A range may go over the end of the week. */
function parseWeekdays(text: string): ReadonlySet<number> | null {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const [first = -1, last = first, ...more] = part.split('-').map((day) => WEEKDAYS.indexOf(day));
    if (first < 0 || last < 0 || more.length > 0) return null;
    for (let day = first; ; day = (day + 1) % WEEKDAYS.length) {
      found.add(day);
      if (day === last) break;
    }
  }
  return found;
}

/** Minutes since midnight, up to 24:00; null for anything else. */
export function parseTimeOfDay(text = ''): number | null {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? [];
  const minute = Number(hours) * 60 + Number(minutes);
  return Number(minutes) < 60 && minute <= DAY_MINUTES ? minute : null;
}
