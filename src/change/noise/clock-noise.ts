/**
 * Recognises a clock: a text that shows the time at which the page was sent. In: a text, and the time of the response
 * by its Date header. Out: the difference of the clock to that time, rounded to a quarter of an hour like the offsets
 * of time zones; null if the text is no clock.
 *
 * What always holds: the words say that it is the time of the moment, the clock agrees with the header to a minute and
 * a half, and the text has no number that is not of the same day. A clock that shows another offset than before
 * differs.
 */
const ZONE = String.raw`(?:\s?\(?(?:[A-Z]{2,5}|(?:GMT|UTC)?\s?[+-]\d{1,2}(?::?\d\d)?(?: hours?)?)\)?)?`;
const LABEL = String.raw`(?:the )?(?:current |server |board |forum )(?:date(?:\/| and | & ))?time(?: is)?:?|(?:the )?time(?: now)? is(?: now)?:?|(?:the )?time now:?|it is (?:currently|now)|now:|(?:aktuelle )?(?:server|uhr)zeit:|es ist jetzt`;
const CLOCK = new RegExp(
  String.raw`^(?:all times are[\w +:-]{1,20}\. )?(?:${LABEL})\s([\p{L}\d,./ -]{0,40}?)\b(\d{1,2}):(\d\d)(?::(\d\d))?\s?([ap]\.?m\.?)?(?: uhr)?(${ZONE})\.?$`,
  'iu',
);
const MAX_CHARS = 160;
const DAY_S = 86_400;
const QUARTER_S = 900;
/** A clock without seconds shows the beginning of its minute, and a response takes a while. */
const NEAR_S = 90;

export function clockOffset(text: string, sentAtMs: number): number | null {
  if (text.length > MAX_CHARS) return null;
  const found = CLOCK.exec(text);
  if (found === null) return null;
  const [, date = '', hours = '', minutes = '', seconds = '0', half = ''] = found;
  const isLate = /^p/i.test(half);
  const hour = half === '' ? Number(hours) : (Number(hours) % 12) + (isLate ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 60) return null;
  const shown = hour * 3_600 + Number(minutes) * 60 + Number(seconds);
  const sent = Math.floor(sentAtMs / 1_000) % DAY_S;
  const apart = (shown - sent + DAY_S) % DAY_S;
  const offset = Math.round(apart / QUARTER_S) * QUARTER_S;
  if (Math.abs(apart - offset) > NEAR_S || !isSameDay(date, sentAtMs)) return null;
  return (offset % DAY_S) / 60;
}

/** Whether all numbers are of the day that it is somewhere on the Earth at this time. */
function isSameDay(date: string, sentAtMs: number): boolean {
  const days = [-DAY_S, 0, DAY_S].map((s) => new Date(sentAtMs + s * 1_000));
  const numbers = date.match(/\d+/g) ?? [];
  return days.some((day) => {
    const year = day.getUTCFullYear();
    const known = new Set([day.getUTCDate(), day.getUTCMonth() + 1, year, year % 100]);
    return numbers.every((number) => known.has(Number(number)));
  });
}
